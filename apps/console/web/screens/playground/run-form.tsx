import type { FormEvent, Ref } from 'react';
import type { AskedOperation, Key } from '../../asked.ts';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';
import { Fields } from './fields.tsx';
import { IdField } from './id-field.tsx';
import { OperationPicker } from './operation-picker.tsx';
import type { Wanted } from './wanted.ts';

interface Given {
  readonly ref: Ref<HTMLFormElement>;
  readonly operations: readonly AskedOperation[];
  readonly operation: AskedOperation;
  /** Scopes that a person may run with, and keys whose scopes can be taken. */
  readonly scopes: number;
  readonly keys: readonly Key[];
  readonly wanted: Wanted;
  readonly refused: (name: string) => string | null;
  readonly lastRunAt: string | null;
  readonly isBusy: boolean;
  readonly change: (wanted: Wanted) => void;
  readonly send: () => void;
  readonly cancel: () => void;
}

/** What is asked, how, where, and in whose name. */
export function RunForm(given: Given) {
  const { ref, operations, operation, scopes, keys, wanted, refused, lastRunAt, isBusy, change, send, cancel } = given;
  const { playground, states } = useWords();
  const { tenants } = useMe();
  return (
    <form
      ref={ref}
      className="panel"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        // Keys submit a form whatever its button says.
        if (!isBusy && operation.isAllowed) send();
      }}
    >
      <div className="asked">
        <OperationPicker
          operations={operations}
          chosen={operation}
          mode={wanted.mode}
          choose={({ name, exampleId }) => change({ ...wanted, operation: name, parameters: {}, id: exampleId ?? '' })}
        />
        <fieldset>
          <legend className="hidden">{playground.transport}</legend>
          <span className="segments">
            {(['rest', 'mcp'] as const).map((mode) => (
              <button
                key={mode}
                type="button"
                aria-pressed={mode === wanted.mode}
                onClick={() => change({ ...wanted, mode })}
              >
                {playground[mode]}
              </button>
            ))}
          </span>
        </fieldset>
        {tenants.length > 1 && (
          <label className="field">
            <span>{playground.tenant}</span>
            <select value={wanted.tenantId} onChange={(event) => change({ ...wanted, tenantId: event.target.value })}>
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
          <select value={wanted.scopesOf} onChange={(event) => change({ ...wanted, scopesOf: event.target.value })}>
            <option value="me">{playground.me(scopes)}</option>
            {keys.map(({ id, name, scopes: own }) => (
              <option key={id} value={id}>
                {name} ({own.length})
              </option>
            ))}
          </select>
        </label>
        {operation.kind === 'get' && (
          <IdField value={wanted.id} refused={refused('id')} change={(id) => change({ ...wanted, id })} />
        )}
        <Fields
          key={operation.name}
          operation={operation}
          values={wanted.parameters}
          refused={refused}
          lastRunAt={lastRunAt}
          change={(parameters) => change({ ...wanted, parameters })}
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
        {!operation.isAllowed && <span className="hint">{playground.notAllowed(operation.scope ?? '')}</span>}
      </div>
    </form>
  );
}
