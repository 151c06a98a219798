import type pg from 'pg';
import { countRows, type Metrics, type MetricsQuery, readFigures, toIsoTime, toTimeText } from './figures.ts';
import { readLeavers } from './leavers.ts';
import { logDescription } from './log-subject.ts';
import type { Relation, Subject } from './relation.ts';
import { planWorkloads } from './workloads.ts';

/**
 * What the whole log says, never of its documents: activity of the last 30 days in one pass, and lateness of the last 7. Events may be told up to 48 hours ahead of our clock.
 */
export async function readLogMetrics(client: pg.ClientBase, query: MetricsQuery): Promise<Metrics> {
  return {
    ...(await readFigures(client, activity, await readActivityValues(client, query))),
    ...(await readFigures(client, lateness, [query.tenantId, toIsoTime(query.nowMs)])),
  };
}

async function readActivityValues(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<unknown[]> {
  const { names, ids, since } = await readLeavers(client, tenantId);
  const prefixes = planWorkloads.flatMap(([prefix, ...workloads]) => workloads.map(() => prefix));
  const workloads = planWorkloads.flatMap(([, ...workloads]) => workloads);
  return [tenantId, toIsoTime(nowMs), prefixes, workloads, names, ids, since];
}

const isOfUser = `l.actor_type in ('user', 'guest')`;
const isOfLeaver = `l.occurred_at > n.left_at + interval '24 hours' and l.outcome is distinct from 'failure'`;
/** Events of 30 days, of which the provider may report up to 48 hours ahead of our clock. */
const isRecent = `l.tenant_id = $1 and l.discovered_at between $2::timestamptz - interval '32 days' and $2
       and l.occurred_at between $2::timestamptz - interval '30 days' and $2`;
const leaverOf = (names: number) =>
  `unnest($${names}::text[], $${names + 1}::text[], $${names + 2}::timestamptz[]) as n (name, id, left_at) on n.name = lower(l.actor_id)`;

/**
 * Activity of a disabled account means that another person uses it or that a session stayed open; a failed attempt means that the block works.
 * An account disabled long ago belongs to the population while it is active: an empty population would be compliant.
 */
const activityCtes = `
  with seen as (
    select l.workload, n.id as leaver_id, count(*) filter (where l.occurred_at >= $2::timestamptz - interval '7 days') as of_week,
           ${countRows(isOfLeaver)} as of_leaver,
           ${countRows(`${isOfUser} and l.is_managed_device is not null`)} as classified,
           ${countRows(`${isOfUser} and not l.is_managed_device`)} as unmanaged,
           ${countRows(`${isOfUser} and l.is_managed_device is null`)} as unknown
      from models.audit_log l
      left join ${leaverOf(5)}
     where ${isRecent}
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
  )`;
const isSeen = 'workload in (select lower(workload) from seen where of_week > 0)';

const activity = `${activityCtes}, arriving as (
    select count(*) as expected, ${countRows(isSeen)} as seen from expected
  ), left_behind as (
    select count(distinct id) as accounts from unnest($6::text[], $7::timestamptz[]) as leaver (id, left_at)
     where left_at between $2::timestamptz - interval '365 days' and $2 or id in (select leaver_id from seen where of_leaver > 0)
  )
  select (select accounts from left_behind) as "iam.leavers.activity/disabledAccounts",
         coalesce(sum(of_leaver), 0) as "iam.leavers.activity/eventsAfterDisable",
         coalesce(sum(classified + unknown), 0) as "dev.unmanaged_access/events",
         coalesce(sum(unmanaged + unknown), 0) as "dev.unmanaged_access/unmanaged",
         coalesce(sum(unknown), 0) as "dev.unmanaged_access/unknown",
         (select expected from arriving) as "ops.logs.workload_coverage/expectedWorkloads",
         (select seen from arriving) as "ops.logs.workload_coverage/seenWorkloads",
         (select expected - seen from arriving) as "ops.logs.workload_coverage/missingWorkloads"
    from seen`;

const expectedWorkloads: Relation = {
  with: activityCtes,
  from: 'expected x',
  subject: { type: 'workload', id: 'x.workload' },
  isCountedElsewhere: true,
  values: readActivityValues,
  rules: {
    'ops.logs.workload_coverage': {
      population: ['expectedWorkloads', 'true'],
      good: ['seenWorkloads', isSeen],
      reason: 'no_events_7d',
    },
  },
};

/** Rows of the log in the order of the index of its pages: a page reads on from where the one before it ended. */
const logRow: Subject = {
  type: 'log',
  id: 'l.id',
  name: logDescription('l'),
  order: [
    { sql: 'l.discovered_at', type: 'timestamptz' },
    { sql: 'l.id', type: 'uuid' },
  ],
};

const leaverEvents: Relation = {
  with: '',
  from: `models.audit_log l join ${leaverOf(3)}`,
  subject: logRow,
  isCountedElsewhere: true,
  values: async (client, { tenantId, nowMs }) => {
    const { names, ids, since } = await readLeavers(client, tenantId);
    return [tenantId, toIsoTime(nowMs), names, ids, since];
  },
  rules: {
    'iam.leavers.activity': {
      population: [null, isRecent],
      bad: ['eventsAfterDisable', isOfLeaver],
      reason: 'active_after_disable',
      since: 'l.occurred_at',
      detail: { accountId: 'n.id', disabledAt: toTimeText('n.left_at'), action: 'l.action' },
    },
  },
};

const deviceEvents: Relation = {
  with: '',
  from: 'models.audit_log l',
  subject: logRow,
  isCountedElsewhere: true,
  rules: {
    'dev.unmanaged_access': {
      population: ['events', `${isRecent} and ${isOfUser}`],
      bad: ['unmanaged', 'not l.is_managed_device'],
      reported: 'l.is_managed_device is not null',
      reason: 'unmanaged_device',
      since: 'l.occurred_at',
      detail: { actorId: 'l.actor_id', deviceId: 'l.device_id', action: 'l.action' },
    },
  },
};

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
const outages: Relation = {
  with: `
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
    select began.at, began.ends_at from (select at, lead(ends_at) over (order by at) as ends_at from leap) began where ends_at - at > interval '4 hours'
  )`,
  from: 'outage o',
  subject: { type: 'outage', id: toTimeText('o.at'), order: [{ sql: 'o.at', type: 'timestamptz' }] },
  values: (_, { tenantId, nowMs, connectedAtMs }) => [tenantId, toIsoTime(nowMs), toIsoTime(connectedAtMs)],
  rules: {
    'ops.logs.failure_detected': {
      population: ['outages', 'true'],
      good: [
        'noticed',
        `exists (select from models.notification n
                  where n.tenant_id = $1 and n.source = 'ingestion' and n.decision = 'sent'
                    and n.created_at between o.at and o.at + interval '4 hours')`,
      ],
      reason: 'no_notification_within_4h',
      since: 'o.at',
      detail: { endedAt: toTimeText('o.ends_at') },
    },
  },
};

/** Events, workloads and outages of the log. */
export const logRelations: readonly Relation[] = [expectedWorkloads, leaverEvents, deviceEvents, outages];
