import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { acceptedByOperator } from '../ingest/lane/lane.ts';
import { describeHalt } from '../lane/lane-status.ts';
import { listedLane } from '../lane/listed-lane.ts';
import type { LedgerSchema } from './dead-letters.ts';

const lane = listedLane.extend({
  source: z.string(),
  clusterId: z.string(),
  topicId: z.string(),
  nextOffset: z.number(),
  settledAt: z.string(),
  lagMs: z.number(),
  /** The time of the oldest unread record. */
  unreadSince: z.string().nullable(),
  measuredAt: z.string().nullable(),
});
const unreadTopic = z.object({ cluster: z.string(), topic: z.string(), problem: z.string() });
const openSkip = z.object({
  toOffset: z.number(),
  reason: z.string(),
  requestedAt: z.string(),
});
/** A lane; `reason` says why it does not move, and is null while it does. `skip` is an operator's request that is not completed. */
export type ListedLane = Omit<z.infer<typeof lane>, 'stall'> & { readonly skip: z.infer<typeof openSkip> | null };

/** All lanes: first those of the read models, of each cell, then those of the control schema, which has the requests to skip. */
export async function listLanes(pools: {
  readonly models: DatabasePool | readonly DatabasePool[];
  readonly control: DatabasePool;
}): Promise<readonly ListedLane[]> {
  const [models, control, unreadTopics, skips] = await Promise.all([
    Promise.all([pools.models].flat().map((each) => listLedgerLanes(each, 'models'))),
    listLedgerLanes(pools.control, 'control'),
    pools.control.any(sql.type(unreadTopic)`
      select cluster, topic, problem from control.source_binding where removed_at is null and problem is not null`),
    pools.control.any(sql.type(openSkip.extend({ clusterId: z.string(), topicId: z.string(), partition: z.number() }))`
      select cluster_id as "clusterId", topic_id as "topicId", partition, to_offset as "toOffset", reason, requested_at as "requestedAt"
        from control.lane_skip where completed_at is null`),
  ]);
  return [...models.flat(), ...control].map((one) => {
    const found = skips.find(
      ({ clusterId, topicId, partition }) =>
        clusterId === one.clusterId && topicId === one.topicId && partition === one.partition,
    );
    return {
      ...one,
      reason: one.reason === null ? null : (findProblem(one, unreadTopics) ?? one.reason),
      skip: found ? { toOffset: found.toOffset, reason: found.reason, requestedAt: found.requestedAt } : null,
    };
  });
}

/** Why ingestion does not read a bound topic explains more than that its lane does not move. */
const findProblem = (
  { cluster, topic }: Pick<ListedLane, 'cluster' | 'topic'>,
  unread: readonly z.infer<typeof unreadTopic>[],
): string | undefined => unread.find((one) => one.cluster === cluster && one.topic === topic)?.problem;

export async function listLedgerLanes(
  pool: DatabasePool,
  schema: LedgerSchema,
): Promise<readonly Omit<z.infer<typeof lane>, 'stall'>[]> {
  const lanes = await pool.any(sql.type(lane)`
    select topic, source, partition, cluster, cluster_id as "clusterId", topic_id as "topicId", next_offset as "nextOffset", settled_at as "settledAt",
           round(extract(epoch from clock_timestamp() - settled_at) * 1000)::bigint as "lagMs", written_at as "writtenAt", state, reason, stall,
           stalled_since as "stalledSince", worker, unread_count as unread, unread_since as "unreadSince", measured_at as "measuredAt"
      from ${sql.identifier([schema, 'lane_status'])} order by cluster <> 'main', cluster, topic, partition, topic_id`);
  return lanes.map(({ stall, ...one }) => ({ ...one, reason: describeHalt({ ...one, stall }) }));
}

const skip = z.object({
  completedAt: z.string().nullable(),
  refusal: z.string().nullable(),
  records: z.number().nullable(),
  batches: z.number().nullable(),
});
/** An operator's request to skip records; `completedAt` is null until ingestion has executed or refused it. */
export type RequestedSkip = z.infer<typeof skip>;

/** Requests a skip, which the audit log records. Null where the lane has an open request. */
export async function requestSkip(
  control: DatabasePool,
  lane: Pick<ListedLane, 'clusterId' | 'topicId' | 'partition' | 'topic' | 'nextOffset'>,
  input: { readonly toOffset: number; readonly reason: string },
): Promise<string | null> {
  return control.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    insert into control.lane_skip (cluster_id, topic_id, partition, topic, from_offset, to_offset, reason)
    values (${lane.clusterId}, ${lane.topicId}::uuid, ${lane.partition}, ${lane.topic}, ${lane.nextOffset}, ${input.toOffset}, ${input.reason})
    on conflict (cluster_id, topic_id, partition) where completed_at is null do nothing returning id`);
}

export async function readSkip(control: DatabasePool, id: string): Promise<RequestedSkip> {
  return control.one(sql.type(skip)`
    select completed_at as "completedAt", refusal, record_count as records, batch_count as batches from control.lane_skip where id = ${id}::uuid`);
}

/** Resumes a stopped lane or resets a tripped breaker; its worker notices within seconds. Returns the number of lanes. */
export async function resumeLane(
  pool: DatabasePool,
  schema: LedgerSchema,
  { cluster, topic, partition }: Pick<ListedLane, 'cluster' | 'topic' | 'partition'>,
): Promise<number> {
  const { rowCount } = await pool.query(sql.unsafe`
    update ${sql.identifier([schema, 'ingest_lane'])} set state = 'running', reason = ${acceptedByOperator}
     where cluster = ${cluster} and topic = ${topic} and partition = ${partition} and state <> 'running'`);
  return rowCount;
}
