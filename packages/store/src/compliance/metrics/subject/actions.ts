import { daysAgo } from '../clause/days-ago.ts';
import type { Relation } from '../relation.ts';

/**
 * Remediation: done in time, without failures, approved by a person where it cannot be undone, and confirmed. Simulations are not counted. An action
 * is open while the rung of any item is one that others follow. The time of its execution is that of its applied step; where no steps are reported,
 * the rung decides and the time is that of its creation.
 */
export const actions: Relation = {
  with: `
  with action as (
    select a.id, a.created_at, a.is_irreversible, a.rung, f."itemsTotal", f."failedCount", f."dueAt", a.settled_at::timestamptz as settled_at,
           a.rung in ('staged', 'approved', 'applied') as is_open,
           coalesce(step.applied_at, case when a.steps is null and a.rung in ('applied', 'confirmed', 'reverted') then a.created_at end) as applied_at,
           a.rung = 'confirmed' or coalesce(step.is_confirmed, false) as is_confirmed, step.approved_at
      from models.action a
     cross join lateral json_to_record(a.document::json) as f ("itemsTotal" bigint, "failedCount" bigint, "dueAt" timestamptz)
      left join lateral (
             select min(s.at) filter (where s.rung = 'applied') as applied_at, bool_or(s.rung = 'confirmed') as is_confirmed,
                    min(s.at) filter (where s.rung = 'approved' and s."byKind" = 'human' and s.by <> '') as approved_at
               from json_to_recordset(a.steps::json) as s (rung text, at timestamptz, by text, "byKind" text)) step on true
     where a.tenant_id = $1 and not a.is_simulated
  ), judged as (
    select a.*, "dueAt" between ${daysAgo(90)} and $2 as is_due,
           not is_open and settled_at <= "dueAt" as is_on_time,
           extract(epoch from settled_at - created_at) / 3600 as hours,
           created_at between ${daysAgo(90)} and $2 as is_recent,
           is_irreversible and applied_at between ${daysAgo(180)} and $2 as is_grave,
           applied_at between ${daysAgo(90)} and ${daysAgo(1)} as is_to_be_confirmed
      from action a
  )`,
  from: 'judged a',
  subject: { type: 'action', id: 'a.id' },
  rules: {
    'ops.remediation.on_time': {
      population: ['dueActions', 'is_due'],
      good: ['onTime', 'is_on_time'],
      figures: {
        medianHours: 'ceil(percentile_cont(0.5) within group (order by hours) filter (where is_due and not is_open))',
      },
      reason: 'not_settled_by_due_date',
      since: '"dueAt"',
      detail: { rung: 'rung' },
    },
    'ops.remediation.failures': {
      population: ['itemsTotal', 'is_recent'],
      units: '"itemsTotal"',
      bad: ['failedItems', '"failedCount" > 0'],
      badUnits: '"failedCount"',
      reason: 'items_failed',
      since: 'created_at',
      detail: { itemsTotal: '"itemsTotal"' },
    },
    'ops.remediation.overdue': {
      population: ['open', 'is_open'],
      bad: ['overdue', '"dueAt" < $2'],
      reason: 'overdue',
      since: '"dueAt"',
      detail: { rung: 'rung' },
    },
    'ops.remediation.human_approval': {
      population: ['irreversible', 'is_grave'],
      good: ['approved', 'approved_at <= applied_at'],
      reason: 'no_prior_human_approval',
      since: 'applied_at',
    },
    'ops.remediation.verified': {
      population: ['executed', 'is_to_be_confirmed'],
      good: ['confirmed', 'is_confirmed'],
      reason: 'not_confirmed',
      since: 'applied_at',
    },
  },
};
