import { daysAgo } from '../clause/days-ago.ts';
import { countRows } from '../figures.ts';
import type { Relation } from '../relation.ts';

const decisions: Relation = {
  with: `
  with decided as (
    select id, created_at, channel, document::json ->> 'reason' as reason, decision, created_at >= ${daysAgo(30)} as is_recent,
           decision = 'suppressed' and coalesce(document::json ->> 'reason', '') ~ '\\S' as has_reason
      from models.notification
     where tenant_id = $1 and created_at between ${daysAgo(90)} and $2
  )`,
  from: 'decided d',
  subject: { type: 'notification', id: 'd.id' },
  rules: {
    'ops.notify.delivery': {
      population: ['sent', `is_recent and decision in ('sent', 'failed')`],
      bad: ['failed', `decision = 'failed'`],
      figures: {
        sent: countRows(`is_recent and decision = 'sent'`),
        suppressed: countRows(`is_recent and decision = 'suppressed'`),
      },
      reason: 'delivery_failed',
      since: 'created_at',
      detail: { channel: 'channel', reason: 'd.reason' },
    },
    'ops.notify.suppression_explained': {
      population: ['suppressed', `decision = 'suppressed'`],
      good: ['withReason', 'has_reason'],
      reason: 'no_reason_for_suppression',
      since: 'created_at',
      detail: { channel: 'channel' },
    },
  },
};

/**
 * An episode counts as found when its first state reaches us, which is up to a window after it opened; an alert when its provider raises it.
 * Findings of the last hour can still be notified in time. Notifications refer to findings by id.
 */
const escalation: Relation = {
  with: `
  with finding as (
    select kind, id, severity, opened_at as from_at, found_at from models.incident_fact
     where tenant_id = $1 and coalesce(severity, 'unknown') in ('high', 'critical', 'unknown') and level is distinct from 'informational'
       and found_at between ${daysAgo(30)} and $2::timestamptz - interval '60 minutes'
  ), reported as (
    select resource_id, document::json ->> 'subjectId' as subject_id, created_at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between (select min(from_at) from finding) and $2
  ), notified as (
    select resource_id as id, created_at from reported union all select subject_id, created_at from reported
  ), reached as (
    select distinct f.kind, f.id from finding f join notified t on t.id = f.id
     where t.created_at between f.from_at and f.found_at + interval '60 minutes'
  )`,
  from: 'finding f left join reached r on r.kind = f.kind and r.id = f.id',
  subject: {
    type: { sql: 'f.kind', among: ['detection', 'securityAlert'] },
    id: 'f.id',
    order: [
      { sql: 'f.id', type: 'text' },
      { sql: 'f.kind', type: 'text' },
    ],
  },
  rules: {
    'ops.notify.escalation_1h': {
      population: ['findings', 'true'],
      good: ['notified', 'r.id is not null'],
      reason: 'no_notification_within_1h',
      since: 'f.found_at',
      reported: `coalesce(f.severity, 'unknown') <> 'unknown'`,
      detail: { severity: 'f.severity' },
    },
  },
};

/** Which notifications were sent, which were not and why, and how soon after a severe finding. */
export const notificationRelations: readonly Relation[] = [decisions, escalation];
