import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { listDeadLetters } from '../../api/dead-letters.ts';
import { call } from '../client/api-client.ts';
import { useCurrentUser, useTenant } from '../frame/current-user.ts';
import { ScreenHeader } from '../frame/screen-header.tsx';
import { useLabels } from '../labels/language.tsx';
import { PageButtons } from '../parts/page-buttons.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { DeadLetterActions } from './dead-letters/actions.tsx';
import { DeadLetterPanel } from './dead-letters/dead-letter-detail.tsx';
import { DeadLetterTable } from './dead-letters/dead-letter-table.tsx';
import type { DeadLettersSearchChange } from './dead-letters/dead-letters-search.ts';
import { Filters } from './dead-letters/filters.tsx';
import { ReasonTable } from './dead-letters/reason-table.tsx';

const everyMs = 5_000;

/** Dead letters by reason; administrators can view, replay and discard them. */
export function DeadLetters() {
  const { screens, deadLetters: labels } = useLabels();
  const { member } = useCurrentUser();
  const tenant = useTenant();
  const search = useSearch({ from: '/frame/feeds/dead-letters' });
  const navigate = useNavigate({ from: '/feeds/dead-letters' });
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const isAdmin = member.role === 'admin';
  const filters = {
    reason: search.reason,
    state: search.state,
    topic: search.topic,
    tenantId: tenant?.id,
    from: search.from && `${search.from}:00Z`,
    // The minute is inclusive.
    to: search.to && `${search.to}:59.999Z`,
    cursor: search.cursor,
  };
  const listed = useQuery({
    queryKey: ['dead-letters', filters],
    queryFn: ({ signal }) => call(listDeadLetters, filters, { signal }),
    refetchInterval: everyMs,
    placeholderData: (before) => before,
  });
  const updateSearch = (next: DeadLettersSearchChange) => {
    if (!('open' in next)) select(new Set());
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  };
  const applyFilter = (next: DeadLettersSearchChange) => updateSearch({ cursor: undefined, ...next });
  const isNarrowed = [search.reason, search.state, search.topic, search.from, search.to, tenant?.id].some(Boolean);
  return (
    <>
      <ScreenHeader title={screens.deadLetters}>
        <Link className="button" to="/feeds">
          {screens.feeds}
        </Link>
      </ScreenHeader>
      <QueryResult query={listed}>
        {({ reasons, topics, deadLetters, nextCursor, unavailableCells }) => (
          <>
            {unavailableCells.length > 0 && (
              <p className="note note-warn" role="status">
                ▲ {labels.unavailableCells(unavailableCells)}
              </p>
            )}
            <Filters search={search} topics={topics} applyFilter={applyFilter} />
            {reasons.length === 0 ? (
              <p className="empty">{isNarrowed || unavailableCells.length > 0 ? labels.noMatch : labels.empty}</p>
            ) : (
              <ReasonTable reasons={reasons} selected={search.reason} select={(reason) => applyFilter({ reason })} />
            )}
            {!isAdmin && reasons.length > 0 && <p className="muted">{labels.forAdmins}</p>}
            {/* The result stays visible after the last dead letter has left the list. */}
            {isAdmin && (
              <DeadLetterActions
                hasAny={deadLetters.length > 0}
                selected={deadLetters.filter(({ id }) => selected.has(id))}
              />
            )}
            {isAdmin && (deadLetters.length > 0 || search.open) && (
              // The previous page is inert until the requested one is loaded.
              <div className={search.open ? 'split split-open' : 'split'} inert={listed.isPlaceholderData}>
                <DeadLetterTable
                  deadLetters={deadLetters}
                  selected={selected}
                  select={select}
                  open={search.open}
                  show={(id) => updateSearch({ open: id })}
                />
                {search.open && (
                  <DeadLetterPanel
                    key={search.open}
                    id={search.open}
                    listed={deadLetters.find(({ id }) => id === search.open) ?? null}
                    close={() => updateSearch({ open: undefined })}
                  />
                )}
              </div>
            )}
            <PageButtons
              cursor={search.cursor}
              nextCursor={nextCursor}
              openPage={(cursor) => updateSearch({ cursor })}
            />
          </>
        )}
      </QueryResult>
    </>
  );
}
