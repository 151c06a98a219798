import { toTimeText } from '../../../connection/time-text.ts';
import { daysAgo } from '../clause/days-ago.ts';
import { leaverDays, readLeavers } from '../clause/leavers.ts';
import { arrivalHours, countSince, hourTallies } from '../clause/log-tally.ts';
import { planWorkloads } from '../clause/workloads.ts';
import { countRows, type MetricsQuery, type MetricsReader, readFigures, toIsoTime } from '../figures.ts';
import type { Relation } from '../relation.ts';
import { logFindings } from './log-findings.ts';

/**
 * What was counted of the whole log: activity of the last 30 days, and lateness of the last 7. Events may be told up to 48 hours ahead of our clock.
 */
export const logReaders: readonly MetricsReader[] = [
  async (client, { tenantId, nowMs }) => {
    const { names, ids, since } = await readLeavers(client, tenantId);
    return readFigures(client, leaverActivity, [tenantId, toIsoTime(nowMs), names, ids, since]);
  },
  (client, { tenantId, nowMs }) => readFigures(client, deviceStates, [tenantId, toIsoTime(nowMs)]),
  (client, query) => readFigures(client, workloadCoverage, listWorkloadValues(query)),
  (client, { tenantId, nowMs }) => readFigures(client, lateness, [tenantId, toIsoTime(nowMs)]),
];

function listWorkloadValues({ tenantId, nowMs }: MetricsQuery): unknown[] {
  const prefixes = planWorkloads.flatMap(([prefix, ...workloads]) => workloads.map(() => prefix));
  const workloads = planWorkloads.flatMap(([, ...workloads]) => workloads);
  return [tenantId, toIsoTime(nowMs), prefixes, workloads];
}

/**
 * Activity of a disabled account means that another person uses it or that a session stayed open; a failed attempt means that the block works.
 * An account disabled long ago belongs to the population while it is active: an empty population would be compliant.
 */
const leaverActivity = `
  with active as (
    select t.id, sum(${countSince(`d.first_at > t.left_at + interval '24 hours' and d.first_at >= ${daysAgo(30)}`, 'd')}) as events
      from ${leaverDays(3)}
     group by t.id
  )
  select (select count(distinct id) from unnest($4::text[], $5::timestamptz[]) as leaver (id, left_at)
           where left_at between ${daysAgo(365)} and $2 or id in (select id from active)) as "iam.leavers.activity/disabledAccounts",
         (select coalesce(sum(events), 0) from active) as "iam.leavers.activity/eventsAfterDisable"`;

const sumOf = (condition: string) => `coalesce(sum(t.events) filter (where ${condition}), 0)`;
const deviceStates = `
  select ${sumOf(`t.flags <> ''`)} as "dev.unmanaged_access/events",
         ${sumOf(`t.flags in ('user', 'user unmanaged')`)} as "dev.unmanaged_access/unmanaged",
         ${sumOf(`t.flags = 'user'`)} as "dev.unmanaged_access/unknown"
    from ${hourTallies('activity', 30)}`;

const workloadCtes = `
  with seen as (
    select distinct lower(t.subject) as workload from ${hourTallies('activity', 7)} and t.last_at >= ${daysAgo(7)}
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
const isSeen = 'workload in (select workload from seen)';

const workloadCoverage = `${workloadCtes}
  select count(*) as "ops.logs.workload_coverage/expectedWorkloads",
         ${countRows(isSeen)} as "ops.logs.workload_coverage/seenWorkloads",
         ${countRows(`not ${isSeen}`)} as "ops.logs.workload_coverage/missingWorkloads"
    from expected`;

const expectedWorkloads: Relation = {
  with: workloadCtes,
  from: 'expected x',
  subject: { type: 'workload', id: 'x.workload' },
  isCountedElsewhere: true,
  values: (_, query) => listWorkloadValues(query),
  rules: {
    'ops.logs.workload_coverage': {
      population: ['expectedWorkloads', 'true'],
      good: ['seenWorkloads', isSeen],
      reason: 'no_events_7d',
    },
  },
};

/** Minutes of each row are counted up, and so is the figure between two rows. A row ahead of our clock arrived at once. */
const lateness = `
  with late as (
    select t.subject::bigint as minutes, sum(t.events) as events from ${hourTallies('lag', 7)} group by 1
  ), ranked as (
    select minutes, sum(events) over (order by minutes) as through from late
  ), place as (
    select share, (share * (total - 1))::float8 as at, total
      from (select coalesce(max(through), 0)::float8 as total from ranked) counted, unnest(array[0.5, 0.95]::float8[]) share
  ), measured as (
    select share, total, low.minutes + (high.minutes - low.minutes) * (at - floor(at)) as minutes
      from place
     cross join lateral (select min(minutes) as minutes from ranked where through > floor(at)) low
     cross join lateral (select min(minutes) as minutes from ranked where through > ceil(at)) high
  )
  select max(total) as "ops.logs.ingestion_lag/events",
         ceil(max(minutes) filter (where share > 0.9)) as "ops.logs.ingestion_lag/p95LagMinutes",
         ceil(max(minutes) filter (where share < 0.9)) as "ops.logs.ingestion_lag/p50LagMinutes"
    from measured`;

/**
 * Silence of more than 4 hours between two rows, which are in two hours then. The window's start stands for a row before it: silence from there on
 * is an outage too, and so is silence until now.
 */
const outages: Relation = {
  with: `
  with start as (
    select greatest(${daysAgo(90)}, $3::timestamptz) as at
  ), hour as (${arrivalHours('(select at from start)')}
  ), silence as (
    select last_at as at, coalesce(lead(first_at) over (order by first_at), $2) as ends_at from hour
     union all
    select at, coalesce((select min(first_at) from hour), $2) from start
  ), outage as (
    select at, ends_at from silence where ends_at - at > interval '4 hours'
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
export const logRelations: readonly Relation[] = [expectedWorkloads, ...logFindings, outages];
