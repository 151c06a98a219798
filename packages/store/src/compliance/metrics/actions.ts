import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';

/** Remediation: done in time, without failures, approved by a person where it cannot be undone, and confirmed. */
export function readActionMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return readFigures(client, actions, [tenantId, toIsoTime(nowMs)]);
}

/**
 * A simulation remedies nothing and counts nowhere. An action is open while the rung of any item is one that others follow; it was executed when it
 * was applied, by its steps or, where they are not told, by its rung and since its creation.
 */
const actions = `
  with action as (
    select a.created_at, a.is_irreversible, a.rung, f."itemsTotal", f."failedCount", f."dueAt", a.settled_at::timestamptz as settled_at,
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
    select a.*, "dueAt" between $2::timestamptz - interval '90 days' and $2 as is_due,
           not is_open and settled_at <= "dueAt" as is_on_time,
           extract(epoch from settled_at - created_at) / 3600 as hours,
           created_at between $2::timestamptz - interval '90 days' and $2 as is_recent,
           is_irreversible and applied_at between $2::timestamptz - interval '180 days' and $2 as is_grave,
           applied_at between $2::timestamptz - interval '90 days' and $2::timestamptz - interval '1 day' as is_to_be_confirmed
      from action a
  )
  select count(*) filter (where is_due) as "ops.remediation.on_time/dueActions",
         count(*) filter (where is_due and is_on_time) as "ops.remediation.on_time/onTime",
         ceil(percentile_cont(0.5) within group (order by hours) filter (where is_due and not is_open)) as "ops.remediation.on_time/medianHours",
         coalesce(sum("itemsTotal") filter (where is_recent), 0) as "ops.remediation.failures/itemsTotal",
         coalesce(sum("failedCount") filter (where is_recent), 0) as "ops.remediation.failures/failedItems",
         count(*) filter (where is_open) as "ops.remediation.overdue/open",
         count(*) filter (where is_open and "dueAt" < $2) as "ops.remediation.overdue/overdue",
         count(*) filter (where is_grave) as "ops.remediation.human_approval/irreversible",
         count(*) filter (where is_grave and approved_at <= applied_at) as "ops.remediation.human_approval/approved",
         count(*) filter (where is_to_be_confirmed) as "ops.remediation.verified/executed",
         count(*) filter (where is_to_be_confirmed and is_confirmed) as "ops.remediation.verified/confirmed"
    from judged`;
