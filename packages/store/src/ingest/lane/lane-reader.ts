import type { LaneIdentity, Ledger } from './lane.ts';

/** A lane as its reading process sees it. */
export interface LaneReader extends LaneIdentity {
  /** Epoch ms: when the consumer group assigned the lane. */
  readonly assignedAtMs: number;
}

/** Records which process reads which lanes. */
export async function recordLaneReaders(
  { pool, schema }: Ledger,
  worker: string,
  lanes: readonly LaneReader[],
): Promise<void> {
  if (lanes.length === 0) return;
  await pool.query({
    name: `lane readers ${schema}`,
    text: `insert into ${schema}.lane_reader (cluster_id, topic_id, partition, worker, assigned_at, observed_at)
           select cluster_id, topic_id, partition, $1, assigned_at, clock_timestamp()
             from unnest($2::text[], $3::uuid[], $4::integer[], $5::timestamptz[]) as given (cluster_id, topic_id, partition, assigned_at)
            order by cluster_id, topic_id, partition
           on conflict (cluster_id, topic_id, partition) do update
              set worker = excluded.worker, assigned_at = excluded.assigned_at, observed_at = excluded.observed_at`,
    values: [
      worker,
      lanes.map(({ clusterId }) => clusterId),
      lanes.map(({ topicId }) => topicId),
      lanes.map(({ partition }) => partition),
      lanes.map(({ assignedAtMs }) => new Date(assignedAtMs).toISOString()),
    ],
  });
}
