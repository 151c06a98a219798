import type { ReactNode } from 'react';
import type { OperationParameter } from '../../../../api/playground.ts';
import { useLabels } from '../../../labels/language.tsx';

interface Props {
  readonly of: OperationParameter;
  readonly value: string;
  readonly refused: string | null;
  readonly isExplained: boolean;
  /** Called when the field was acted on: not as soon as it is pressed, or it would move away from under the pointer. */
  readonly explain: () => void;
  readonly change: (value: string) => void;
  /** What fills the field in. */
  readonly children?: ReactNode;
}

export const fieldId = (name: string): string => `parameter-${name}`;

const singles: ReadonlySet<string> = new Set(['flag', 'sort', 'choice']);

export function Field(given: Props) {
  const { value, refused, isExplained, explain, change, children } = given;
  const { name, kind, description: labels, allowed, example } = given.of;
  const { playground } = useLabels();
  const id = fieldId(name);
  const offered = allowed ?? (kind === 'flag' ? ['true', 'false'] : []);
  const describedBy = [`${id}-words`, ...(refused === null ? [] : [`${id}-wrong`])].join(' ');
  const after = (
    <>
      {refused !== null && (
        <p id={`${id}-wrong`} className="wrong" lang="en">
          ■ {refused}
        </p>
      )}
      <p id={`${id}-words`} className="hint" lang="en" hidden={!isExplained}>
        {labels}
      </p>
    </>
  );
  // One of few: nothing needs to be typed, unless a link brought what is none of them.
  if (singles.has(kind) && (value === '' || offered.includes(value)))
    return (
      <fieldset className="field" aria-describedby={describedBy} onClick={explain} onKeyUp={explain}>
        <legend>{name}</legend>
        <Chips kind={kind} offered={offered} value={value} change={change} />
        {after}
      </fieldset>
    );
  return (
    /* biome-ignore lint/a11y/noStaticElementInteractions: what is inside is acted on */
    <div className="field" onClick={explain} onKeyUp={explain}>
      <span className="row apart">
        <label htmlFor={id} className="mono">
          {name}
        </label>
        {kind === 'instant' && <span className="hint">{playground.utcInclusive}</span>}
      </span>
      <input
        id={id}
        className="mono"
        value={value}
        placeholder={offered.length > 0 ? '' : playground.example(example)}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={describedBy}
        aria-invalid={refused !== null}
        onChange={(event) => change(event.target.value)}
      />
      {children}
      {offered.length > 0 && <Chips kind={kind} offered={offered} value={value} change={change} />}
      {after}
    </div>
  );
}

/** The values that are allowed, each pressed while the field holds it. */
function Chips({
  kind,
  offered,
  value,
  change,
}: { readonly offered: readonly string[] } & Pick<Props, 'value' | 'change'> & Pick<OperationParameter, 'kind'>) {
  const chosen = value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const toggle = (one: string) => {
    const rest = chosen.filter((other) => other !== one);
    if (rest.length < chosen.length) change(rest.join(','));
    else change(singles.has(kind) ? one : [...chosen, one].join(','));
  };
  return (
    <div className="chips" translate="no">
      {offered.map((one) => (
        <button key={one} type="button" aria-pressed={chosen.includes(one)} onClick={() => toggle(one)}>
          {one}
        </button>
      ))}
    </div>
  );
}
