import { dayMs } from '@tenantscope/contract';
import { daysAgo } from './days-ago.ts';
import { beginDay, beginPeriod, countSince, longPeriodDays } from './log-tally.ts';

/**
 * What actors did, in rows of 32 days, as SQL for statements whose first values are the tenant and the time of measurement; see
 * `packages/store/src/ingest/log/actor-tallies.ts`. A rule reads the last 30 days, which begin with the day of the instant 30 days ago.
 */
const since = daysAgo(30);

/** Rows that have an event in the last 30 days, as `t`. */
export const actorRows = `models.actor_tally t
     where t.tenant_id = $1 and t.at between ${beginPeriod(since, longPeriodDays)} and $2 and t.last_at >= ${since}`;

/** Days of a row `t` in the last 30 days that have an event in them: `first_at, last_at, events`. */
export const daysOfActorRow = `
  select first_at, last_at, events
    from (select day_at, day_at + d.first_ms * interval '1 ms' as first_at, day_at + d.last_ms * interval '1 ms' as last_at, d.events
            from unnest(t.counts, t.first_ms, t.last_ms) with ordinality as d (events, first_ms, last_ms, number)
           cross join lateral (select t.at + (d.number + array_lower(t.counts, 1) - 2) * interval '1 day' as day_at) begins
           where d.events is not null) d
   where d.day_at between ${beginDay(since)} and $2 and d.last_at >= ${since}`;

/** The day of the instant 30 days before the measurement: its number in its period, and the milliseconds of the instant in it. */
export function findFirstDay(nowMs: number): readonly [number: number, sinceMs: number] {
  const sinceMs = nowMs - 30 * dayMs - Date.UTC(2000, 0, 1);
  return [Math.floor((sinceMs % (longPeriodDays * dayMs)) / dayMs) + 1, sinceMs % dayMs];
}

/**
 * How many events of the last 30 days a row `t` counts, null for none; `$first` and the next value are those of `findFirstDay`. Most rows lie within these days. Of one that
 * begins before, elements are summed one by one: those of later days, or those of earlier ones if these are fewer. A subquery of the elements took 7 µs a row.
 */
export function countActorEvents(first: number): string {
  const [number, sinceMs] = [`$${first}::integer`, `$${first + 1}::integer`];
  const sum = (step: '+' | '-') =>
    Array.from(
      { length: longPeriodDays / 2 - 1 },
      (_, days) => `coalesce(t.counts[${number} ${step} ${days + 1}], 0)`,
    ).join(' + ');
  return `
    case when t.first_at >= ${since} and t.last_at <= $2 then t.events
         when t.last_at > $2 then (select sum(${countSince(`d.first_at >= ${since}`, 'd')}) from (${daysOfActorRow}) d)
         else case when ${number} > ${longPeriodDays / 2} then ${sum('+')} else t.events - (${sum('-')}) - coalesce(t.counts[${number}], 0) end
              + case when t.last_ms[${number}] >= ${sinceMs}
                     then t.counts[${number}] - case when t.first_ms[${number}] >= ${sinceMs} then 0 else 1 end else 0 end end`;
}
