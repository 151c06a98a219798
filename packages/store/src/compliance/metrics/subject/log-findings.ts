import { toTimeText } from '../../../connection/time-text.ts';
import { daysAgo } from '../clause/days-ago.ts';
import { leaverDays, leaverNames, readLeavers } from '../clause/leavers.ts';
import { isAmongIds, logDescription } from '../clause/log-subject.ts';
import { beginHour, hourTallies } from '../clause/log-tally.ts';
import { toIsoTime } from '../figures.ts';
import type { Relation, RowSelection, Subject } from '../relation.ts';

/**
 * Rows of the log that rules count by tallies. A tally has the times of its first and last row, and ids begin with the time of the row: so the identities
 * between these times lead to the rows, in the order of the findings, and a page reads as far as it is long. Sealed rows
 * are read by the hours in which they were discovered, with the blocks of these hours.
 *
 * @param tallies a table expression of `first_at, last_at, events`, each of rows that are findings
 * @param isOfRule a condition over the row `of_id`
 */
const rowsOfTallies = (tallies: string, { after: [after] = [], ids }: RowSelection, isOfRule = 'true'): string => `
  (select lower(r) as from_at, upper(r) as to_at
     from (select range_agg(r) as ranges
             from (${tallies}) t
            cross join lateral (
                   select tstzrange(t.first_at, case when t.events > 2 then t.last_at else t.first_at end, '[]') as r
                    union all select tstzrange(t.last_at, t.last_at, '[]')) seen) merged
    cross join lateral unnest(merged.ranges) r
    order by lower(r)) s
 cross join lateral (
   with of_time as materialized (
     select id, discovered_at from models.log_identity
      where tenant_id = $1 and id >= ${after ? `greatest(models.first_id_at(s.from_at), ${after})` : 'models.first_id_at(s.from_at)'}
        and id < models.first_id_at(s.to_at + interval '1 ms')${ids ? ` and ${isAmongIds('id', ids)}` : ''})
   select ${rowColumns}, ${logDescription('of_id')} as description
     from of_time cross join lateral (select * from models.audit_log stored
                                       where stored.tenant_id = $1 and stored.discovered_at = of_time.discovered_at and stored.id = of_time.id limit 1) of_id
    where ${isOfRule}
    union all
   select ${rowColumns}, of_id.description::json #>> '{}'
     from (select min(discovered_at) as from_at, max(discovered_at) as to_at from of_time
            where discovered_at < (select sealed_before from models.retention where feed = 'logs')
            group by date_bin(interval '1 hour', discovered_at, timestamptz '2000-01-01 00:00Z')) sealed
    cross join lateral models.sealed_log_rows($1, sealed.from_at, sealed.to_at) of_id
    where of_id.id in (select id from of_time) and ${isOfRule}) l`;

const rowColumns = [
  'id',
  'occurred_at',
  'action',
  'outcome',
  'actor_id',
  'actor_type',
  'device_id',
  'is_managed_device',
]
  .map((column) => `of_id.${column}`)
  .join(', ');

const logRow: Subject = {
  type: 'log',
  id: 'l.id',
  name: 'l.description',
  order: [{ sql: 'l.id', type: 'uuid' }],
  presorted: 's.from_at',
};

const isRecent = (since: string) => `l.occurred_at between ${since} and $2`;

const leaverEvents: Relation = {
  with: '',
  from: (selection) => `${rowsOfTallies(
    `select greatest(d.first_at, t.left_at, ${daysAgo(30)}) as first_at, d.last_at,
            case when d.first_at > t.left_at then d.events else 3 end as events
       from ${leaverDays(3)}`,
    selection,
    'models.lower_case(of_id.actor_id) = any ($3::text[])',
  )}
 cross join lateral (select * from ${leaverNames(3)} where n.name = models.lower_case(l.actor_id) limit 1) n`,
  subject: logRow,
  isCountedElsewhere: true,
  values: async (client, { tenantId, nowMs }) => {
    const { names, ids, since } = await readLeavers(client, tenantId);
    return [tenantId, toIsoTime(nowMs), names, ids, since];
  },
  rules: {
    'iam.leavers.activity': {
      population: [null, isRecent(daysAgo(30))],
      bad: [
        'eventsAfterDisable',
        `l.occurred_at > n.left_at + interval '24 hours' and l.outcome is distinct from 'failure'`,
      ],
      reason: 'active_after_disable',
      since: 'l.occurred_at',
      detail: { accountId: 'n.id', disabledAt: toTimeText('n.left_at'), action: 'l.action' },
    },
  },
};

/** Of the population only rows that are no evidence of a managed device. */
const deviceEvents: Relation = {
  with: '',
  from: (selection) =>
    rowsOfTallies(
      `select t.first_at, t.last_at, t.events from ${hourTallies('activity', 30)} and t.flags in ('user unmanaged', 'user')`,
      selection,
    ),
  subject: logRow,
  isCountedElsewhere: true,
  eventCount: `select sum(t.events) from ${hourTallies('activity', 30)}`,
  rules: {
    'dev.unmanaged_access': {
      population: ['events', `${isRecent(beginHour(daysAgo(30)))} and l.actor_type in ('user', 'guest')`],
      bad: ['unmanaged', 'not l.is_managed_device'],
      reported: 'l.is_managed_device is not null',
      reason: 'unmanaged_device',
      since: 'l.occurred_at',
      detail: { actorId: 'l.actor_id', deviceId: 'l.device_id', action: 'l.action' },
    },
  },
};

/** Activity of leavers and from unmanaged devices. */
export const logFindings: readonly Relation[] = [leaverEvents, deviceEvents];
