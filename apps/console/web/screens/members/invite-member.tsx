import { type FormEvent, useState } from 'react';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { type CreatedInvitation, inviteMember } from '../../../api/invitations.ts';
import type { Role } from '../../../api/route.ts';
import { call } from '../../client/api-client.ts';
import { dayAndTime } from '../../labels/format.ts';
import { useLabels, useLanguage } from '../../labels/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useLeaveGuard } from '../../parts/leave-guard.ts';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { RoleSelect } from './role-select.tsx';
import { TenantPicker } from './tenant-picker.tsx';

/** Invites a person with a role and tenants; the link is shown once. */
export function InviteMember({ close }: { close: () => void }) {
  const { members: strings, states } = useLabels();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [tenantIds, setTenantIds] = useState<readonly string[] | null>(null);
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  // Not a query mutation: a response with a secret must not be cached.
  const send = async () => {
    setBusy(true);
    setError(null);
    try {
      setCreated(await call(inviteMember, { name, role, tenantIds: tenantIds && [...tenantIds] }));
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  if (created) return <InvitationLink of={created} name={name} done={close} />;
  return (
    <Dialog title={strings.inviteTitle} close={close} isPersistent={isBusy}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>{strings.inviteHelp}</p>
        <label className="field">
          <span>{strings.inviteName}</span>
          <input
            value={name}
            maxLength={100}
            pattern=".*\S.*"
            onChange={(event) => setName(event.target.value)}
            autoComplete="off"
            required
          />
        </label>
        <RoleSelect role={role} select={setRole} />
        <TenantPicker chosen={tenantIds} choose={setTenantIds} />
        {error !== null && <ErrorMessage error={error} again={() => void send()} />}
        <div className="menu-foot">
          <button type="button" disabled={isBusy} onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={isBusy || tenantIds?.length === 0}>
            {strings.createInvitation}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function InvitationLink({ of, name, done }: { of: CreatedInvitation; name: string; done: () => void }) {
  const { labels, language } = useLanguage();
  const { members: strings, newKey } = labels;
  const [isStored, setStored] = useState(false);
  useLeaveGuard(!isStored, strings.linkLeaveWarning);
  return (
    <Dialog title={strings.inviteLinkTitle(escapeInvisible(name))} close={done} isPersistent={!isStored}>
      <p>{strings.inviteLinkHelp(dayAndTime(language, of.expiresAt))}</p>
      <code className="secret">{of.link}</code>
      <div className="row apart">
        <CopyButton text={of.link} copied={() => setStored(true)} />
        <label className="tick">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
          {strings.linkStored}
        </label>
      </div>
      <div className="menu-foot">
        <button type="button" className="primary" disabled={!isStored} onClick={done}>
          {newKey.done}
        </button>
      </div>
    </Dialog>
  );
}
