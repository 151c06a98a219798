import { agentLifecycleEvents } from '@tenantscope/contract';
import { isLiveEvidence } from '../../resource/agent-evidence.ts';
import { agentNames } from './agent-queries.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface LifecycleEvent {
  eventId: string;
  externalEventId: string | null;
  occurredMs: number;
  discoveredMs: number;
  agentId: string | null;
  agentName: string | null;
  event: string;
  operation: string | null;
  actorId: string | null;
  actorName: string | null;
  actorType: string | null;
  source: string | null;
  details: unknown;
  result: string | null;
}

/** What became of agents in the window: from the log, and from separate records unless the log holds the same event. */
export function readLifecycleEvents(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<LifecycleEvent>> {
  return readSectionRows<LifecycleEvent>(
    reading,
    {
      parts: [agentNames(reading), lifecycle(reading)],
      rows: `select e.event_id as "eventId", e.event, e.agent_id as "agentId", ${epochMilliseconds('e.occurred_at')} as "occurredMs",
                    ${epochMilliseconds('e.discovered_at')} as "discoveredMs", e.agent_name as "agentName", e.facts from lifecycle e`,
      columns: [
        `p.facts->>'externalEventId' as "externalEventId"`,
        `p.facts->>'operation' as operation`,
        `${actorId} as "actorId"`,
        `coalesce(p.facts#>>'{actor,name}', p.facts->>'actorName', u.facts->>'displayName') as "actorName"`,
        // Separate records name the actor but seldom its type.
        `coalesce(p.facts#>>'{actor,type}', p.facts->>'actorType', case when u.facts->'isExternal' = 'true' then 'guest' when u.id is not null then 'user' end) as "actorType"`,
        `p.facts->>'source' as source`,
        `p.facts->'details' as details`,
        `p.facts->>'result' as result`,
      ],
      joins: [
        `left join (select e.id, e.facts from models.entity_fact e where e.tenant_id = ${bounds(reading).tenant} and e.kind = 'user') u on u.id = ${actorId}`,
      ],
      order: [
        { column: 'occurredMs', type: 'time' },
        { column: 'eventId', type: 'text' },
        { column: 'event', type: 'text' },
        { column: 'agentId', type: 'text' },
      ],
    },
    page,
  );
}

const actorId = `coalesce(p.facts#>>'{actor,id}', p.facts->>'actorId')`;

/** The events of the window, once each. Asks for `agent_name`. */
export function lifecycle(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  const events = `(${agentLifecycleEvents.map((name) => `'${name}'`).join(', ')})`;
  return `logged as materialized (
    select l.log_id, l.occurred_at, l.discovered_at, coalesce(a.id, l.facts->>'agentId', l.agent_id) as agent_id,
           coalesce(l.facts->>'agentName', a.name) as agent_name, l.facts->>'event' as event, l.facts
      from models.log_fact l left join agent_name a on a.alias = lower(coalesce(l.agent_id, l.facts->>'agentId'))
     where l.tenant_id = ${tenant} and l.kind = 'agentLifecycle' and l.discovered_at <= ${storedThrough} and l.facts->>'event' in ${events}),
  reported as materialized (
    select r.record_id, r.happened_at, r.updated_at, coalesce(a.id, r.agent_id) as agent_id,
           coalesce(r.facts->>'agentName', a.name) as agent_name, r.facts->>'event' as event, r.facts
      from models.agent_evidence r left join agent_name a on a.alias = lower(r.agent_id)
     where r.tenant_id = ${tenant} and r.kind = 'agentLifecycle' and r.happened_at between ${from} and ${to}
       and r.updated_at <= ${storedThrough} and ${isLiveEvidence}),
  lifecycle as materialized (
    select l.log_id::text as event_id, l.occurred_at, l.discovered_at, l.agent_id, l.agent_name, l.event, l.facts
      from logged l where l.occurred_at between ${from} and ${to}
    union all
    select t.record_id, t.happened_at, t.updated_at, t.agent_id, t.agent_name, t.event, t.facts
      from reported t
     where not exists (select from logged l where l.log_id::text = lower(t.facts->>'logId'))
       and not exists (select from logged l where l.facts->>'externalEventId' = coalesce(t.facts->>'externalEventId', t.record_id) and l.event = t.event)
       and not exists (select from logged l where l.agent_id = t.agent_id and l.event = t.event and l.occurred_at = t.happened_at))`;
}
