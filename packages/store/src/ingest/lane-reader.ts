import type { LaneIdentity, Ledger } from './lane.ts';

/** A lane as its reading process sees it. */
export interface LaneReader extends LaneIdentity {
  /** Epoch ms: when the consumer group assigned the lane. */
  readonly assignedAtMs: number;
  /** The end offset of the broker's log. */
  readonly endOffset: bigint;
}

/**
 * Records the readers of lanes and how much Kafka has for them. An end offset that a lane has not reached is stored with the time of its
 * observation until the lane passes it, so that this time is a lower bound of the lane's delay, however many records follow.
 */
export async function recordLaneReaders(models: Ledger, worker: string, lanes: readonly LaneReader[]): Promise<void> {
  if (lanes.length === 0) return;
  await models.pool.query({
    name: 'note-readers',
    text: `with seen as (
             select s.*, coalesce(l.next_offset, 0) as next_offset, date_trunc('milliseconds', clock_timestamp()) as observed_at
               from unnest($2::text[], $3::uuid[], $4::integer[], $5::timestamptz[], $6::bigint[]) as s (cluster_id, topic_id, partition, assigned_at, end_offset)
               join models.ingest_lane l using (cluster_id, topic_id, partition)
           )
           insert into models.lane_reader as r (cluster_id, topic_id, partition, worker, assigned_at, end_offset, observed_at, unread_to, unread_since)
           select cluster_id, topic_id, partition, $1, assigned_at, end_offset, observed_at,
                  case when next_offset < end_offset then end_offset end, case when next_offset < end_offset then observed_at end
             from seen order by cluster_id, topic_id, partition
           on conflict (cluster_id, topic_id, partition) do update
              set worker = excluded.worker, assigned_at = excluded.assigned_at, end_offset = excluded.end_offset, observed_at = excluded.observed_at,
                  (unread_to, unread_since) = (
                    select case when s.next_offset < r.unread_to then r.unread_to else excluded.unread_to end,
                           case when s.next_offset < r.unread_to then r.unread_since else excluded.unread_since end
                      from models.ingest_lane s where (s.cluster_id, s.topic_id, s.partition) = (r.cluster_id, r.topic_id, r.partition))`,
    values: [
      worker,
      lanes.map(({ clusterId }) => clusterId),
      lanes.map(({ topicId }) => topicId),
      lanes.map(({ partition }) => partition),
      lanes.map(({ assignedAtMs }) => new Date(assignedAtMs).toISOString()),
      lanes.map(({ endOffset }) => String(endOffset)),
    ],
  });
}
