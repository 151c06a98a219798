import type { ListedOperation } from '../../../../api/playground.ts';
import { useLabels } from '../../../labels/language.tsx';
import { scopeGroup } from '../../keys/scope-presets.ts';

interface Props {
  readonly operations: readonly ListedOperation[];
  readonly chosen: ListedOperation;
  readonly mode: 'rest' | 'mcp';
  readonly choose: (operation: ListedOperation) => void;
}

const groups = ['key', 'feeds', 'evidence', 'entities', 'reports'] as const;

const isAbout = ({ path, scope }: ListedOperation, group: (typeof groups)[number]): boolean =>
  (scope === null ? 'key' : path.startsWith('/reports') ? 'reports' : scopeGroup(scope)) === group;

/** All operations by group, named as in the selected protocol. */
export function OperationPicker({ operations, chosen, mode, choose }: Props) {
  const { playground } = useLabels();
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
          {chosen.requiredScopes.length > 0 && (
            <>
              {' · '}
              <code>{chosen.requiredScopes.join(' ')}</code>
            </>
          )}
        </summary>
        <p className="hint" lang="en">
          {mode === 'rest' ? chosen.description : chosen.toolDescription}
        </p>
      </details>
    </div>
  );
}
