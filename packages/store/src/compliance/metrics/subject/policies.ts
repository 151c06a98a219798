import { daysAgo } from '../clause/days-ago.ts';
import type { Relation } from '../relation.ts';

/**
 * Policies that are enabled, how lately they were scanned, and how long the matches of critical ones lie. A scan that failed has looked at nothing, but it
 * reports the severity of its policy.
 * Matches lie unresolved since the first scan after the last one that found none or saw them handled. Of a policy that was never scanned it is unknown.
 */
export const policies: Relation = {
  with: `
  with policy as (
    select record_id as id, facts ->> 'severity' as severity from models.compliance_record
     where tenant_id = $1 and kind = 'policy' and (facts ->> 'enabled')::boolean
  ), scan as (
    select policy_id, max(scanned_at) filter (where status <> 'error') as last_at, max(scanned_at) filter (where is_resolved) as clear_at,
           (array_agg(severity order by scanned_at desc, id desc))[1] as severity
      from models.policy_scan
     where tenant_id = $1 and scanned_at <= $2
     group by policy_id
  ), lying as (
    select policy_id, min(scanned_at) as since from models.policy_scan join scan s using (policy_id)
     where tenant_id = $1 and status <> 'error' and not is_resolved and scanned_at > coalesce(clear_at, '-infinity') and scanned_at <= $2
     group by policy_id
  ), judged as (
    select p.id, s.last_at, coalesce(s.last_at >= ${daysAgo(7)}, false) as is_scanned,
           coalesce(coalesce(p.severity, s.severity) = 'critical', true) as is_critical,
           coalesce(p.severity, s.severity) is not null as has_severity, l.since as open_since
      from policy p left join scan s on s.policy_id = p.id left join lying l on l.policy_id = p.id
  )`,
  from: 'judged p',
  subject: { type: 'policy', id: 'p.id' },
  rules: {
    'ops.policies.scan_freshness': {
      population: ['policies', 'true'],
      good: ['scanned', 'is_scanned'],
      reason: 'not_scanned_within_7d',
      since: 'last_at',
    },
    'ops.policies.critical_open': {
      population: ['criticalPolicies', 'is_critical'],
      reported: `last_at is not null and (has_severity or (open_since < ${daysAgo(30)}) is not true)`,
      bad: ['openOver30d', `open_since < ${daysAgo(30)}`],
      reason: 'matches_open_over_30d',
      since: 'open_since',
    },
  },
};
