import { deadLetterMessageId } from './dead-letter.ts';
import type { LaneIdentity, LanePosition, Ledger } from './lane.ts';

/** An operator's request to skip the records of a stopped lane from its position to `toOffset`, which is read again. */
export interface LaneSkip {
  readonly id: string;
  readonly fromOffset: bigint;
  readonly toOffset: bigint;
}

/** The open requests, mostly none. */
export async function readLaneSkips(control: Ledger): Promise<{ lane: LaneIdentity; skip: LaneSkip }[]> {
  const { rows } = await control.pool.query<LaneIdentity & { id: string; from: string; to: string }>(
    `select id, cluster_id as "clusterId", topic_id as "topicId", partition, from_offset::text as from, to_offset::text as to
       from control.lane_skip where completed_at is null`,
  );
  return rows.map(({ id, from, to, ...lane }) => ({
    lane,
    skip: { id, fromOffset: BigInt(from), toOffset: BigInt(to) },
  }));
}

export interface SkippedCounts {
  readonly records: number;
  readonly batches: number;
}

/**
 * Counts what was kept of a range, in the ledger of the lane: correct after any number of interruptions, unlike a counter. Other lanes may have the topic's name: in
 * another cluster, or before the topic was created again. The ids of messages tell them apart.
 */
export async function countSkipped(
  ledger: Ledger,
  { clusterId, topicId, topic, partition }: LanePosition,
  { fromOffset, toOffset }: LaneSkip,
): Promise<SkippedCounts> {
  const { rows } = await ledger.pool.query<{ id: string; offset: string; reason: string }>(
    `select m.id, m."offset"::text as offset, d.reason
       from ${ledger.schema}.dead_letter_message m join ${ledger.schema}.dead_letter d on d.message_id = m.id
      where m.topic = $1 and m.partition = $2 and m."offset" >= $3 and m."offset" < $4 and d.reason in ('SKIPPED', 'UNDECODABLE_BATCH')`,
    [topic, partition, String(fromOffset), String(toOffset)],
  );
  const own = rows.filter(
    ({ id, offset }) => id === deadLetterMessageId(clusterId, topicId, partition, BigInt(offset)),
  );
  const count = (reason: string) => own.filter((row) => row.reason === reason).length;
  return { records: count('SKIPPED'), batches: count('UNDECODABLE_BATCH') };
}

export async function completeLaneSkip(
  control: Ledger,
  { id }: LaneSkip,
  result: SkippedCounts | { readonly refusal: string },
): Promise<void> {
  const { refusal, records, batches } = { refusal: null, records: null, batches: null, ...result };
  await control.pool.query(
    `update control.lane_skip set completed_at = clock_timestamp(), refusal = $2, record_count = $3, batch_count = $4
      where id = $1 and completed_at is null`,
    [id, refusal, records, batches],
  );
}
