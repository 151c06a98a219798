import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../ask.ts';
import type { Letters } from '../asked.ts';
import { useTenant } from '../frame/signed.ts';
import { Asked } from '../parts/asked.tsx';
import type { LettersSearch } from '../router.tsx';
import { Head, useMe } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { Acts } from './dead-letters/acts.tsx';
import { Filters } from './dead-letters/filters.tsx';
import { LetterDetail } from './dead-letters/letter-detail.tsx';
import { LetterTable } from './dead-letters/letter-table.tsx';
import { Reasons } from './dead-letters/reasons.tsx';

const everyMs = 5_000;
type Next = { readonly [name in keyof LettersSearch]: string | undefined };

/** What could not be written down, why, and what becomes of it? */
export function DeadLetters() {
  const { screens, letters: words, audit } = useWords();
  const { person } = useMe();
  const tenant = useTenant();
  const search = useSearch({ from: '/frame/feeds/dead-letters' });
  const navigate = useNavigate({ from: '/feeds/dead-letters' });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const isAdmin = person.role === 'admin';
  const asked = new URLSearchParams();
  const named = {
    reason: search.reason,
    state: search.state,
    topic: search.topic,
    tenantId: tenant?.id,
    from: search.from && `${search.from}:00Z`,
    // The minute it names is included.
    to: search.to && `${search.to}:59.999Z`,
    cursor: search.cursor,
  };
  for (const [name, value] of Object.entries(named)) if (value) asked.set(name, value);
  const listed = useQuery({
    queryKey: ['letters', asked.toString()],
    queryFn: ({ signal }) => ask<Letters>(`/dead-letters?${asked}`, signal),
    refetchInterval: everyMs,
    placeholderData: (before) => before,
  });
  const look = (next: Next) => {
    if (!('letter' in next)) choose(new Set());
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  };
  const sift = (next: Next) => look({ cursor: undefined, ...next });
  const isNarrowed = [search.reason, search.state, search.topic, search.from, search.to, tenant?.id].some(Boolean);
  return (
    <>
      <Head title={screens.deadLetters}>
        <Link className="button" to="/feeds">
          {screens.feeds}
        </Link>
      </Head>
      <Asked query={listed}>
        {({ reasons, topics, letters, nextCursor }) => (
          <>
            <Filters search={search} topics={topics} sift={sift} />
            {reasons.length === 0 ? (
              <p className="empty">{isNarrowed ? words.noneSuch : words.none}</p>
            ) : (
              <Reasons reasons={reasons} chosen={search.reason} choose={(reason) => sift({ reason })} />
            )}
            {!isAdmin && reasons.length > 0 && <p className="muted">{words.forAdmins}</p>}
            {/* What became of the last letter is shown when it has gone from the list, too. */}
            {isAdmin && <Acts hasAny={letters.length > 0} chosen={letters.filter(({ id }) => chosen.has(id))} />}
            {isAdmin && (letters.length > 0 || search.letter) && (
              // What is still to be replaced by what was asked for cannot be acted on.
              <div className={search.letter ? 'split split-open' : 'split'} inert={listed.isPlaceholderData}>
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
                    id={search.letter}
                    listed={letters.find(({ id }) => id === search.letter) ?? null}
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
