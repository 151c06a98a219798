import { agentNames } from './agent-queries.ts';
import { agentActions, agentDetections } from './handling.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';
import { threats } from './threats.ts';

export interface ThreatEvent {
  eventId: string;
  occurredMs: number;
  discoveredMs: number;
  agentId: string | null;
  agentName: string | null;
  appHost: string | null;
  actorId: string | null;
  actorName: string | null;
  actorType: string | null;
  threatType: string;
  resourceId: string | null;
  resourceName: string | null;
  outcome: string;
  severity: string | null;
  interactionId: string | null;
  relatedAlertIds: readonly string[] | null;
  actionId: string | null;
  detectionId: string | null;
  handledMs: number | null;
}

/** Threats to AI systems in the window, what vendors' alerts say about them, and what was done. Without the texts of prompts and responses. */
export function readThreatEvents(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<ThreatEvent>> {
  const { tenant, to } = bounds(reading);
  return readSectionRows<ThreatEvent>(
    reading,
    {
      parts: [agentNames(reading), threats(reading), agentActions(reading)],
      rows: `select t.event_id as "eventId", ${epochMilliseconds('t.occurred_at')} as "occurredMs", t.threat_type as "threatType",
                    t.resource_id as "resourceId", t.agent_id as "agentId", t.agent_name as "agentName", t.resource_name as "resourceName", t.outcome,
                    t.severity as "ownSeverity", t.occurred_at, t.discovered_at, t.log_id, t.facts, t.reported_by from threat t`,
      columns: [
        `${epochMilliseconds('p.discovered_at')} as "discoveredMs"`,
        `recorded.facts->>'appHost' as "appHost"`,
        `case when p.reported_by = 'risk' then null else coalesce(recorded.facts#>>'{actor,id}', recorded.facts->>'actorId') end as "actorId"`,
        `coalesce(recorded.facts#>>'{actor,name}', recorded.facts->>'actorName') as "actorName"`,
        `coalesce(recorded.facts#>>'{actor,type}', recorded.facts->>'actorType') as "actorType"`,
        `coalesce(p."ownSeverity", recorded.facts->>'severity') as severity`,
        `coalesce(recorded.facts->>'threadId', recorded.facts->>'interactionId') as "interactionId"`,
        'related."relatedAlertIds"',
        'done."actionId"',
        'watched."detectionId"',
        `coalesce(done."handledMs", ${epochMilliseconds('closed.resolved_at')}, watched."handledMs") as "handledMs"`,
      ],
      joins: [
        `left join lateral (select l.facts from models.log_fact l where l.tenant_id = ${tenant} and l.log_id = p.log_id and l.kind = 'aiInteraction' limit 1) logged on true`,
        'cross join lateral (select coalesce(p.facts, logged.facts) as facts) recorded',
        // An alert covers what happened to its agent between its first activity and its last.
        `left join (select reported.place, jsonb_agg(distinct reported.id) as "relatedAlertIds"
             from (select q.place, a.id from page q join agent_alert a on a.agent_id = q."agentId" and q.occurred_at between a.occurred_at and a.last_at
                   union all select q.place, q."eventId" from page q where q.reported_by = 'alert'
                   union all select q.place, jsonb_array_elements_text(q.facts->'relatedAlertIds') from page q where jsonb_typeof(q.facts->'relatedAlertIds') = 'array') reported
            group by reported.place) related on related.place = p.place`,
        `left join (select distinct on (q.place) q.place, a.resolved_at from page q join agent_alert a on q.reported_by = 'alert' and a.id = q."eventId" and a.resolved_at <= ${to}
            order by q.place) closed on closed.place = p.place`,
        `left join (select distinct on (q.place) q.place, d.id as "actionId", ${epochMilliseconds('d.settled_at')} as "handledMs"
             from page q join agent_action d on d.agent_id = q."agentId" and d.created_at between q.occurred_at and q.occurred_at + interval '30 days'
            order by q.place, d.created_at, d.id) done on done.place = p.place`,
        `left join (select distinct on (q.place) q.place, d.id as "detectionId", ${epochMilliseconds('d.resolved_at')} as "handledMs"
             from page q join (${agentDetections(reading)}) d on d.agent_id = q."agentId" and q.occurred_at between d.opened_at and d.last_seen_at
            order by q.place, d.opened_at, d.id) watched on watched.place = p.place`,
      ],
      order: [
        { column: 'occurredMs', type: 'time' },
        { column: 'eventId', type: 'text' },
        { column: 'threatType', type: 'text' },
        { column: 'resourceId', type: 'text' },
      ],
    },
    page,
  );
}
