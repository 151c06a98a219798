import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { actorName } from '../actor-name.ts';
import { ask } from '../ask.ts';
import type { Audit as AuditAnswer, AuditEvent } from '../asked.ts';
import { useNames } from '../names.ts';
import { Asked } from '../parts/asked.tsx';
import { Time } from '../parts/time.tsx';
import type { AuditSearch } from '../router.tsx';
import { Head, useMe, useTenant } from '../shell.tsx';
import { useLanguage } from '../words/words.tsx';
import { Chain } from './audit/chain.tsx';
import { EventDetail } from './audit/event-detail.tsx';
import { Filters } from './audit/filters.tsx';
import { sentenceOf, type Telling } from './audit/sentence.ts';
import { visible } from './playground/visible.ts';

const dayMs = 86_400_000;
const defaultDays = 30;
const everyMs = 15_000;
const longAgo = '2020-01-01';
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Who did what? */
export function Audit() {
  const { words, language } = useLanguage();
  const { audit } = words;
  const { person, tenants } = useMe();
  const isAdmin = person.role === 'admin';
  const people = useNames(isAdmin);
  const search = useSearch({ from: '/frame/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const tenant = useTenant();
  const from = search.from ?? dateOf(Date.now() - defaultDays * dayMs);
  const to = search.to ?? dateOf(Date.now());
  const bounds = new URLSearchParams({ from: `${from}T00:00:00Z`, to: `${to}T23:59:59.999Z` });
  const asked = new URLSearchParams(bounds);
  const narrowing = {
    tenantId: tenant?.id,
    actor: search.actor,
    act: search.act,
    subjectType: search.subject,
    subjectId: search.id,
    cursor: search.cursor,
  };
  for (const [name, value] of Object.entries(narrowing)) if (value) asked.set(name, value);
  const listed = useQuery({
    queryKey: ['audit', asked.toString()],
    queryFn: ({ signal }) => ask<AuditAnswer>(`/audit?${asked}`, signal),
    placeholderData: (before) => before,
    // What is older does not change.
    refetchInterval: search.cursor ? false : everyMs,
  });
  const go = (next: AuditSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  /** What narrows the list begins it anew. */
  const look = (next: AuditSearch) => go({ ...noCursor, ...next });
  const telling: Telling = useMemo(
    () => ({ words, language, people, tenants: new Map(tenants.map(({ id, name }) => [id, name])) }),
    [words, language, people, tenants],
  );
  return (
    <>
      <Head title={words.screens.audit}>
        {isAdmin && person.hasEveryTenant && (
          <a className="button" href={`/console/api/audit/export?${bounds}`} download>
            {audit.export}
          </a>
        )}
      </Head>
      {!isAdmin && <p className="muted">{audit.own}</p>}
      <Filters search={search} from={from} to={to} isAdmin={isAdmin} telling={telling} look={look} />
      <Asked query={listed}>
        {({ events, nextCursor, head }) => {
          const open = events.find(({ number }) => number === search.event);
          return (
            <>
              {head && (
                <Chain
                  head={head}
                  show={(event) =>
                    look({ ...noFilter, from: longAgo, to: dateOf(Date.now()), cursor: String(event + 1), event })
                  }
                />
              )}
              <div className={open ? 'split split-open' : 'split'}>
                <Events events={events} telling={telling} chosen={search.event} show={(event) => go({ event })} />
                {open && <EventDetail of={open} telling={telling} look={look} close={() => go(noEvent)} />}
              </div>
              <div className="row">
                {search.cursor && (
                  <button type="button" onClick={() => go(noCursor)}>
                    {audit.newest}
                  </button>
                )}
                {nextCursor && (
                  <button type="button" onClick={() => go({ cursor: nextCursor, ...noEvent })}>
                    {audit.older}
                  </button>
                )}
              </div>
            </>
          );
        }}
      </Asked>
    </>
  );
}

const noEvent = { event: undefined } as unknown as AuditSearch;
const noCursor = { cursor: undefined, event: undefined } as unknown as AuditSearch;
const noFilter = { actor: undefined, act: undefined, subject: undefined, id: undefined } as unknown as AuditSearch;

interface EventsGiven {
  readonly events: readonly AuditEvent[];
  readonly telling: Telling;
  readonly chosen: number | undefined;
  readonly show: (number: number) => void;
}

function Events({ events, telling, chosen, show }: EventsGiven) {
  const { words } = telling;
  const { audit } = words;
  if (events.length === 0) return <p className="empty">{audit.none}</p>;
  return (
    <div className="scroll">
      <table className="cards tight audit">
        <caption className="hidden">{audit.table}</caption>
        <thead>
          <tr>
            <th scope="col">{audit.what}</th>
            <th scope="col">{audit.who}</th>
            <th scope="col">{audit.time}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.number} aria-current={event.number === chosen ? 'true' : undefined}>
              <th scope="row">
                <span className="named">
                  <button type="button" className="plain" onClick={() => show(event.number)}>
                    {sentenceOf(telling, event)}
                  </button>
                </span>
              </th>
              <td data-name={audit.who}>{visible(actorName(words, event.actor, event.actorName))}</td>
              <td data-name={audit.time}>
                <Time at={event.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
