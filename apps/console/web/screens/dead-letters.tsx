import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../ask.ts';
import type { Letters } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import type { LettersSearch } from '../router.tsx';
import { Head, useMe, useTenant } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { Acts } from './dead-letters/acts.tsx';
import { LetterDetail } from './dead-letters/letter-detail.tsx';
import { LetterTable } from './dead-letters/letter-table.tsx';
import { Reasons } from './dead-letters/reasons.tsx';

const everyMs = 5_000;
const states = ['parked', 'replayed', 'settled', 'discarded', 'all'] as const;

/** What could not be written down, why, and what becomes of it? */
export function DeadLetters() {
  const { screens, letters: words, audit } = useWords();
  const { person, tenants } = useMe();
  const search = useSearch({ from: '/frame/feeds/dead-letters' });
  const navigate = useNavigate({ from: '/feeds/dead-letters' });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const asked = new URLSearchParams();
  const named = { reason: search.reason, state: search.state, tenantId: useTenant()?.id, cursor: search.cursor };
  for (const [name, value] of Object.entries(named)) if (value) asked.set(name, value);
  const listed = useQuery({
    queryKey: ['letters', asked.toString()],
    queryFn: ({ signal }) => ask<Letters>(`/dead-letters?${asked}`, signal),
    refetchInterval: everyMs,
    placeholderData: (before) => before,
  });
  const look = (next: { readonly [name in keyof LettersSearch]: string | undefined }) => {
    if (!('letter' in next)) choose(new Set());
    void navigate({ search: (before) => ({ ...before, ...next }) as LettersSearch, replace: true });
  };
  const sift = (next: { readonly [name in keyof LettersSearch]: string | undefined }) =>
    look({ cursor: undefined, ...next });
  return (
    <>
      <Head title={screens.deadLetters}>
        <Link className="button" to="/feeds">
          {screens.feeds}
        </Link>
      </Head>
      <div className="row">
        <label className="field">
          <span>{words.state}</span>
          <select value={search.state ?? 'parked'} onChange={({ target }) => sift({ state: target.value })}>
            {states.map((state) => (
              <option key={state} value={state}>
                {words.states[state]}
              </option>
            ))}
          </select>
        </label>
        {tenants.length > 1 && (
          <label className="field">
            <span>{words.tenant}</span>
            <select value={search.tenant ?? ''} onChange={({ target }) => sift({ tenant: target.value || undefined })}>
              <option value="">{words.everyTenant}</option>
              {tenants.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Asked query={listed}>
        {({ reasons, letters, nextCursor }) => (
          <>
            {reasons.length === 0 ? (
              <p className="empty">{words.none}</p>
            ) : (
              <Reasons reasons={reasons} chosen={search.reason} choose={(reason) => sift({ reason })} />
            )}
            {/* What became of the last letter is shown when it has gone from the list, too. */}
            {person.role === 'admin' && (
              <Acts hasAny={letters.length > 0} chosen={letters.map(({ id }) => id).filter((id) => chosen.has(id))} />
            )}
            {letters.length > 0 && (
              <div className={search.letter ? 'split split-open' : 'split'}>
                <LetterTable
                  letters={letters}
                  chosen={chosen}
                  choose={choose}
                  open={search.letter}
                  show={(letter) => look({ letter })}
                />
                {search.letter && (
                  <LetterDetail
                    key={search.letter}
                    of={letters.find(({ id }) => id === search.letter) ?? null}
                    close={() => look({ letter: undefined })}
                  />
                )}
              </div>
            )}
            {nextCursor && (
              <div>
                <button type="button" onClick={() => look({ cursor: nextCursor })}>
                  {audit.older}
                </button>
              </div>
            )}
          </>
        )}
      </Asked>
    </>
  );
}
