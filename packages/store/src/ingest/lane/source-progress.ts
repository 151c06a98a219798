import type pg from 'pg';
import type { RecordState } from '../record/record-batch.ts';
import type { LaneIdentity } from './lane.ts';

/** The rows that one batch wrote of one source of a tenant. */
export interface ProgressDelta {
  tenantId: string;
  /** A read model, such as users; of logs also logs/<the collector's feed>. */
  source: string;
  rowCount: number;
  /** Whether it is a category or table that the product does not list. */
  isUnlisted?: boolean;
  /** Upstream's time of the newest of them. */
  lastOccurredAtMs: number;
  /** Our stamp of the newest of them. */
  lastStamp: string;
}

/**
 * Adds a batch to the progress of its sources, in the lane's transaction. Each lane has its own rows, so lanes never wait for each other here.
 */
export async function writeProgress(
  client: pg.PoolClient,
  lane: LaneIdentity,
  brought: readonly ProgressDelta[],
): Promise<void> {
  if (brought.length === 0) return;
  await client.query({
    name: 'write-progress',
    text: `insert into models.source_progress as p (tenant_id, source, cluster_id, topic_id, partition, last_occurred_at, last_discovered_at, row_count, is_unlisted)
           select tenant_id, source, $1, $2, $3, last_occurred_at, last_discovered_at, row_count, is_unlisted
             from unnest($4::uuid[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::bigint[], $9::boolean[])
               as given (tenant_id, source, last_occurred_at, last_discovered_at, row_count, is_unlisted)
           on conflict (tenant_id, source, cluster_id, topic_id, partition) do update
             set last_occurred_at = greatest(p.last_occurred_at, excluded.last_occurred_at),
                 last_discovered_at = greatest(p.last_discovered_at, excluded.last_discovered_at),
                 row_count = p.row_count + excluded.row_count,
                 is_unlisted = excluded.is_unlisted`,
    values: [
      lane.clusterId,
      lane.topicId,
      lane.partition,
      brought.map((one) => one.tenantId),
      brought.map((one) => one.source),
      brought.map((one) => new Date(one.lastOccurredAtMs).toISOString()),
      brought.map((one) => one.lastStamp),
      brought.map((one) => one.rowCount),
      brought.map((one) => one.isUnlisted === true),
    ],
  });
}

/** The progress of a source by one applied state. */
export function createStateProgress(state: RecordState, source: string, stamp: string): ProgressDelta {
  const lastOccurredAtMs = Math.max(...Object.values(state.times));
  return { tenantId: state.tenantId, source, rowCount: 1, lastOccurredAtMs, lastStamp: stamp };
}

/** Sums rows to one entry per source and tenant. */
export function sumProgress(each: readonly ProgressDelta[]): ProgressDelta[] {
  const sums = new Map<string, ProgressDelta>();
  for (const one of each) {
    const key = `${one.tenantId}/${one.source}`;
    const sum = sums.get(key);
    if (!sum) {
      sums.set(key, { ...one });
      continue;
    }
    sum.rowCount += one.rowCount;
    if (one.isUnlisted) sum.isUnlisted = true;
    sum.lastOccurredAtMs = Math.max(sum.lastOccurredAtMs, one.lastOccurredAtMs);
    if (one.lastStamp > sum.lastStamp) sum.lastStamp = one.lastStamp;
  }
  return [...sums.values()];
}
