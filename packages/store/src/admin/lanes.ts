import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { LedgerSchema } from './dead-letters.ts';

const lane = z.object({
  topic: z.string(),
  partition: z.number(),
  clusterId: z.string(),
  topicId: z.string(),
  nextOffset: z.number(),
  settledAt: z.string(),
  lagMs: z.number(),
  writtenAt: z.string().nullable(),
  state: z.enum(['running', 'stopped', 'tripped']),
  reason: z.string().nullable(),
});
export type ListedLane = z.infer<typeof lane>;

export async function listLanes(pool: DatabasePool, schema: LedgerSchema): Promise<readonly ListedLane[]> {
  return pool.any(sql.type(lane)`
    select topic, partition, cluster_id as "clusterId", topic_id as "topicId", next_offset as "nextOffset", settled_at as "settledAt",
           round(extract(epoch from clock_timestamp() - settled_at) * 1000)::bigint as "lagMs", written_at as "writtenAt", state, reason
      from ${sql.identifier([schema, 'ingest_lane'])} order by topic, partition, topic_id`);
}

/** Left on a resumed lane, so that the worker lets pass what it had refused. */
export const acceptedByOperator = 'accepted by the operator';

/** Ends a stop or a tripped breaker; the worker that has the lane sees it within seconds. Returns how many lanes that was. */
export async function resumeLane(
  pool: DatabasePool,
  schema: LedgerSchema,
  topic: string,
  partition: number,
): Promise<number> {
  const { rowCount } = await pool.query(sql.unsafe`
    update ${sql.identifier([schema, 'ingest_lane'])} set state = 'running', reason = ${acceptedByOperator}
     where topic = ${topic} and partition = ${partition} and state <> 'running'`);
  return rowCount;
}
