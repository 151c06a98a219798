import { handling } from './handling.ts';
import { agentNames } from './known-agents.ts';
import type { EvidencePage, EvidenceReading, OrderedRows } from './ordered.ts';
import { bounds, msOf, readSectionRows } from './section-rows.ts';
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
  relatedAlertIds: readonly string[];
  actionId: string | null;
  detectionId: string | null;
  handledMs: number | null;
}

/** Threats to AI systems in the window, what vendors' alerts say about them, and what was done. Nothing of what anybody wrote to an agent. */
export function readThreatEvents(reading: EvidenceReading, page: EvidencePage): Promise<OrderedRows<ThreatEvent>> {
  const { tenant } = bounds(reading);
  return readSectionRows<ThreatEvent>(
    reading,
    {
      parts: [agentNames(reading), threats(reading), ...handling(reading)],
      rows: `select t.event_id as "eventId", ${msOf('t.occurred_at')} as "occurredMs", ${msOf('t.discovered_at')} as "discoveredMs", t.threat_type as "threatType",
                    t.resource_id as "resourceId", t.agent_id as "agentId", t.agent_name as "agentName", t.resource_name as "resourceName", t.outcome,
                    t.severity as "ownSeverity", t.occurred_at, t.discovered_at, t.log_id, t.facts, t.told_by from threat t`,
      columns: [
        `p.facts->>'appHost' as "appHost"`,
        `case when p.told_by = 'risk' then null else coalesce(p.facts#>>'{actor,id}', p.facts->>'actorId') end as "actorId"`,
        `coalesce(p.facts#>>'{actor,name}', p.facts->>'actorName') as "actorName"`,
        `coalesce(p.facts#>>'{actor,type}', p.facts->>'actorType') as "actorType"`,
        `coalesce(p."ownSeverity", p.facts->>'severity', row.severity) as severity`,
        `coalesce(p.facts->>'threadId', p.facts->>'interactionId') as "interactionId"`,
        'related."relatedAlertIds"',
        'done."actionId"',
        'watched."detectionId"',
        `coalesce(done."handledMs", ${msOf('related.resolved_at')}, watched."handledMs") as "handledMs"`,
      ],
      joins: [
        `left join models.audit_log row on row.tenant_id = ${tenant} and row.discovered_at = p.discovered_at and row.id = p.log_id`,
        // An alert covers what happened to its agent between its first activity and its last.
        `cross join lateral (
          select array(select distinct id collate "C" from (
                   select a.id from agent_alert a where a.agent_id = p."agentId" and p.occurred_at between a.occurred_at and a.last_at
                   union all select p."eventId" where p.told_by = 'alert'
                   union all select jsonb_array_elements_text(p.facts->'relatedAlertIds') where jsonb_typeof(p.facts->'relatedAlertIds') = 'array') alerts (id) order by 1) as "relatedAlertIds",
                 (select a.resolved_at from agent_alert a where p.told_by = 'alert' and a.id = p."eventId" and a.resolved_at <= ${bounds(reading).to} limit 1) as resolved_at) related`,
        `left join lateral (select d.id as "actionId", ${msOf('d.settled_at')} as "handledMs" from agent_action d
           where d.agent_id = p."agentId" and d.created_at between p.occurred_at and p.occurred_at + interval '30 days'
           order by d.created_at, d.id limit 1) done on true`,
        `left join lateral (select d.id as "detectionId", ${msOf('d.resolved_at')} as "handledMs" from agent_detection d
           where d.agent_id = p."agentId" and p.occurred_at between d.opened_at and d.last_seen_at order by d.opened_at, d.id limit 1) watched on true`,
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
