import { Link } from '@tanstack/react-router';
import type { AuditEvent } from '../../../api/audit.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { formatActor } from '../../format-actor.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { DetailPanel } from '../../parts/detail-panel.tsx';
import type { AuditSearch } from './audit-search.ts';
import { changedFields, fieldLabel, formatFieldValue } from './changed-fields.ts';
import type { EventContext } from './event-context.ts';
import { summarizeEvent } from './event-summary.ts';

interface Props {
  readonly of: AuditEvent;
  readonly context: EventContext;
  readonly applyFilter: (next: AuditSearch) => void;
  readonly close: () => void;
}

/** One event: the actor, the source address, and what changed. */
export function EventDetail({ of: event, context, applyFilter, close }: Props) {
  const { labels } = context;
  const { audit } = labels;
  const { member } = useCurrentUser();
  const facts: [string, string | null][] = [
    [audit.actor, formatActor(labels, event.actor, event.actorName)],
    [audit.address, event.address],
    [audit.time, event.at],
    [audit.request, event.requestId],
    [audit.digest, event.sha256],
  ];
  return (
    <DetailPanel label={audit.event(event.number)} close={close}>
      <h2>{audit.event(event.number)}</h2>
      <p>{summarizeEvent(context, event)}</p>
      <dl className="facts">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className="fact">
                <dt>{name}</dt>
                <dd className={name === audit.actor ? undefined : 'mono'}>{escapeInvisible(value)}</dd>
              </div>
            ),
        )}
      </dl>
      <ChangedFieldTable of={event} context={context} />
      <details>
        <summary>{audit.rawRecord}</summary>
        <div className="stack-tight">
          {(['before', 'after'] as const).map(
            (side) =>
              event[side] && (
                <div key={side} className="stack-tight">
                  <h3>{audit[side]}</h3>
                  <pre className="lines">
                    {JSON.stringify(event[side], null, 2).split('\n').map(escapeInvisible).join('\n')}
                  </pre>
                </div>
              ),
          )}
        </div>
      </details>
      {member.role === 'admin' && (
        <div className="row">
          {event.subjectType === 'api_key' && (
            <Link className="button" to="/keys" search={{ key: event.subjectId }}>
              {audit.openKey}
            </Link>
          )}
          {event.subjectType === 'member' && (
            <Link className="button" to="/members">
              {audit.openMembers}
            </Link>
          )}
          <button type="button" onClick={() => applyFilter({ subject: event.subjectType, id: event.subjectId })}>
            {audit.sameTarget}
          </button>
          <button type="button" onClick={() => applyFilter({ actor: event.actor })}>
            {audit.sameActor}
          </button>
        </div>
      )}
    </DetailPanel>
  );
}

/** The fields that changed, before and after; of a new or removed object, its values. */
function ChangedFieldTable({ of: event, context }: { of: AuditEvent; context: EventContext }) {
  const { labels } = context;
  const { audit } = labels;
  const fields = changedFields(event);
  if (fields.length === 0) return null;
  const isChange = event.before !== null && event.after !== null;
  const sides = isChange ? (['before', 'after'] as const) : ([event.after === null ? 'before' : 'after'] as const);
  return (
    <table className="tight small members">
      <caption className="hidden">{audit.changed}</caption>
      <thead>
        <tr>
          <th scope="col">{audit.field}</th>
          {sides.map((side) => (
            <th key={side} scope="col">
              {isChange ? audit[side] : audit.value}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field}>
            <th scope="row" className="muted">
              {fieldLabel(labels, field)}
            </th>
            {sides.map((side) => (
              <td key={side}>{formatFieldValue(context, field, event[side]?.[field])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
