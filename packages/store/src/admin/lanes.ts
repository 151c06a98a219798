import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { acceptedByOperator } from '../ingest/lane.ts';
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

/** Resumes a stopped lane or resets a tripped breaker; its worker notices within seconds. Returns the number of lanes. */
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
