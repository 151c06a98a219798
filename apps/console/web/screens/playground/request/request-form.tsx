import type { FormEvent, Ref } from 'react';
import type { KeyName } from '../../../../api/keys.ts';
import type { ListedOperation } from '../../../../api/playground.ts';
import { useCurrentUser } from '../../../frame/current-user.ts';
import { useLabels } from '../../../labels/language.tsx';
import { Fields } from './fields.tsx';
import type { FormState } from './form-state.ts';
import { IdField } from './id-field.tsx';
import { OperationPicker } from './operation-picker.tsx';

interface Props {
  readonly ref: Ref<HTMLFormElement>;
  readonly operations: readonly ListedOperation[];
  readonly operation: ListedOperation;
  /** Scopes that a person may run with, and keys whose scopes can be taken. */
  readonly scopes: number;
  readonly keys: readonly KeyName[];
  readonly formState: FormState;
  readonly refused: (name: string) => string | null;
  readonly lastRunAt: string | null;
  readonly isBusy: boolean;
  readonly change: (formState: FormState) => void;
  readonly send: () => void;
  readonly cancel: () => void;
}

/** The request: operation, protocol, tenant, scopes and parameters. */
export function RequestForm(given: Props) {
  const { ref, operations, operation, scopes, keys, formState, refused, lastRunAt, isBusy, change, send, cancel } =
    given;
  const { playground, states } = useLabels();
  const { tenants } = useCurrentUser();
  return (
    <form
      ref={ref}
      className="panel"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        // A keyboard shortcut submits the form even while its button is disabled.
        if (!isBusy && operation.isAllowed) send();
      }}
    >
      <div className="form-fields">
        <OperationPicker
          operations={operations}
          chosen={operation}
          mode={formState.mode}
          choose={({ name, exampleId }) =>
            change({ ...formState, operation: name, parameters: {}, id: exampleId ?? '' })
          }
        />
        <fieldset>
          <legend className="hidden">{playground.transport}</legend>
          <span className="segments">
            {(['rest', 'mcp'] as const).map((mode) => (
              <button
                key={mode}
                type="button"
                aria-pressed={mode === formState.mode}
                onClick={() => change({ ...formState, mode })}
              >
                {playground[mode]}
              </button>
            ))}
          </span>
        </fieldset>
        {tenants.length > 1 && (
          <label className="field">
            <span>{playground.tenant}</span>
            <select
              value={formState.tenantId}
              onChange={(event) => change({ ...formState, tenantId: event.target.value })}
            >
              {tenants.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="field">
          <span>{playground.runWith}</span>
          <select
            value={formState.scopesOf}
            onChange={(event) => change({ ...formState, scopesOf: event.target.value })}
          >
            <option value="me">{playground.myScopes(scopes)}</option>
            {keys.map(({ id, name, scopes: own }) => (
              <option key={id} value={id}>
                {name} ({own.length})
              </option>
            ))}
          </select>
        </label>
        {operation.exampleId !== null && (
          <IdField value={formState.id} refused={refused('id')} change={(id) => change({ ...formState, id })} />
        )}
        <Fields
          key={operation.name}
          operation={operation}
          values={formState.parameters}
          refused={refused}
          lastRunAt={lastRunAt}
          change={(parameters) => change({ ...formState, parameters })}
        />
      </div>
      <div className="send row">
        <button type="submit" className="primary" disabled={isBusy || !operation.isAllowed}>
          {isBusy ? playground.sending : playground.send} <kbd>Ctrl ⏎</kbd>
        </button>
        {isBusy && (
          <button type="button" onClick={cancel}>
            {states.cancel}
          </button>
        )}
        {!operation.isAllowed && (
          <span className="hint">{playground.notAllowed(operation.requiredScopes.join(', '))}</span>
        )}
      </div>
    </form>
  );
}
