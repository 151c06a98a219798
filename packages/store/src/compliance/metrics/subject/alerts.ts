import { daysAgo } from '../clause/days-ago.ts';
import type { Relation } from '../relation.ts';

const hasSeverity = `coalesce(severity, 'unknown') <> 'unknown'`;

/**
 * Alerts of the vendor's security platform: triage, resolution and backlog. An alert was triaged at the earliest of three times: the first report of a
 * triaged state, its resolution, and its last change if that left it other than new. An alert that was imported late is therefore not late itself.
 */
export const alerts: Relation = {
  with: `
  with high as (
    select id, severity, status, opened_at as created_at, is_resolved, resolved_at, taken_up_at,
           opened_at between ${daysAgo(30)} and ${daysAgo(1)} as is_triage_due,
           opened_at between ${daysAgo(60)} and ${daysAgo(7)} as is_resolution_due,
           is_resolved is distinct from true as is_open
      from models.incident_fact
     where tenant_id = $1 and kind = 'securityAlert' and coalesce(severity, 'unknown') in ('high', 'critical', 'unknown')
  ), judged as (
    select h.*, is_resolution_due and is_resolved and resolved_at - created_at <= interval '7 days' as is_resolved_in_time from high h
  )`,
  from: 'judged a',
  subject: { type: 'securityAlert', id: 'a.id' },
  rules: {
    'ops.alerts.triage_24h': {
      population: ['highAlerts', 'is_triage_due'],
      reported: hasSeverity,
      good: ['triaged', "taken_up_at <= created_at + interval '24 hours'"],
      reason: 'not_triaged_within_24h',
      since: 'created_at',
      detail: { severity: 'severity', status: 'status' },
    },
    'ops.alerts.resolution_7d': {
      population: ['highAlerts', 'is_resolution_due'],
      reported: hasSeverity,
      good: ['resolved', 'is_resolved_in_time'],
      reason: 'not_resolved_within_7d',
      since: 'created_at',
      detail: { severity: 'severity', status: 'status' },
    },
    'ops.alerts.backlog': {
      population: ['openHigh', 'is_open'],
      reported: `${hasSeverity} or created_at >= ${daysAgo(7)}`,
      bad: ['older7d', `created_at < ${daysAgo(7)}`],
      reason: 'open_over_7d',
      since: 'created_at',
      detail: { severity: 'severity', status: 'status' },
    },
  },
};
