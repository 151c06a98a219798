import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { actorName } from '../actor-name.ts';
import { ask } from '../ask.ts';
import type { Audit as AuditAnswer, AuditEvent } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { Detail } from '../parts/detail.tsx';
import { Failure } from '../parts/failure.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import type { AuditSearch } from '../router.tsx';
import { Head, useAct, useMe, useTenant } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { sentenceOf } from './audit/sentence.ts';

const dayMs = 86_400_000;
const defaultDays = 30;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Who did what? */
export function Audit() {
  const words = useWords();
  const { audit } = words;
  const { person } = useMe();
  const search = useSearch({ from: '/frame/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const from = search.from ?? dateOf(Date.now() - defaultDays * dayMs);
  const to = search.to ?? dateOf(Date.now());
  const bounds = new URLSearchParams({ from: `${from}T00:00:00Z`, to: `${to}T23:59:59.999Z` });
  const asked = new URLSearchParams(bounds);
  const tenant = useTenant();
  if (tenant) asked.set('tenantId', tenant.id);
  if (search.act) asked.set('act', search.act);
  if (search.cursor) asked.set('cursor', search.cursor);
  const listed = useQuery({
    queryKey: ['audit', asked.toString()],
    queryFn: ({ signal }) => ask<AuditAnswer>(`/audit?${asked}`, signal),
    placeholderData: (before) => before,
  });
  const look = (next: AuditSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  const isAdmin = person.role === 'admin';
  return (
    <>
      <Head title={words.screens.audit}>
        {isAdmin && (
          <a className="button" href={`/console/api/audit/export?${bounds}`} download>
            {audit.export}
          </a>
        )}
      </Head>
      {isAdmin ? <Verify /> : <p className="muted">{audit.own}</p>}
      <div className="row">
        <DateField name={audit.from} value={from} max={to} change={(value) => look({ from: value, ...noCursor })} />
        <DateField name={audit.to} value={to} min={from} change={(value) => look({ to: value, ...noCursor })} />
        <label className="field">
          <span>{audit.act}</span>
          <select value={search.act ?? ''} onChange={(event) => look({ act: event.target.value, ...noCursor })}>
            <option value="">{audit.everyAct}</option>
            {Object.entries(audit.acts)
              .filter(([act]) => act !== 'revoked')
              .map(([act, said]) => (
                <option key={act} value={act}>
                  {said}
                </option>
              ))}
          </select>
        </label>
      </div>
      <Asked query={listed}>
        {({ events, nextCursor }) => {
          const open = events.find(({ number }) => number === search.event);
          return (
            <>
              <div className={open ? 'split split-open' : 'split'}>
                <Events events={events} chosen={search.event} show={(event) => look({ event })} />
                {open && <Event of={open} close={() => look(noEvent)} />}
              </div>
              <div className="row">
                {search.cursor && (
                  <button type="button" onClick={() => look(noCursor)}>
                    {audit.newest}
                  </button>
                )}
                {nextCursor && (
                  <button type="button" onClick={() => look({ cursor: nextCursor })}>
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

function DateField({
  name,
  value,
  change,
  ...bounds
}: {
  name: string;
  value: string;
  min?: string;
  max?: string;
  change: (value: string) => void;
}) {
  return (
    <label className="field">
      <span>{name}</span>
      <input
        type="date"
        value={value}
        {...bounds}
        onChange={(event) => event.target.value && change(event.target.value)}
      />
    </label>
  );
}

const verifyTimeoutMs = 120_000;

/** Computes the chain anew, link by link. */
function Verify() {
  const { audit } = useWords();
  const verifying = useMutation({
    mutationFn: () => ask<{ through: number; brokenAt: number | null }>('/audit/verify', undefined, verifyTimeoutMs),
  });
  useAct('verify', () => verifying.mutate());
  return (
    <div className="row" role="status">
      <button type="button" disabled={verifying.isPending} onClick={() => verifying.mutate()}>
        {audit.verify}
      </button>
      {verifying.data &&
        (verifying.data.brokenAt === null ? (
          <Status standing="good">{audit.verified(verifying.data.through)}</Status>
        ) : (
          <Status standing="bad">{audit.broken(verifying.data.brokenAt)}</Status>
        ))}
      {verifying.error && <Failure error={verifying.error} />}
    </div>
  );
}

interface EventsGiven {
  readonly events: readonly AuditEvent[];
  readonly chosen: number | undefined;
  readonly show: (number: number) => void;
}

function Events({ events, chosen, show }: EventsGiven) {
  const words = useWords();
  const { audit } = words;
  if (events.length === 0) return <p className="empty">{audit.none}</p>;
  return (
    <div className="scroll">
      <table className="cards tight">
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
                    {sentenceOf(words, event)}
                  </button>
                </span>
              </th>
              <td data-name={audit.who}>{actorName(words, event.actor, event.actorName)}</td>
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

function Event({ of: event, close }: { of: AuditEvent; close: () => void }) {
  const words = useWords();
  const { audit } = words;
  const document = (said: string, row: AuditEvent['before']) =>
    row && (
      <div className="stack-tight">
        <h3>{said}</h3>
        <pre className="lines">{JSON.stringify(row, null, 2)}</pre>
      </div>
    );
  return (
    <Detail label={audit.event(event.number)} close={close}>
      <h2>{audit.event(event.number)}</h2>
      <p>{sentenceOf(words, event)}</p>
      <dl className="facts">
        <dt>{audit.who}</dt>
        <dd>{actorName(words, event.actor, event.actorName)}</dd>
        <dt>{audit.time}</dt>
        <dd className="mono">{event.at}</dd>
        {event.requestId && (
          <>
            <dt>{audit.request}</dt>
            <dd>
              <code>{event.requestId}</code>
            </dd>
          </>
        )}
        <dt>{audit.digest}</dt>
        <dd>
          <code>{event.sha256}</code>
        </dd>
      </dl>
      {document(audit.before, event.before)}
      {document(audit.after, event.after)}
    </Detail>
  );
}
