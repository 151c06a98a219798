import type { AskedOperation } from '../../asked.ts';
import { useWords } from '../../words/words.tsx';
import { groupOf } from '../keys/scope-sets.ts';

interface Given {
  readonly operations: readonly AskedOperation[];
  readonly chosen: AskedOperation;
  readonly mode: 'rest' | 'mcp';
  readonly choose: (operation: AskedOperation) => void;
}

const groups = ['key', 'feeds', 'evidence', 'entities', 'reports'] as const;

const isAbout = ({ path, scope }: AskedOperation, group: (typeof groups)[number]): boolean =>
  (scope === null ? 'key' : path.startsWith('/reports') ? 'reports' : groupOf(scope)) === group;

/** Every operation there is, by what it is about; named as the chosen way of asking names it. */
export function OperationPicker({ operations, chosen, mode, choose }: Given) {
  const { playground } = useWords();
  return (
    <div className="stack-tight">
      <label className="field">
        <span className="row apart">
          {playground.operation} <kbd>Ctrl K</kbd>
        </span>
        <select
          className="mono"
          value={chosen.name}
          onChange={({ target }) => {
            const operation = operations.find(({ name }) => name === target.value);
            if (operation) choose(operation);
          }}
        >
          {groups.map((group) => (
            <optgroup key={group} label={playground.groups[group]}>
              {operations
                .filter((operation) => isAbout(operation, group))
                .map(({ name, path, isAllowed }) => (
                  <option key={name} value={name} disabled={!isAllowed}>
                    {mode === 'rest' ? `GET ${path}` : name}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <details className="about">
        <summary className="hint">
          <span lang="en">{chosen.summary}</span>
          {chosen.scope && (
            <>
              {' · '}
              <code>{chosen.scope}</code>
            </>
          )}
        </summary>
        <p className="hint" lang="en">
          {mode === 'rest' ? chosen.description : chosen.guidance}
        </p>
      </details>
    </div>
  );
}
