import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import { type BoundTopicState, describeBoundTopic } from '../lane/bound-topic.ts';
import { describeHalt } from '../lane/lane-status.ts';
import { listedLane } from '../lane/listed-lane.ts';
import { type DeadLetterPools, listLedgers } from './dead-letters.ts';

const binding = z.object({
  id: z.string(),
  cluster: z.string(),
  topic: z.string(),
  format: z.string(),
  tenantId: z.string(),
  createdAt: z.string(),
  removedAt: z.null(),
  problem: z.string().nullable(),
  checkedAt: z.string().nullable(),
});

/** A topic whose records are all of one tenant. */
export type TenantBinding = Pick<
  z.infer<typeof binding>,
  'id' | 'cluster' | 'topic' | 'format' | 'tenantId' | 'createdAt'
> &
  BoundTopicState;

/** The bindings of tenants with the state of their topics. A topic whose records name their tenants is no tenant's, and is not listed. */
export async function listTenantBindings(
  { control, models }: DeadLetterPools,
  tenantIds: readonly string[],
): Promise<readonly TenantBinding[]> {
  const bindings = await translateErrors(
    control.any(sql.type(binding)`
      select id, cluster, topic, format, tenant_id as "tenantId", created_at as "createdAt", removed_at as "removedAt", problem, checked_at as "checkedAt"
        from control.source_binding where removed_at is null and tenant_id = any(${sql.array([...tenantIds], 'uuid')})
       order by cluster <> 'main', cluster, topic`),
  );
  if (bindings.length === 0) return [];
  const topics = sql.array([...new Set(bindings.map(({ topic }) => topic))], 'text');
  const ledgers = listLedgers({ control, models });
  const lanes = await Promise.all(ledgers.map(({ pool, schema }) => listLanes(pool, schema, topics)));
  const now = Date.now();
  return bindings.map(({ removedAt, problem, checkedAt, ...shown }) => ({
    ...shown,
    ...describeBoundTopic({ ...shown, removedAt, problem, checkedAt }, lanes.flat(), now),
  }));
}

async function listLanes(pool: DatabasePool, schema: string, topics: ReturnType<typeof sql.array>) {
  const lanes = await translateErrors(
    pool.any(sql.type(listedLane)`
      select cluster, topic, partition, state, reason, stall, stalled_since as "stalledSince", worker, unread_count as unread, written_at as "writtenAt"
        from ${sql.identifier([schema, 'lane_status'])} where topic = any(${topics})`),
  );
  return lanes.map((one) => ({ ...one, reason: describeHalt(one) }));
}
