import { detectionLastSeenAt, detectionResolvedAt } from '../document-members.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds, wasFirstSeen } from './section-rows.ts';

/**
 * What was done about agents and what was noticed of them up to the end of the window, as `agent_action` and `agent_detection`. Asks for
 * `agent_name`. Actions that changed nothing, simulated or rejected, are no handling.
 */
export function handling(reading: EvidenceQuery): string[] {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return [
    `agent_action as materialized (
    select r.id, coalesce(a.id, r.resource_id) as agent_id, r.created_at, r.updated_at, case when r.settled_at::timestamptz <= ${to} then r.settled_at::timestamptz(3) end as settled_at
      from models.action r left join agent_name a on a.alias = models.lower_case(r.resource_id)
     where r.tenant_id = ${tenant} and r.resource_type = 'agent' and not r.is_simulated and r.rung <> 'rejected'
       and r.created_at between ${from} and ${to} and ${wasFirstSeen(storedThrough)})`,
    `agent_detection as materialized (
    select r.id, coalesce(a.id, r.entity_id) as agent_id, r.opened_at, ${detectionLastSeenAt('r')}::timestamptz(3) as last_seen_at,
           case when t.resolved_at <= ${to} then t.resolved_at::timestamptz(3) end as resolved_at
      from models.detection r
     cross join lateral (select ${detectionResolvedAt('r')} as resolved_at) t
      left join agent_name a on a.alias = models.lower_case(r.entity_id)
     where r.tenant_id = ${tenant} and r.entity_type = 'agent' and r.opened_at <= ${to} and ${wasFirstSeen(storedThrough)})`,
  ];
}
