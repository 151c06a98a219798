import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../ask.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';

const offered = [30, 90, 180, 365, 730] as const;

/** How long a key of the organization may live at most: said where keys are, and set there. */
export function KeyLifetime() {
  const { keys, people } = useWords();
  const { keyLifetimeDays } = useMe().organization;
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="row">
      <span className="small muted">
        {keys.lifetime(keyLifetimeDays === null ? people.unlimited : people.days(keyLifetimeDays))}
      </span>
      <button type="button" className="plain small" aria-label={keys.changeLifetime} onClick={() => setOpen(true)}>
        {people.change}
      </button>
      {isOpen && <ChangeLifetime close={() => setOpen(false)} />}
    </span>
  );
}

function ChangeLifetime({ close }: { close: () => void }) {
  const { people, keys, states } = useWords();
  const { organization } = useMe();
  const client = useQueryClient();
  const [was] = useState(organization.keyLifetimeDays);
  const [days, setDays] = useState(was);
  const saving = useMutation({
    mutationFn: () => change('/organization', { keyLifetimeDays: days, was }, 'PATCH'),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: ['me'] }),
  });
  const choices = [...new Set([...offered, ...(was === null ? [] : [was])])].sort((one, other) => one - other);
  return (
    <Dialog title={people.lifetime} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <p>{keys.lifetimeWords}</p>
        <label className="field">
          <span>{people.lifetime}</span>
          <select
            value={days ?? ''}
            onChange={({ target }) => setDays(target.value === '' ? null : Number(target.value))}
          >
            <option value="">{people.unlimited}</option>
            {choices.map((count) => (
              <option key={count} value={count}>
                {people.days(count)}
              </option>
            ))}
          </select>
        </label>
        {saving.error && <Failure error={saving.error} again={() => saving.mutate()} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={saving.isPending || days === was}>
            {people.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
