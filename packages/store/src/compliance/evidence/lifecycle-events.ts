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
  const { tenant } = bounds(reading);
  return readSectionRows<LifecycleEvent>(
    reading,
    {
      parts: [agentNames(reading), lifecycle(reading)],
      rows: `select e.event_id as "eventId", e.event, e.agent_id as "agentId", ${epochMilliseconds('e.occurred_at')} as "occurredMs",
                    e.discovered_at, e.agent_name as "agentName", e.log_id, e.facts from lifecycle e`,
      columns: [
        `${epochMilliseconds('p.discovered_at')} as "discoveredMs"`,
        `recorded.facts->>'externalEventId' as "externalEventId"`,
        `recorded.facts->>'operation' as operation`,
        `${actorId} as "actorId"`,
        `coalesce(recorded.facts#>>'{actor,name}', recorded.facts->>'actorName', u.facts->>'displayName') as "actorName"`,
        // Separate records name the actor but seldom its type.
        `coalesce(recorded.facts#>>'{actor,type}', recorded.facts->>'actorType', case when u.facts->'isExternal' = 'true' then 'guest' when u.id is not null then 'user' end) as "actorType"`,
        `recorded.facts->>'source' as source`,
        `recorded.facts->'details' as details`,
        `recorded.facts->>'result' as result`,
      ],
      joins: [
        recordedFacts(reading, 'p'),
        `left join (select e.id, e.facts from models.entity_fact e where e.tenant_id = ${tenant} and e.kind = 'user') u on u.id = ${actorId}`,
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

const actorId = `coalesce(recorded.facts#>>'{actor,id}', recorded.facts->>'actorId')`;

/** The facts of an event `of` the part `lifecycle`, as `recorded`. */
export function recordedFacts(reading: EvidenceQuery, of: string): string {
  const { tenant } = bounds(reading);
  return `left join lateral (select l.facts from models.log_fact l where l.tenant_id = ${tenant} and l.log_id = ${of}.log_id and l.kind = 'agentLifecycle' limit 1) of_log on true
    cross join lateral (select coalesce(${of}.facts, of_log.facts) as facts) recorded`;
}

/** The events of the window, once each. Those of the log are without facts, which a page reads by `log_id`. Requires `agent_name`. */
export function lifecycle(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  const events = `(${agentLifecycleEvents.map((name) => `'${name}'`).join(', ')})`;
  return `logged as materialized (
    select l.log_id, l.occurred_at, l.discovered_at, coalesce(a.id, l.facts->>'agentId', l.agent_id) as agent_id,
           coalesce(l.facts->>'agentName', a.name) as agent_name, l.facts->>'event' as event, l.facts->>'externalEventId' as external_event_id
      from models.log_fact l left join agent_name a on a.alias = models.lower_case(coalesce(l.agent_id, l.facts->>'agentId'))
     where l.tenant_id = ${tenant} and l.kind = 'agentLifecycle' and l.discovered_at <= ${storedThrough} and l.facts->>'event' in ${events}),
  reported as materialized (
    select r.record_id, r.happened_at, r.updated_at, coalesce(a.id, r.agent_id) as agent_id,
           coalesce(r.facts->>'agentName', a.name) as agent_name, r.facts->>'event' as event, r.facts
      from models.agent_evidence r left join agent_name a on a.alias = models.lower_case(r.agent_id)
     where r.tenant_id = ${tenant} and r.kind = 'agentLifecycle' and r.happened_at between ${from} and ${to}
       and r.updated_at <= ${storedThrough} and ${isLiveEvidence}),
  lifecycle as materialized (
    select l.log_id::text as event_id, l.log_id, l.occurred_at, l.discovered_at, l.agent_id, l.agent_name, l.event, null::jsonb as facts
      from logged l where l.occurred_at between ${from} and ${to}
    union all
    select t.record_id, null, t.happened_at, t.updated_at, t.agent_id, t.agent_name, t.event, t.facts
      from reported t
     where not exists (select from logged l where l.log_id::text = lower(t.facts->>'logId'))
       and not exists (select from logged l where l.external_event_id = coalesce(t.facts->>'externalEventId', t.record_id) and l.event = t.event)
       and not exists (select from logged l where l.agent_id = t.agent_id and l.event = t.event and l.occurred_at = t.happened_at))`;
}
