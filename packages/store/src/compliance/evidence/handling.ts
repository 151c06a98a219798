import { detectionLastSeenAt, detectionResolvedAt } from '../document-members.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds, wasFirstSeen } from './section-rows.ts';

/** What was done about agents up to the end of the window, as `agent_action`. Requires `agent_name`. Actions that changed nothing, simulated or rejected, are no handling. */
export function agentActions(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return `agent_action as materialized (
    select r.id, coalesce(a.id, r.resource_id) as agent_id, r.created_at, r.updated_at, case when r.settled_at::timestamptz <= ${to} then r.settled_at::timestamptz(3) end as settled_at
      from models.action r left join agent_name a on a.alias = models.lower_case(r.resource_id)
     where r.tenant_id = ${tenant} and r.resource_type = 'agent' and not r.is_simulated and r.rung <> 'rejected'
       and r.created_at between ${from} and ${to} and ${wasFirstSeen(storedThrough)})`;
}

/**
 * SELECT of the episodes of agents of a `page` that were open at the time of one of its rows at the earliest. Requires `agent_name`. Their last times are in documents, which
 * are read once for each episode: of all 200,000 of a tenant that took 1.1 of 1.8 s.
 */
export function agentDetections(reading: EvidenceQuery): string {
  const { tenant, to, storedThrough } = bounds(reading);
  return `
    select r.id, coalesce(a.id, r.entity_id) as agent_id, r.opened_at, ${detectionLastSeenAt('r')}::timestamptz(3) as last_seen_at,
           case when t.resolved_at <= ${to} then t.resolved_at::timestamptz(3) end as resolved_at
      from models.detection r
     cross join lateral (select ${detectionResolvedAt('r')} as resolved_at) t
      left join agent_name a on a.alias = models.lower_case(r.entity_id)
     where r.tenant_id = ${tenant} and r.entity_type = 'agent' and r.opened_at <= (select max(occurred_at) from page) and ${wasFirstSeen(storedThrough)}
       and coalesce(a.id, r.entity_id) in (select "agentId" from page)
    offset 0`;
}
