import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../ask.ts';
import type { ListedPerson, Role } from '../../asked.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';

const roleNames = ['admin', 'officer', 'viewer'] as const satisfies readonly Role[];

export function ChangePerson({ of: person, close }: { of: ListedPerson; close: () => void }) {
  const { people, roles, states } = useWords();
  const { tenants } = useMe();
  const client = useQueryClient();
  const [role, setRole] = useState<Role>(person.role);
  const [tenantIds, setTenantIds] = useState(person.tenantIds);
  const [disabled, setDisabled] = useState(person.disabledAt !== null);
  const saving = useMutation({
    mutationFn: () =>
      change(`/people/${person.id}`, {
        // A role that comes from groups is changed there; only what differs is sent.
        ...(role === person.role ? {} : { role }),
        tenantIds,
        disabled,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['people'] });
      close();
    },
  });
  return (
    <Dialog title={people.changeTitle(person.name)} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <label className="field">
          <span>{people.role}</span>
          <select
            value={role}
            disabled={person.source === 'oidc'}
            onChange={(event) => setRole(event.target.value as Role)}
          >
            {roleNames.map((name) => (
              <option key={name} value={name}>
                {roles[name]}
              </option>
            ))}
          </select>
        </label>
        <fieldset>
          <legend>{people.tenants}</legend>
          <span className="segments">
            <button type="button" aria-pressed={tenantIds === null} onClick={() => setTenantIds(null)}>
              {people.every}
            </button>
            <button
              type="button"
              aria-pressed={tenantIds !== null}
              onClick={() => setTenantIds(tenantIds ?? tenants.map(({ id }) => id))}
            >
              {people.some}
            </button>
          </span>
          {tenantIds !== null && (
            <div className="stack-tight">
              {tenants.map(({ id, name }) => (
                <label key={id} className="tick">
                  <input
                    type="checkbox"
                    checked={tenantIds.includes(id)}
                    onChange={({ target }) =>
                      setTenantIds(target.checked ? [...tenantIds, id] : tenantIds.filter((one) => one !== id))
                    }
                  />
                  {name}
                </label>
              ))}
            </div>
          )}
        </fieldset>
        <fieldset>
          <legend>{people.account}</legend>
          <label className="tick">
            <input type="checkbox" checked={disabled} onChange={(event) => setDisabled(event.target.checked)} />
            {people.closed}
          </label>
        </fieldset>
        <p className="hint">{people.after}</p>
        {saving.error && <Failure error={saving.error} again={() => saving.mutate()} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={saving.isPending}>
            {people.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
