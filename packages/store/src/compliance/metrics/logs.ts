import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';
import { readLeavers } from './leavers.ts';
import { planWorkloads } from './workloads.ts';

/**
 * What the whole log says, never of its documents: activity of the last 30 days in one pass, lateness of the last 7, and outages of 90 days,
 * which are found by leaps and cost the same whatever the log holds. Events may be told up to 48 hours ahead of our clock.
 */
export async function readLogMetrics(
  client: pg.ClientBase,
  { tenantId, nowMs, connectedAtMs }: MetricsQuery,
): Promise<Metrics> {
  const { names, ids, since } = await readLeavers(client, tenantId);
  const prefixes = planWorkloads.flatMap(([prefix, ...workloads]) => workloads.map(() => prefix));
  const workloads = planWorkloads.flatMap(([, ...workloads]) => workloads);
  return {
    ...(await readFigures(client, activity, [tenantId, toIsoTime(nowMs), prefixes, workloads, names, ids, since])),
    ...(await readFigures(client, lateness, [tenantId, toIsoTime(nowMs)])),
    ...(await readFigures(client, outages, [tenantId, toIsoTime(nowMs), toIsoTime(connectedAtMs)])),
  };
}

/**
 * Activity of a disabled account means that another person uses it or that a session stayed open; a failed attempt means that the block works.
 * An account disabled long ago belongs to the population while it is active: an empty population would be compliant.
 */
const activity = `
  with seen as (
    select l.workload, n.id as leaver_id, count(*) filter (where l.occurred_at >= $2::timestamptz - interval '7 days') as of_week,
           count(*) filter (where l.occurred_at > n.left_at + interval '24 hours' and l.outcome is distinct from 'failure') as of_leaver,
           count(*) filter (where is_of_user and l.is_managed_device is not null) as classified,
           count(*) filter (where is_of_user and not l.is_managed_device) as unmanaged,
           count(*) filter (where is_of_user and l.is_managed_device is null) as unknown
      from models.audit_log l
     cross join lateral (select l.actor_type in ('user', 'guest') as is_of_user) acting
      left join unnest($5::text[], $6::text[], $7::timestamptz[]) as n (name, id, left_at) on n.name = lower(l.actor_id)
     where l.tenant_id = $1 and l.discovered_at between $2::timestamptz - interval '32 days' and $2
       and l.occurred_at between $2::timestamptz - interval '30 days' and $2
     group by 1, 2
  ), bought as (
    select distinct lower(plan) as name from models.entity_fact e
     cross join lateral (
            select e.facts ->> 'skuPartNumber' as plan union all
            select coalesce(service ->> 'name', service #>> '{}') from jsonb_array_elements(e.facts -> 'servicePlans') service) of_license
     where e.tenant_id = $1 and e.kind = 'license' and not e.is_deleted
       and (e.facts ->> 'consumedUnits')::numeric > 0 and coalesce(e.facts ->> 'capabilityStatus', 'enabled') in ('enabled', 'warning')
  ), expected as (
    select distinct workload from bought join unnest($3::text[], $4::text[]) as promise (prefix, workload) on starts_with(name, prefix)
  ), arriving as (
    select count(*) as expected, count(*) filter (where workload in (select lower(workload) from seen where of_week > 0)) as seen from expected
  ), left_behind as (
    select count(distinct id) as accounts from unnest($6::text[], $7::timestamptz[]) as leaver (id, left_at)
     where left_at between $2::timestamptz - interval '365 days' and $2 or id in (select leaver_id from seen where of_leaver > 0)
  )
  select (select accounts from left_behind) as "iam.leavers.activity/disabledAccounts",
         coalesce(sum(of_leaver), 0) as "iam.leavers.activity/eventsAfterDisable",
         coalesce(sum(classified), 0) as "dev.unmanaged_access/events",
         coalesce(sum(unmanaged), 0) as "dev.unmanaged_access/unmanaged",
         coalesce(sum(unknown), 0) as "dev.unmanaged_access/unknown",
         (select expected from arriving) as "ops.logs.workload_coverage/expectedWorkloads",
         (select seen from arriving) as "ops.logs.workload_coverage/seenWorkloads",
         (select expected - seen from arriving) as "ops.logs.workload_coverage/missingWorkloads"
    from seen`;

// An event ahead of our clock arrived at once. Minutes are counted up.
const lateness = `
  with late as (
    select greatest(extract(epoch from discovered_at - occurred_at)::float8 / 60, 0) as minutes
      from models.audit_log
     where tenant_id = $1 and discovered_at between $2::timestamptz - interval '7 days' and $2
  )
  select count as "ops.logs.ingestion_lag/events", ceil(at[2]) as "ops.logs.ingestion_lag/p95LagMinutes", ceil(at[1]) as "ops.logs.ingestion_lag/p50LagMinutes"
    from (select count(*), percentile_cont(array[0.5, 0.95]) within group (order by minutes) as at from late) measured`;

/**
 * From one event we leap to the last one within 4 hours of it; where there is none an outage begins, which ends with the next event or lasts until
 * now. The window's start stands for an event before it: silence from there on is an outage too.
 */
const outages = `
  with recursive leap as (
    select greatest($2::timestamptz - interval '90 days', $3::timestamptz) as at, null::timestamptz as ends_at
     union all
    select coalesce(near.at, next.at, $2), case when near.at is null then coalesce(next.at, $2) end
      from leap
     cross join lateral (select max(discovered_at) as at from models.audit_log
                          where tenant_id = $1 and discovered_at > leap.at and discovered_at <= least(leap.at + interval '4 hours', $2)) near
     cross join lateral (select min(discovered_at) as at from models.audit_log
                          where near.at is null and tenant_id = $1 and discovered_at > leap.at + interval '4 hours' and discovered_at <= $2) next
     where leap.at < $2
  ), outage as (
    select began.at from (select at, lead(ends_at) over (order by at) as ends_at from leap) began where ends_at - at > interval '4 hours'
  )
  select count(*) as "ops.logs.failure_detected/outages",
         count(*) filter (where exists (select from models.notification n
                                         where n.tenant_id = $1 and n.source = 'ingestion' and n.decision = 'sent'
                                           and n.created_at between o.at and o.at + interval '4 hours')) as "ops.logs.failure_detected/noticed"
    from outage o`;
