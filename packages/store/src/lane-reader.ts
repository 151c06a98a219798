import type { LaneIdentity, Ledger } from './lane.ts';

/** A lane as the process that reads it sees it. */
export interface ReadLane extends LaneIdentity {
  /** Epoch ms: when the consumer group gave it the lane. */
  readonly sinceMs: number;
  /** Where the broker's log ends. */
  readonly endOffset: bigint;
}

/**
 * Puts down who reads lanes and how much Kafka has for them. An end that a lane has not come to is kept with the time it was seen at until the
 * lane passes it, so that the time tells how late the lane is at least, however much comes behind.
 */
export async function noteReaders(models: Ledger, worker: string, lanes: readonly ReadLane[]): Promise<void> {
  if (lanes.length === 0) return;
  await models.pool.query({
    name: 'note-readers',
    text: `with seen as (
             select s.*, coalesce(l.next_offset, 0) as next_offset, date_trunc('milliseconds', clock_timestamp()) as looked_at
               from unnest($2::text[], $3::uuid[], $4::integer[], $5::timestamptz[], $6::bigint[]) as s (cluster_id, topic_id, partition, since, end_offset)
               join models.ingest_lane l using (cluster_id, topic_id, partition)
           )
           insert into models.lane_reader as r (cluster_id, topic_id, partition, worker, since, end_offset, looked_at, unread_to, unread_since)
           select cluster_id, topic_id, partition, $1, since, end_offset, looked_at,
                  case when next_offset < end_offset then end_offset end, case when next_offset < end_offset then looked_at end
             from seen order by cluster_id, topic_id, partition
           on conflict (cluster_id, topic_id, partition) do update
              set worker = excluded.worker, since = excluded.since, end_offset = excluded.end_offset, looked_at = excluded.looked_at,
                  (unread_to, unread_since) = (
                    select case when s.next_offset < r.unread_to then r.unread_to else excluded.unread_to end,
                           case when s.next_offset < r.unread_to then r.unread_since else excluded.unread_since end
                      from models.ingest_lane s where (s.cluster_id, s.topic_id, s.partition) = (r.cluster_id, r.topic_id, r.partition))`,
    values: [
      worker,
      lanes.map(({ clusterId }) => clusterId),
      lanes.map(({ topicId }) => topicId),
      lanes.map(({ partition }) => partition),
      lanes.map(({ sinceMs }) => new Date(sinceMs).toISOString()),
      lanes.map(({ endOffset }) => String(endOffset)),
    ],
  });
}
