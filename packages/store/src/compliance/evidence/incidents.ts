import { detectionResolvedAt } from '../document-members.ts';
import { aiDetections } from './ai-detections.ts';
import { agentActions } from './handling.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';
import { threats } from './threats.ts';

/**
 * What happened to AI systems in the window, as `incident`: threat events, detections and alerts, each with whether it was still open at the
 * window's end. A threat event is a moment: it is open while nothing stopped it, and nothing that was done about its agent has come to an end.
 * An alert stands once for each of its agents. Asks for `agent_name`.
 */
export function incidents(reading: EvidenceQuery): string[] {
  const { from, to } = bounds(reading);
  return [
    threats(reading),
    agentActions(reading),
    aiDetections(reading, `${detectionResolvedAt('r')} as resolved_at`),
    `handled as materialized (
    select distinct t.number from threat t join agent_action d on d.agent_id = t.agent_id
       and d.settled_at is not null and d.created_at between t.occurred_at and t.occurred_at + interval '30 days')`,
    `incident as (
    select case t.threat_type when 'alert' then 'alert' else 'threatEvent' end as kind, t.event_id || '/' || t.threat_type || '/' || coalesce(t.resource_id, '') as id, t.agent_id, t.occurred_at, t.discovered_at as stamp,
           t.outcome <> 'blocked' and coalesce(t.facts->>'riskState', '') not in ('remediated', 'dismissed', 'confirmedSafe')
             and h.number is null as is_open
      from threat t left join handled h on h.number = t.number
     where t.threat_type <> 'alert'
        or t.reported_by = 'record' and not exists (select from agent_alert a where a.id = t.event_id or t.facts->'relatedAlertIds' ? a.id)
    union all
    select 'detection', d.id, case when d.entity_type = 'agent' then coalesce(n.id, d.entity_id) end, d.opened_at, d.updated_at,
           ${isOpenDetection('d', to)}
      from ai_detection d left join agent_name n on d.entity_type = 'agent' and n.alias = models.lower_case(d.entity_id)
    union all
    select 'alert', a.id, a.agent_id, a.occurred_at, a.updated_at, case when a.resolved_at is null then a.status is distinct from 'resolved' else a.resolved_at > ${to} end
      from agent_alert a where a.occurred_at between ${from} and ${to})`,
  ];
}

/** Whether a row of `ai_detection` was open at the end of the window. */
export const isOpenDetection = (of: string, to: string): string => `coalesce(${of}.resolved_at > ${to}, true)`;
