import { Link } from '@tanstack/react-router';
import { actorName } from '../../actor-name.ts';
import type { AuditEvent } from '../../asked.ts';
import { Detail } from '../../parts/detail.tsx';
import type { AuditSearch } from '../../router.tsx';
import { useMe } from '../../shell.tsx';
import { visible } from '../playground/visible.ts';
import { changedMembers, memberName, shownValue } from './members.ts';
import { sentenceOf, type Telling } from './sentence.ts';

interface Given {
  readonly of: AuditEvent;
  readonly telling: Telling;
  readonly look: (next: AuditSearch) => void;
  readonly close: () => void;
}

/** One event: who, from where, and what was otherwise before. */
export function EventDetail({ of: event, telling, look, close }: Given) {
  const { words } = telling;
  const { audit } = words;
  const { person } = useMe();
  const facts: [string, string | null][] = [
    [audit.who, actorName(words, event.actor, event.actorName)],
    [audit.from, event.address],
    [audit.time, event.at],
    [audit.request, event.requestId],
    [audit.digest, event.sha256],
  ];
  return (
    <Detail label={audit.event(event.number)} close={close}>
      <h2>{audit.event(event.number)}</h2>
      <p>{sentenceOf(telling, event)}</p>
      <dl className="facts">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className="fact">
                <dt>{name}</dt>
                <dd className={name === audit.who ? undefined : 'mono'}>{visible(value)}</dd>
              </div>
            ),
        )}
      </dl>
      <Members of={event} telling={telling} />
      <details>
        <summary>{audit.asWritten}</summary>
        <div className="stack-tight">
          {(['before', 'after'] as const).map(
            (side) =>
              event[side] && (
                <div key={side} className="stack-tight">
                  <h3>{audit[side]}</h3>
                  <pre className="lines">
                    {JSON.stringify(event[side], null, 2).split('\n').map(visible).join('\n')}
                  </pre>
                </div>
              ),
          )}
        </div>
      </details>
      {person.role === 'admin' && (
        <div className="row">
          {event.subjectType === 'api_key' && (
            <Link className="button" to="/keys" search={{ key: event.subjectId }}>
              {audit.openKey}
            </Link>
          )}
          {event.subjectType === 'person' && (
            <Link className="button" to="/people">
              {audit.openPeople}
            </Link>
          )}
          <button type="button" onClick={() => look({ subject: event.subjectType, id: event.subjectId })}>
            {audit.ofSame}
          </button>
          <button type="button" onClick={() => look({ actor: event.actor })}>
            {audit.bySame}
          </button>
        </div>
      )}
    </Detail>
  );
}

/** What was otherwise; of what is new, what it is. */
function Members({ of: event, telling }: { of: AuditEvent; telling: Telling }) {
  const { words } = telling;
  const { audit } = words;
  const members = changedMembers(event);
  if (members.length === 0) return null;
  const isChange = event.before !== null && event.after !== null;
  const sides = isChange ? (['before', 'after'] as const) : ([event.after === null ? 'before' : 'after'] as const);
  return (
    <table className="tight small members">
      <caption className="hidden">{audit.changed}</caption>
      <thead>
        <tr>
          <th scope="col">{audit.member}</th>
          {sides.map((side) => (
            <th key={side} scope="col">
              {isChange ? audit[side] : audit.value}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr key={member}>
            <th scope="row" className="muted">
              {memberName(words, member)}
            </th>
            {sides.map((side) => (
              <td key={side}>{shownValue(telling, member, event[side]?.[member])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
