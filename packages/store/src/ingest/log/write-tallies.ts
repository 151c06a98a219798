import type pg from 'pg';
import type { LaneIdentity } from '../lane/lane.ts';
import { encodeTimestampArray, encodeUuidArray } from '../row/binary-copy.ts';
import { readOccurredMs, readStampMs, readTenantId } from '../row/log-lines.ts';
import type { PreparedRows } from '../row/log-rows.ts';
import {
  actorTally,
  arrivalTally,
  beginPeriod,
  countLagMinutes,
  type LogTally,
  lagTally,
  logTallies,
} from '../row/log-tallies.ts';
import type { PreparedTallyKey } from '../row/prepared-tallies.ts';
import { writeActorTallies } from './actor-tallies.ts';

interface TallyRow extends PreparedTallyKey {
  readonly atMs: number;
  events: number;
  firstMs: number;
  lastMs: number;
}

/**
 * Counts the rows that were just written, in the lane's transaction. Lanes of different partitions have rows of their own, as shards, so that
 * they do not wait for each other.
 */
export async function writeTallies(
  client: pg.PoolClient,
  lane: Pick<LaneIdentity, 'partition'>,
  rows: PreparedRows,
  bytes: Buffer,
  written: readonly number[],
): Promise<void> {
  const shard = lane.partition & 0x7fff;
  const { actor = [], log = [] } = Object.groupBy(sumTallies(rows, bytes, written), ({ tally }) =>
    tally === actorTally.name ? 'actor' : 'log',
  );
  await writeLogTallies(client, shard, log);
  await writeActorTallies(client, shard, actor);
}

async function writeLogTallies(client: pg.PoolClient, shard: number, tallied: readonly TallyRow[]): Promise<void> {
  if (tallied.length === 0) return;
  await client.query({
    name: 'write-log-tallies',
    text: `insert into models.log_tally as t (tenant_id, tally, at, subject, object, flags, shard, events, first_at, last_at)
           select tenant_id, tally, at, subject, object, flags, $1, events, first_at, last_at
             from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::timestamptz[], $10::timestamptz[])
               as counted (tenant_id, tally, at, subject, object, flags, events, first_at, last_at)
           on conflict (tenant_id, tally, at, subject, object, flags, shard) do update
             set events = t.events + excluded.events,
                 first_at = least(t.first_at, excluded.first_at),
                 last_at = greatest(t.last_at, excluded.last_at)`,
    values: [
      shard,
      encodeUuidArray(tallied.map(({ tenantId }) => tenantId)),
      tallied.map(({ tally }) => tally),
      encodeTimestampArray(tallied.map(({ atMs }) => atMs)),
      tallied.map(({ subject }) => subject),
      tallied.map(({ object }) => object),
      tallied.map(({ flags }) => flags),
      tallied.map(({ events }) => events),
      encodeTimestampArray(tallied.map(({ firstMs }) => firstMs)),
      encodeTimestampArray(tallied.map(({ lastMs }) => lastMs)),
    ],
  });
}

const tallyByName = new Map([...logTallies, actorTally].map((tally) => [tally.name, tally]));

/** In one order for all lanes: partitions of two topics may share a shard, and wait for each other instead of deadlocking. */
function sumTallies(rows: PreparedRows, bytes: Buffer, written: readonly number[]): TallyRow[] {
  const sums = new Map<string, TallyRow>();
  const { keys, lines, keyIndexes } = rows.tallies;
  let next = 0;
  for (const line of written) {
    const start = rows.starts[line] as number;
    const occurredMs = readOccurredMs(bytes, start);
    const stampMs = readStampMs(bytes, start);
    const tenantId = readTenantId(rows, line);
    countTimes(sums, tenantId, occurredMs, stampMs);
    while (next < lines.length && (lines[next] as number) < line) next++;
    for (; lines[next] === line; next++) {
      const index = keyIndexes[next] as number;
      const key = keys[index] as PreparedTallyKey;
      const atMs = beginPeriod(tallyByName.get(key.tally) as LogTally, occurredMs, stampMs);
      count(sums, `${index}/${atMs}`, key, atMs, occurredMs);
    }
  }
  return [...sums.values()].sort(compareRows);
}

/** Each row counts for the times alone. */
function countTimes(sums: Map<string, TallyRow>, tenantId: string, occurredMs: number, stampMs: number): void {
  const atMs = beginPeriod(arrivalTally, occurredMs, stampMs);
  const empty = { tenantId, subject: '', object: '', flags: '' };
  count(sums, `${tenantId}/${atMs}`, { ...empty, tally: arrivalTally.name }, atMs, stampMs);
  const subject = String(countLagMinutes(occurredMs, stampMs));
  count(sums, `${tenantId}/${atMs}/${subject}`, { ...empty, tally: lagTally.name, subject }, atMs, stampMs);
}

function count(sums: Map<string, TallyRow>, name: string, key: PreparedTallyKey, atMs: number, ms: number): void {
  const sum = sums.get(name);
  if (sum === undefined) {
    sums.set(name, { ...key, atMs, events: 1, firstMs: ms, lastMs: ms });
    return;
  }
  sum.events += 1;
  if (ms < sum.firstMs) sum.firstMs = ms;
  if (ms > sum.lastMs) sum.lastMs = ms;
}

const compareRows = (one: TallyRow, other: TallyRow): number =>
  compare(one.tenantId, other.tenantId) ||
  compare(one.tally, other.tally) ||
  one.atMs - other.atMs ||
  compare(one.subject, other.subject) ||
  compare(one.object, other.object) ||
  compare(one.flags, other.flags);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
