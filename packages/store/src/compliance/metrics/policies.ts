import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';

/** Policies that are enabled, how lately they were scanned, and how long the matches of critical ones lie. */
export function readPolicyMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return readFigures(client, policies, [tenantId, toIsoTime(nowMs)]);
}

/** A scan that failed has looked at nothing. Matches lie unresolved since the first scan after the last one that found none or saw them handled. */
const policies = `
  with policy as (
    select record_id as id, facts ->> 'severity' as severity from models.compliance_record
     where tenant_id = $1 and kind = 'policy' and (facts ->> 'enabled')::boolean
  ), scan as (
    select policy_id, max(scanned_at) as last_at, max(scanned_at) filter (where is_resolved) as clear_at,
           (array_agg(severity order by scanned_at desc, id desc))[1] as severity
      from models.policy_scan
     where tenant_id = $1 and status <> 'error' and scanned_at <= $2
     group by policy_id
  ), lying as (
    select policy_id, min(scanned_at) as since from models.policy_scan join scan s using (policy_id)
     where tenant_id = $1 and status <> 'error' and not is_resolved and scanned_at > coalesce(clear_at, '-infinity') and scanned_at <= $2
     group by policy_id
  ), judged as (
    select coalesce(s.last_at >= $2::timestamptz - interval '7 days', false) as is_scanned,
           coalesce(p.severity, s.severity) = 'critical' as is_critical, l.since as open_since
      from policy p left join scan s on s.policy_id = p.id left join lying l on l.policy_id = p.id
  )
  select count(*) as "ops.policies.scan_freshness/policies",
         count(*) filter (where is_scanned) as "ops.policies.scan_freshness/scanned",
         count(*) filter (where is_critical) as "ops.policies.critical_open/criticalPolicies",
         count(*) filter (where is_critical and open_since < $2::timestamptz - interval '30 days') as "ops.policies.critical_open/openOver30d"
    from judged`;
