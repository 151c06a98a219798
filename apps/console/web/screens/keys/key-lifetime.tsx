import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeOrganization } from '../../../api/organization.ts';
import { call } from '../../client/api-client.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';

const offered = [30, 90, 180, 365, 730] as const;

/** How long a key of the organization may live at most: strings where keys are, and set there. */
export function MaxKeyLifetime() {
  const { keys, members } = useLabels();
  const { organization, member } = useCurrentUser();
  const { keyLifetimeDays } = organization;
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="row">
      <span className="small muted">
        {keys.maxLifetime(keyLifetimeDays === null ? members.unlimited : members.days(keyLifetimeDays))}
      </span>
      {member.hasEveryTenant && (
        <button type="button" className="plain small" aria-label={keys.editMaxLifetime} onClick={() => setOpen(true)}>
          {members.edit}
        </button>
      )}
      {isOpen && <EditMaxLifetime close={() => setOpen(false)} />}
    </span>
  );
}

function EditMaxLifetime({ close }: { close: () => void }) {
  const { members, keys, states } = useLabels();
  const { organization } = useCurrentUser();
  const client = useQueryClient();
  const [was] = useState(organization.keyLifetimeDays);
  const [days, setDays] = useState(was);
  const saving = useMutation({
    mutationFn: () => call(changeOrganization, { keyLifetimeDays: days, expected: was }),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: ['me'] }),
  });
  const choices = [...new Set([...offered, ...(was === null ? [] : [was])])].sort((one, other) => one - other);
  return (
    <Dialog title={members.maxKeyLifetime} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <p>{keys.maxLifetimeHelp}</p>
        <label className="field">
          <span>{members.maxKeyLifetime}</span>
          <select
            value={days ?? ''}
            onChange={({ target }) => setDays(target.value === '' ? null : Number(target.value))}
          >
            <option value="">{members.unlimited}</option>
            {choices.map((count) => (
              <option key={count} value={count}>
                {members.days(count)}
              </option>
            ))}
          </select>
        </label>
        {saving.error && <ErrorMessage error={saving.error} again={() => saving.mutate()} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={saving.isPending || days === was}>
            {members.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
