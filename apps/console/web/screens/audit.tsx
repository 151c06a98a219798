import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { dayMs } from '@tenantscope/contract/durations';
import { useMemo } from 'react';
import { type AuditEvent, listAuditEvents } from '../../api/audit.ts';
import { escapeInvisible } from '../../api/escape-invisible.ts';
import { call } from '../client/api-client.ts';
import { useMemberNames } from '../client/member-names.ts';
import { formatActor } from '../format-actor.ts';
import { useCurrentUser, useTenant } from '../frame/current-user.ts';
import { ScreenHeader } from '../frame/screen-header.tsx';
import { useLanguage } from '../labels/language.tsx';
import { PageButtons } from '../parts/page-buttons.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { Timestamp } from '../parts/time.tsx';
import type { AuditSearch } from './audit/audit-search.ts';
import { ChainStatus } from './audit/chain-status.tsx';
import type { EventContext } from './audit/event-context.ts';
import { EventDetail } from './audit/event-detail.tsx';
import { summarizeEvent } from './audit/event-summary.ts';
import { Filters } from './audit/filters.tsx';

const defaultDays = 30;
const everyMs = 15_000;
const longAgo = '2020-01-01';
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The audit log: who did what, and when. */
export function Audit() {
  const { labels, language } = useLanguage();
  const { audit } = labels;
  const { member, tenants } = useCurrentUser();
  const isAdmin = member.role === 'admin';
  const members = useMemberNames(isAdmin);
  const search = useSearch({ from: '/frame/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const tenant = useTenant();
  const from = search.from ?? dateOf(Date.now() - defaultDays * dayMs);
  const to = search.to ?? dateOf(Date.now());
  const bounds = { from: `${from}T00:00:00Z`, to: `${to}T23:59:59.999Z` };
  const filters = {
    ...bounds,
    tenantId: tenant?.id,
    actor: search.actor,
    action: search.action,
    subjectType: search.subject,
    subjectId: search.id,
    cursor: search.cursor,
  };
  const listed = useQuery({
    queryKey: ['audit', filters],
    queryFn: ({ signal }) => call(listAuditEvents, filters, { signal }),
    placeholderData: (before) => before,
    // Older pages do not change.
    refetchInterval: search.cursor ? false : everyMs,
  });
  const go = (next: AuditSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  /** A changed filter starts at the newest event. */
  const applyFilter = (next: AuditSearch) => go({ ...noCursor, ...next });
  const context: EventContext = useMemo(
    () => ({ labels, language, members, tenants: new Map(tenants.map(({ id, name }) => [id, name])) }),
    [labels, language, members, tenants],
  );
  return (
    <>
      <ScreenHeader title={labels.screens.audit}>
        {isAdmin && member.hasEveryTenant && (
          <a className="button" href={`/console/api/audit/export?${new URLSearchParams(bounds)}`} download>
            {audit.export}
          </a>
        )}
      </ScreenHeader>
      {!isAdmin && <p className="muted">{audit.ownOnly}</p>}
      <Filters search={search} from={from} to={to} isAdmin={isAdmin} context={context} applyFilter={applyFilter} />
      <QueryResult query={listed}>
        {({ events, nextCursor, head }) => {
          const open = events.find(({ number }) => number === search.event);
          return (
            <>
              {head && (
                <ChainStatus
                  head={head}
                  show={(event) =>
                    applyFilter({
                      ...noFilter,
                      from: longAgo,
                      to: dateOf(Date.now()),
                      cursor: String(event + 1),
                      event,
                    })
                  }
                />
              )}
              <div className={open ? 'split split-open' : 'split'}>
                <EventTable events={events} context={context} chosen={search.event} show={(event) => go({ event })} />
                {open && (
                  <EventDetail of={open} context={context} applyFilter={applyFilter} close={() => go(noEvent)} />
                )}
              </div>
              <PageButtons
                cursor={search.cursor}
                nextCursor={nextCursor}
                openPage={(cursor) => go({ ...noCursor, ...(cursor === undefined ? {} : { cursor }) })}
              />
            </>
          );
        }}
      </QueryResult>
    </>
  );
}

const noEvent = { event: undefined } as unknown as AuditSearch;
const noCursor = { cursor: undefined, event: undefined } as unknown as AuditSearch;
const noFilter = { actor: undefined, action: undefined, subject: undefined, id: undefined } as unknown as AuditSearch;

interface EventTableProps {
  readonly events: readonly AuditEvent[];
  readonly context: EventContext;
  readonly chosen: number | undefined;
  readonly show: (number: number) => void;
}

function EventTable({ events, context, chosen, show }: EventTableProps) {
  const { labels } = context;
  const { audit } = labels;
  if (events.length === 0) return <p className="empty">{audit.empty}</p>;
  return (
    <div className="scroll">
      <table className="cards tight audit">
        <caption className="hidden">{audit.table}</caption>
        <thead>
          <tr>
            <th scope="col">{audit.eventColumn}</th>
            <th scope="col">{audit.actor}</th>
            <th scope="col">{audit.time}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.number} aria-current={event.number === chosen ? 'true' : undefined}>
              <th scope="row">
                <span className="named">
                  <button type="button" className="plain" onClick={() => show(event.number)}>
                    {summarizeEvent(context, event)}
                  </button>
                </span>
              </th>
              <td data-name={audit.actor}>{escapeInvisible(formatActor(labels, event.actor, event.actorName))}</td>
              <td data-name={audit.time}>
                <Timestamp at={event.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
