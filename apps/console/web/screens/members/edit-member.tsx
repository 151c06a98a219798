import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { changeMember, endMemberSessions, type ListedMember } from '../../../api/members.ts';
import type { Role } from '../../../api/route.ts';
import { call } from '../../client/api-client.ts';
import { useLabels } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { RoleSelect } from './role-select.tsx';
import { TenantPicker } from './tenant-picker.tsx';

interface Props {
  readonly of: ListedMember;
  /** Whether no other member is an active administrator of all tenants. */
  readonly isLastAdmin: boolean;
  readonly close: () => void;
}

/** Edits role, tenants and status. A concurrent change of another administrator is reported, not overwritten. */
export function EditMember({ of, isLastAdmin, close }: Props) {
  const { members: strings, states } = useLabels();
  const client = useQueryClient();
  const [person] = useState(of);
  const [role, setRole] = useState<Role>(person.role);
  const [tenantIds, setTenantIds] = useState<readonly string[] | null>(person.tenantIds);
  const wasDisabled = person.disabledAt !== null;
  const [disabled, setDisabled] = useState(wasDisabled);
  const areSameTenants = JSON.stringify(tenantIds) === JSON.stringify(person.tenantIds);
  // Without a tenant a member could sign in and see nothing; one that has none already can be changed otherwise.
  const hasNoTenant = !areSameTenants && tenantIds?.length === 0;
  const isSame = role === person.role && disabled === wasDisabled && areSameTenants;
  const saving = useMutation({
    mutationFn: () =>
      call(changeMember, {
        id: person.id,
        // A role that comes from groups is changed there; only what differs is sent.
        ...(role === person.role ? {} : { role }),
        ...(areSameTenants ? {} : { tenantIds: tenantIds && [...tenantIds] }),
        disabled,
        expected: {
          role: person.role,
          tenantIds: person.tenantIds && [...person.tenantIds],
          disabled: wasDisabled,
        },
      }),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: ['members'] }),
  });
  return (
    <Dialog title={strings.editTitle(escapeInvisible(person.name))} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        {isLastAdmin && <p className="note note-warn">{strings.lastAdmin}</p>}
        <RoleSelect
          role={role}
          select={setRole}
          isDisabled={person.source === 'oidc' || isLastAdmin}
          hint={person.source === 'oidc' ? strings.fromGroups : null}
        />
        {!isLastAdmin && <TenantPicker chosen={tenantIds} choose={setTenantIds} />}
        <fieldset>
          <legend>{strings.account}</legend>
          <label className="tick">
            <input
              type="checkbox"
              checked={disabled}
              disabled={isLastAdmin}
              onChange={(event) => setDisabled(event.target.checked)}
            />
            {strings.disabled}
          </label>
        </fieldset>
        <EndSessions of={of} />
        {!isSame && <p className="hint">{strings.sessionsEndHint}</p>}
        {saving.error && <ErrorMessage error={saving.error} again={() => saving.mutate()} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={saving.isPending || isSame || hasNoTenant}>
            {strings.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Signs the person out everywhere, whatever else is changed. */
function EndSessions({ of: person }: { of: ListedMember }) {
  const { members: strings } = useLabels();
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: () => call(endMemberSessions, { id: person.id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['members'] }),
  });
  return (
    <fieldset>
      <legend>{strings.sessionsOf}</legend>
      <div className="row">
        <span role="status">
          {ending.data ? strings.endedSessions(ending.data.ended) : strings.activeSessions(person.sessions)}
        </span>
        <button
          type="button"
          disabled={ending.isPending || ending.isSuccess || person.sessions === 0}
          onClick={() => ending.mutate()}
        >
          {strings.signOutEverywhere}
        </button>
      </div>
      {ending.error && <ErrorMessage error={ending.error} again={() => ending.mutate()} />}
    </fieldset>
  );
}
