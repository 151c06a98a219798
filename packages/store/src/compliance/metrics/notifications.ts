import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';

/** Which notifications were sent, which were not and why, and how soon after a severe finding. */
export async function readNotificationMetrics(
  client: pg.ClientBase,
  { tenantId, nowMs }: MetricsQuery,
): Promise<Metrics> {
  return {
    ...(await readFigures(client, decisions, [tenantId, toIsoTime(nowMs)])),
    ...(await readFigures(client, escalation, [tenantId, toIsoTime(nowMs)])),
  };
}

const decisions = `
  with decided as (
    select decision, created_at >= $2::timestamptz - interval '30 days' as is_recent,
           decision = 'suppressed' and coalesce(document::json ->> 'reason', '') ~ '\\S' as has_reason
      from models.notification
     where tenant_id = $1 and created_at between $2::timestamptz - interval '90 days' and $2
  )
  select count(*) filter (where is_recent and decision = 'sent') as "ops.notify.delivery/sent",
         count(*) filter (where is_recent and decision = 'failed') as "ops.notify.delivery/failed",
         count(*) filter (where is_recent and decision = 'suppressed') as "ops.notify.delivery/suppressed",
         count(*) filter (where decision = 'suppressed') as "ops.notify.suppression_explained/suppressed",
         count(*) filter (where has_reason) as "ops.notify.suppression_explained/withReason"
    from decided`;

/**
 * An episode counts as found when its first state reaches us, which is up to a window after it opened; an alert when its provider raises it.
 * Notifications refer to findings by id.
 */
const escalation = `
  with finding as (
    select 'detection' as kind, id, opened_at as from_at, coalesce(first_seen_at, updated_at) as found_at from models.detection
     where tenant_id = $1 and severity in ('high', 'critical') and level is distinct from 'informational'
     union all
    select 'alert', id, created_at, created_at from models.security_alert where tenant_id = $1 and severity in ('high', 'critical')
  ), recent as (
    select * from finding where found_at between $2::timestamptz - interval '30 days' and $2
  ), reported as (
    select resource_id, document::json ->> 'subjectId' as subject_id, created_at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between $2::timestamptz - interval '31 days' and $2
  ), notified as (
    select resource_id as id, created_at from reported union all select subject_id, created_at from reported
  ), reached as (
    select distinct f.kind, f.id from recent f join notified t on t.id = f.id
     where t.created_at between f.from_at and f.found_at + interval '60 minutes'
  )
  select (select count(*) from recent) as "ops.notify.escalation_1h/findings",
         (select count(*) from reached) as "ops.notify.escalation_1h/notified"`;
