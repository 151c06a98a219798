import { useLabels } from '../../../labels/language.tsx';
import { fieldId } from './field.tsx';

interface Props {
  readonly value: string;
  readonly refused: string | null;
  readonly change: (value: string) => void;
}

/** The id of a by-id read, which stands in the path. */
export function IdField({ value, refused, change }: Props) {
  const { playground } = useLabels();
  const id = fieldId('id');
  return (
    <div className="field">
      <label htmlFor={id}>{playground.id}</label>
      <input
        id={id}
        className="mono"
        value={value}
        onChange={(event) => change(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        required
        aria-invalid={refused !== null}
        {...(refused === null ? {} : { 'aria-describedby': `${id}-wrong` })}
      />
      {refused !== null && (
        <p id={`${id}-wrong`} className="wrong" lang="en">
          ■ {refused}
        </p>
      )}
    </div>
  );
}
