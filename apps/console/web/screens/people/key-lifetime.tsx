import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../ask.ts';
import { Failure } from '../../parts/failure.tsx';
import { useMe } from '../../shell.tsx';
import { clock, useWords } from '../../words/words.tsx';

const offered = [30, 90, 180, 365, 730] as const;

/** How long a key of the organization may live at most. */
export function KeyLifetime() {
  const { people, states } = useWords();
  const { organization } = useMe();
  const client = useQueryClient();
  const [days, setDays] = useState(organization.keyLifetimeDays);
  const saving = useMutation({
    mutationFn: () => change('/organization', { keyLifetimeDays: days }, 'PATCH'),
    onSuccess: () => client.invalidateQueries({ queryKey: ['me'] }),
  });
  const choices = [...new Set([...offered, ...(organization.keyLifetimeDays ? [organization.keyLifetimeDays] : [])])];
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <h2>{people.lifetime}</h2>
      <p className="muted">{people.lifetimeWords}</p>
      <div className="row">
        <span>
          <select
            aria-label={people.lifetime}
            value={days ?? ''}
            onChange={({ target }) => setDays(target.value === '' ? null : Number(target.value))}
          >
            <option value="">{people.unlimited}</option>
            {choices
              .sort((one, other) => one - other)
              .map((count) => (
                <option key={count} value={count}>
                  {people.days(count)}
                </option>
              ))}
          </select>
        </span>
        <button type="submit" disabled={saving.isPending || days === organization.keyLifetimeDays}>
          {people.save}
        </button>
        <span className="muted" role="status">
          {saving.isSuccess && states.saved(clock(new Date(saving.submittedAt).toISOString()).slice(0, 8))}
        </span>
      </div>
      {saving.error && <Failure error={saving.error} again={() => saving.mutate()} />}
    </form>
  );
}
