import { dayMs } from '@tenantscope/contract';
import type pg from 'pg';
import { encodeTimestampArray, encodeUuidArray } from '../row/binary-copy.ts';
import { longPeriodMs, originMs, type TallyKey } from '../row/log-tallies.ts';

/** Rows of one actor, device and state on one day, or at one time ahead of our clock; see `actorTally`. */
export interface ActorDay extends TallyKey {
  readonly tenantId: string;
  /** Begin of the day; of events ahead of our clock, their time. */
  readonly atMs: number;
  readonly events: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

interface DayOfPeriod extends ActorDay {
  readonly periodAtMs: number;
  /** From 1 on. */
  readonly day: number;
}

function placeDay(day: ActorDay): DayOfPeriod {
  // A time ahead of our clock begins a period of its own. At midnight it is that of a day, too: what is counted is the same.
  if (day.atMs % dayMs !== 0) return { ...day, periodAtMs: day.atMs, day: 1 };
  const sinceMs = (((day.atMs - originMs) % longPeriodMs) + longPeriodMs) % longPeriodMs;
  return { ...day, periodAtMs: day.atMs - sinceMs, day: sinceMs / dayMs + 1 };
}

/** Adds days to their rows. The caller is in a transaction. */
export async function writeActorTallies(
  client: pg.ClientBase,
  shard: number,
  days: readonly ActorDay[],
): Promise<void> {
  for (const some of separateDays(days.map(placeDay).sort(compareDays))) await addDays(client, shard, some);
}

/**
 * In one order for all lanes, see `write-tallies.ts`; and a statement changes a row once: all but the first day of each row follow in later ones, which lock
 * no further row.
 */
function separateDays(sorted: readonly DayOfPeriod[]): DayOfPeriod[][] {
  const statements: DayOfPeriod[][] = [];
  let statement = 0;
  sorted.forEach((day, index) => {
    const before = sorted[index - 1];
    statement = before !== undefined && compareRows(before, day) === 0 ? statement + 1 : 0;
    const days = statements[statement];
    if (days) days.push(day);
    else statements.push([day]);
  });
  return statements;
}

const addDays = (client: pg.ClientBase, shard: number, days: readonly DayOfPeriod[]) =>
  client.query({
    name: 'write-actor-tallies',
    text: `insert into models.actor_tally as t (tenant_id, at, actor, device, state, shard, events, first_at, last_at, counts, first_ms, last_ms)
           select tenant_id, at, actor, device, state, $1, events, first_at, last_at,
                  array_fill(events, array[1], array[day]), array_fill(first_ms, array[1], array[day]), array_fill(last_ms, array[1], array[day])
             from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::timestamptz[], $9::timestamptz[],
                         $10::integer[], $11::integer[], $12::integer[])
               as counted (tenant_id, at, actor, device, state, events, first_at, last_at, day, first_ms, last_ms)
           on conflict (tenant_id, actor, at, device, state, shard) do update
             set events = t.events + excluded.events,
                 first_at = least(t.first_at, excluded.first_at),
                 last_at = greatest(t.last_at, excluded.last_at),
                 counts[${day}] = coalesce(t.counts[${day}], 0) + excluded.events,
                 first_ms[${day}] = least(t.first_ms[${day}], excluded.first_ms[${day}]),
                 last_ms[${day}] = greatest(t.last_ms[${day}], excluded.last_ms[${day}])`,
    values: [
      shard,
      encodeUuidArray(days.map(({ tenantId }) => tenantId)),
      encodeTimestampArray(days.map(({ periodAtMs }) => periodAtMs)),
      days.map(({ subject }) => subject),
      days.map(({ object }) => object),
      days.map(({ flags }) => flags),
      days.map(({ events }) => events),
      encodeTimestampArray(days.map(({ firstMs }) => firstMs)),
      encodeTimestampArray(days.map(({ lastMs }) => lastMs)),
      days.map(({ day: number }) => number),
      days.map(({ firstMs, atMs }) => firstMs - atMs),
      days.map(({ lastMs, atMs }) => lastMs - atMs),
    ],
  });

/** The element that an inserted row has. */
const day = 'array_lower(excluded.counts, 1)';

const compareRows = (one: DayOfPeriod, other: DayOfPeriod): number =>
  compare(one.tenantId, other.tenantId) ||
  compare(one.subject, other.subject) ||
  one.periodAtMs - other.periodAtMs ||
  compare(one.object, other.object) ||
  compare(one.flags, other.flags);

const compareDays = (one: DayOfPeriod, other: DayOfPeriod): number => compareRows(one, other) || one.day - other.day;

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
