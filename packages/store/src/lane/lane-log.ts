import { withConnection } from '../connection/pool.ts';
import type { LaneIdentity, Ledger } from '../ingest/lane/lane.ts';

/** A lane whose log is to be measured. */
export interface MeasuredLane extends LaneIdentity {
  readonly topic: string;
  readonly position: bigint;
  /** The database's clock when the position was read. */
  readonly measuredAt: string;
}

/** Where a log ends, and its first record that a lane has not read. */
export interface LogEnd {
  readonly endOffset: bigint;
  /** Null: none, or nothing but markers and aborted records. The time is the producer's or the broker's, in epoch ms. */
  readonly unread: { readonly offset: bigint; readonly timestampMs: number | null } | null;
}

/**
 * The lanes of a cluster that no process has measured within the last four seconds: processes share the work. A measurement in the future, before the clock
 * was set back, does not count.
 */
export async function readDueLanes({ pool, schema }: Ledger, cluster: string): Promise<MeasuredLane[]> {
  const { rows } = await pool.query<{
    cluster_id: string;
    topic_id: string;
    partition: number;
    topic: string;
    position: string;
    measured_at: string;
  }>({
    name: `due lanes ${schema}`,
    text: `select cluster_id, topic_id, partition, topic, next_offset::text as position, date_trunc('milliseconds', clock_timestamp())::text as measured_at
             from ${schema}.ingest_lane left join ${schema}.lane_log using (cluster_id, topic_id, partition)
            where cluster = $1 and unbound_at is null and coalesce(measured_at not between clock_timestamp() - interval '4 s' and clock_timestamp(), true)`,
    values: [cluster],
  });
  return rows.map((row) => ({
    clusterId: row.cluster_id,
    topicId: row.topic_id,
    partition: row.partition,
    topic: row.topic,
    position: BigInt(row.position),
    measuredAt: row.measured_at,
  }));
}

/**
 * Stores where the logs of lanes end. The time of an unread record is bounded by facts, since a producer may write any: it was appended after a
 * measurement at which the log ended before it, and before now. A measurement that began before the stored one is dropped, unless
 * that is in the future: the clock was set back since.
 */
export async function recordLogEnds(
  { pool, schema }: Ledger,
  lanes: readonly { readonly lane: MeasuredLane; readonly end: LogEnd }[],
): Promise<void> {
  if (lanes.length === 0) return;
  const statement = {
    name: `log ends ${schema}`,
    text: `insert into ${schema}.lane_log as m (cluster_id, topic_id, partition, measured_at, end_offset, position, unread_offset, unread_since, unmoved_since)
           select cluster_id, topic_id, partition, measured_at, end_offset, position, unread_offset,
                  case when unread_offset is not null then least(coalesce(unread_since, measured_at), date_trunc('milliseconds', clock_timestamp())) end,
                  case when unread_offset is not null then measured_at end
             from unnest($1::text[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::bigint[], $8::timestamptz[])
               as given (cluster_id, topic_id, partition, measured_at, end_offset, position, unread_offset, unread_since)
            order by cluster_id, topic_id, partition
           on conflict (cluster_id, topic_id, partition) do update
              set measured_at = excluded.measured_at, end_offset = excluded.end_offset, position = excluded.position, unread_offset = excluded.unread_offset,
                  unread_since = case when excluded.unread_offset is null then null
                                      else least(date_trunc('milliseconds', clock_timestamp()),
                                                 case when excluded.unread_offset = m.unread_offset then m.unread_since
                                                      else greatest(excluded.unread_since, case when excluded.unread_offset >= m.end_offset then m.measured_at end) end) end,
                  unmoved_since = case when excluded.unread_offset is not null and excluded.position = m.position then least(m.unmoved_since, excluded.unmoved_since) else excluded.unmoved_since end
            where m.measured_at < excluded.measured_at or m.measured_at > clock_timestamp()`,
    values: [
      lanes.map(({ lane }) => lane.clusterId),
      lanes.map(({ lane }) => lane.topicId),
      lanes.map(({ lane }) => lane.partition),
      lanes.map(({ lane }) => lane.measuredAt),
      lanes.map(({ end }) => String(end.endOffset)),
      lanes.map(({ lane }) => String(lane.position)),
      lanes.map(({ end }) => (end.unread === null ? null : String(end.unread.offset))),
      lanes.map(({ end }) => formatTimestamp(end.unread?.timestampMs ?? null)),
    ],
  };
  await withConnection(pool, async (client) => {
    // The transactions of the jobs login are read-only by default.
    await client.query('begin read write');
    await client.query(statement);
    await client.query('commit');
  });
}

/** A producer may write any time; one in the future may be none that a Date can represent. */
const formatTimestamp = (timestampMs: number | null): string | null =>
  timestampMs === null ? null : new Date(Math.min(timestampMs, Date.now())).toISOString();
