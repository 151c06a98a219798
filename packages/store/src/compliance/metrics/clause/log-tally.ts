import { droppedBefore } from '../../../resource/log-retention.ts';
import { daysAgo } from './days-ago.ts';

/**
 * What was counted when rows of the log were written, as SQL for statements whose first values are the tenant and the time of measurement; see
 * `packages/store/src/ingest/row/log-tallies.ts` for the keys of each tally.
 *
 * A period of 30 days begins with the hour, or for tallies of days with the day, of the instant 30 days ago. Rows ahead of our clock are
 * counted from their own time on, so that the end of a period is exact.
 */
export type TallyName =
  | 'arrival'
  | 'lag'
  | 'activity'
  | 'application'
  | 'actor_tally'
  | 'interaction'
  | 'assistant'
  | 'lifecycle'
  | 'read'
  | 'file'
  | 'incident'
  | 'user'
  | 'interaction_fact';

const origin = `timestamptz '2000-01-01 00:00Z'`;
export const beginHour = (time: string): string => `date_bin(interval '1 hour', ${time}, ${origin})`;
export const beginPeriod = (time: string, days: number): string =>
  `date_bin(interval '${days} days', ${time}, ${origin})`;
export const beginDay = (time: string): string => beginPeriod(time, 1);

/** Rows of a tally by hours, as `t`, of the last days. */
export const hourTallies = (name: TallyName, days: number): string =>
  `models.log_tally t where t.tenant_id = $1 and t.tally = '${name}' and t.at between ${beginHour(daysAgo(days))} and $2`;

/** Rows of a tally by days, as `t`, that have a row in the last days. */
export const dayTallies = (name: TallyName, days: number): string =>
  `models.log_tally t where t.tenant_id = $1 and t.tally = '${name}' and t.at between ${beginDay(daysAgo(days))} and $2
     and t.last_at >= ${daysAgo(days)}`;

/** Rows while what is older than some tallies is being counted for them. */
export const unfinishedBackfill = (...names: readonly TallyName[]): string =>
  `select from models.log_tally_backfill b where b.tally in (${names.map((name) => `'${name}'`).join(', ')}) and b.next_at is not null`;

/** Days of a period of tallies from which rules read the times of last rows, or single days. */
export const longPeriodDays = 32;

/** Rows of a tally by such periods, as `t`, that have a row in the last days. */
export const longTallies = (name: TallyName, days: number): string =>
  `models.log_tally t where t.tenant_id = $1 and t.tally = '${name}'
     and t.at between ${beginPeriod(daysAgo(days), longPeriodDays)} and $2 and t.last_at >= ${daysAgo(days)}`;

/**
 * How many rows of `t` meet a condition that all rows meet from some time on, given that the last one does. Of a row of the tally in which this time lies,
 * the most: exact for two rows, otherwise rounded up.
 */
export const countSince = (doesFirst: string, row = 't'): string =>
  `case when ${doesFirst} then ${row}.events else ${row}.events - 1 end`;

/** Hours in which rows were discovered since an instant, as `first_at, last_at`. Of the hour of the instant the last row stands for all. */
export const arrivalHours = (since: string): string => `
  select case when min(t.first_at) < ${since} then max(t.last_at) else min(t.first_at) end as first_at, least(max(t.last_at), $2) as last_at
    from models.log_tally t
   where t.tenant_id = $1 and t.tally = 'arrival' and t.at between ${beginHour(since)} and $2
   group by t.at having max(t.last_at) >= ${since} and min(t.first_at) <= $2`;

/** The stamp of the oldest row that is kept for a tenant; tallies are deleted some time after their rows. */
export const oldestArrival = (tenant: string): string => {
  const retained = `of_tenant.tenant_id = ${tenant} and of_tenant.tally = 'arrival'
    and of_tenant.at >= coalesce(${droppedBefore(tenant)}, '-infinity')`;
  return `(select min(t.first_at) from models.log_tally t
            where t.tenant_id = ${tenant} and t.tally = 'arrival'
              and t.at = (select of_tenant.at from models.log_tally of_tenant where ${retained} order by of_tenant.at limit 1))`;
};
