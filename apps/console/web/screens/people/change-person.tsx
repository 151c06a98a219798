import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../ask.ts';
import type { ListedPerson, Role } from '../../asked.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useWords } from '../../words/words.tsx';
import { TenantPicker } from './tenant-picker.tsx';

const roleNames = ['admin', 'officer', 'viewer'] as const satisfies readonly Role[];

interface Given {
  readonly of: ListedPerson;
  /** Whether nobody else could give roles. */
  readonly isLastAdmin: boolean;
  readonly close: () => void;
}

/** Another role, other tenants, a closed account. What somebody else changed since this was opened is told, not overwritten. */
export function ChangePerson({ of, isLastAdmin, close }: Given) {
  const { people, roles, states } = useWords();
  const client = useQueryClient();
  const [person] = useState(of);
  const [role, setRole] = useState<Role>(person.role);
  const [tenantIds, setTenantIds] = useState<readonly string[] | null>(person.tenantIds);
  const wasDisabled = person.disabledAt !== null;
  const [disabled, setDisabled] = useState(wasDisabled);
  const isSame =
    role === person.role && disabled === wasDisabled && JSON.stringify(tenantIds) === JSON.stringify(person.tenantIds);
  const saving = useMutation({
    mutationFn: () =>
      change(`/people/${person.id}`, {
        // A role that comes from groups is changed there; only what differs is sent.
        ...(role === person.role ? {} : { role }),
        tenantIds,
        disabled,
        was: { role: person.role, tenantIds: person.tenantIds, disabled: wasDisabled },
      }),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: ['people'] }),
  });
  return (
    <Dialog title={people.changeTitle(person.name)} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        {isLastAdmin && <p className="note note-warn">{people.lastAdmin}</p>}
        <label className="field">
          <span>{people.role}</span>
          <select
            value={role}
            disabled={person.source === 'oidc' || isLastAdmin}
            onChange={(event) => setRole(event.target.value as Role)}
          >
            {roleNames.map((name) => (
              <option key={name} value={name}>
                {roles[name]}
              </option>
            ))}
          </select>
          {person.source === 'oidc' && <span className="hint">{people.fromGroups}</span>}
        </label>
        <TenantPicker chosen={tenantIds} choose={setTenantIds} />
        <fieldset>
          <legend>{people.account}</legend>
          <label className="tick">
            <input
              type="checkbox"
              checked={disabled}
              disabled={isLastAdmin}
              onChange={(event) => setDisabled(event.target.checked)}
            />
            {people.closed}
          </label>
        </fieldset>
        <EndSessions of={of} />
        {!isSame && <p className="hint">{people.after}</p>}
        {saving.error && <Failure error={saving.error} again={() => saving.mutate()} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={saving.isPending || isSame}>
            {people.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Signs the person out everywhere, whatever else is changed. */
function EndSessions({ of: person }: { of: ListedPerson }) {
  const { people } = useWords();
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: () => change<{ ended: number }>(`/people/${person.id}/end-sessions`),
    onSettled: () => client.invalidateQueries({ queryKey: ['people'] }),
  });
  return (
    <fieldset>
      <legend>{people.sessionsOf}</legend>
      <div className="row">
        <span role="status">
          {ending.data ? people.endedSessions(ending.data.ended) : people.liveSessions(person.sessions)}
        </span>
        <button
          type="button"
          disabled={ending.isPending || ending.isSuccess || person.sessions === 0}
          onClick={() => ending.mutate()}
        >
          {people.endAll}
        </button>
      </div>
      {ending.error && <Failure error={ending.error} again={() => ending.mutate()} />}
    </fieldset>
  );
}
