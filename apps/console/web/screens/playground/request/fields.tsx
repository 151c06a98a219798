import { useState } from 'react';
import type { ListedOperation, OperationParameter, OperationWindow } from '../../../../api/playground.ts';
import { useLabels } from '../../../labels/language.tsx';
import { Field } from './field.tsx';
import { WindowChips } from './window-chips.tsx';

interface Props {
  readonly operation: ListedOperation;
  readonly values: Readonly<Record<string, string>>;
  /** The server's error of a parameter with its current value. */
  readonly refused: (name: string) => string | null;
  /** When the operation was last run, for time ranges that continue from there. */
  readonly lastRunAt: string | null;
  readonly change: (values: Readonly<Record<string, string>>) => void;
}

/** So few need no folding. */
const fewMax = 6;

/** A field for each parameter, by its kind: first those that one starts with, the others behind a button. None moves while it is filled in. */
export function Fields({ operation, values, refused, lastRunAt, change }: Props) {
  const { playground } = useLabels();
  const [isWhole, setWhole] = useState(false);
  const [spoken, setSpoken] = useState('');
  const first = firstOf(operation);
  const ordered = inOrder(operation);
  const isShown = ({ name }: OperationParameter) =>
    isWhole || first.has(name) || (values[name] ?? '') !== '' || refused(name) !== null;
  const hidden = ordered.filter((parameter) => !isShown(parameter)).length;
  return (
    <div className="parameters">
      {ordered.filter(isShown).map((parameter) => {
        const window = operation.windows.find(({ from }) => from === parameter.name);
        return (
          <Field
            key={parameter.name}
            of={parameter}
            value={values[parameter.name] ?? ''}
            refused={refused(parameter.name)}
            isExplained={spoken === parameter.name}
            explain={() => setSpoken(parameter.name)}
            change={(value) => change({ ...values, [parameter.name]: value })}
          >
            {window && (
              <WindowChips
                window={window}
                isLong={operation.kind !== 'list'}
                lastRunAt={lastRunAt}
                fill={(from) => change({ ...values, [window.from]: from, [window.to]: '' })}
              />
            )}
          </Field>
        );
      })}
      {(hidden > 0 || isWhole) && ordered.length > fewMax && (
        <div>
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? playground.fewer : playground.more(hidden)}
          </button>
        </div>
      )}
    </div>
  );
}

/** The first window, how many, and whatever the contract's own examples ask with; windows with both of their ends. */
function firstOf({ parameters, windows, examples }: ListedOperation): ReadonlySet<string> {
  if (parameters.length <= fewMax) return new Set(parameters.map(({ name }) => name));
  const used = examples.flatMap(({ input }) => Object.keys(input));
  const isUsed = ({ from, to }: OperationWindow, index: number) =>
    index === 0 || used.includes(from) || used.includes(to);
  return new Set([
    ...used,
    ...windows.filter(isUsed).flatMap(({ from, to }) => [from, to]),
    ...parameters.filter(({ kind }) => kind === 'limit').map(({ name }) => name),
  ]);
}

/** Windows before filters, their ends together. */
const inOrder = ({ parameters, windows }: ListedOperation): readonly OperationParameter[] => {
  const ends = windows.flatMap(({ from, to }) => [from, to]);
  return [
    ...ends.flatMap((end) => parameters.filter(({ name }) => name === end)),
    ...parameters.filter(({ name }) => !ends.includes(name)),
  ];
};
