import type pg from 'pg';
import { type ActorDay, writeActorTallies } from '../log/actor-tallies.ts';
import { actorTally, boundText, nameActor } from '../row/log-tallies.ts';
import { countAgain } from './tally-sql.ts';

const batchRows = 5_000;

interface CountedDay {
  readonly tenantId: string;
  readonly atMs: number;
  readonly actor: string;
  readonly device: string | null;
  readonly state: string;
  readonly events: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

const toMs = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** Counts actors in rows that were written before. Names are put in lower case here: the server has no rules for letters beyond A to Z. */
export async function backfillActorTallies(
  client: pg.ClientBase,
  shard: number,
  counts: string,
  [from, to]: readonly [from: string, to: string],
): Promise<void> {
  await client.query(
    `declare counted_day no scroll cursor for
     select tenant_id as "tenantId", ${toMs('at')} as "atMs", subject as actor, object as device, flags as state, events,
            ${toMs('first_at')} as "firstMs", ${toMs('last_at')} as "lastMs" from (${counts}) counted`,
    [from, to],
  );
  for (;;) {
    const { rows } = await client.query<CountedDay>(`fetch ${batchRows} from counted_day`);
    await writeActorTallies(client, shard, sumDays(rows));
    if (rows.length < batchRows) break;
  }
  await client.query('close counted_day');
}

/** Days of stored rows, by their texts as they are. */
export const countActorDays = (source: { readonly from: string; readonly where: string }): string =>
  countAgain(actorTally, source, (text) => text);

/** Names that differ in their case alone are one actor. */
function sumDays(counted: readonly CountedDay[]): ActorDay[] {
  const days = new Map<string, ActorDay>();
  for (const { tenantId, atMs, actor, device, state: flags, events, firstMs, lastMs } of counted) {
    const day = {
      tenantId,
      atMs,
      subject: nameActor(actor),
      object: boundText(device),
      flags,
      events,
      firstMs,
      lastMs,
    };
    const key = JSON.stringify([tenantId, atMs, day.subject, day.object, flags]);
    const before = days.get(key);
    days.set(key, before === undefined ? day : addDay(before, day));
  }
  return [...days.values()];
}

const addDay = (one: ActorDay, other: ActorDay): ActorDay => ({
  ...one,
  events: one.events + other.events,
  firstMs: Math.min(one.firstMs, other.firstMs),
  lastMs: Math.max(one.lastMs, other.lastMs),
});
