import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';

/** Alerts of the vendor's security platform: looked at, closed, and none left lying. */
export function readAlertMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return readFigures(client, alerts, [tenantId, toIsoTime(nowMs)]);
}

// When an alert was closed stands in its document alone, before what its provider sent, which may be no JSON that the server reads.
const resolvedAt = `substring(split_part(detail, ',"rawData":', 1) from '"resolvedDateTime":"([^"]+)"')::timestamptz`;

/**
 * An alert was taken up at the latest when we were told so, or before: by the time of its being resolved, or of a last change that left it other
 * than new. So what was imported later is not held to have lain until then.
 */
const alerts = `
  with high as (
    select a.*, a.created_at between $2::timestamptz - interval '30 days' and $2::timestamptz - interval '1 day' as is_triage_due,
           a.created_at between $2::timestamptz - interval '60 days' and $2::timestamptz - interval '7 days' as is_resolution_due,
           a.is_resolved is distinct from true as is_open, ${resolvedAt} as resolved_at
      from models.security_alert a
     where a.tenant_id = $1 and a.severity in ('high', 'critical')
  ), judged as (
    select h.*, is_resolution_due and is_resolved and resolved_at - created_at <= interval '7 days' as is_resolved_in_time,
           least(first_triaged_at, resolved_at,
                 case when status in ('inProgress', 'resolved') then (document::json ->> 'lastUpdateDateTime')::timestamptz end) as taken_up_at
      from high h
  )
  select count(*) filter (where is_triage_due) as "ops.alerts.triage_24h/highAlerts",
         count(*) filter (where is_triage_due and taken_up_at <= created_at + interval '24 hours') as "ops.alerts.triage_24h/triaged",
         count(*) filter (where is_resolution_due) as "ops.alerts.resolution_7d/highAlerts",
         count(*) filter (where is_resolved_in_time) as "ops.alerts.resolution_7d/resolved",
         count(*) filter (where is_open) as "ops.alerts.backlog/openHigh",
         count(*) filter (where is_open and created_at < $2::timestamptz - interval '7 days') as "ops.alerts.backlog/older7d"
    from judged`;
