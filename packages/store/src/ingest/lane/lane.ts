import pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { inTransaction } from '../../connection/transaction.ts';

/** One topic-partition. A recreated topic has another topicId and is another lane. */
export interface LaneIdentity {
  clusterId: string;
  topicId: string;
  partition: number;
}

/** A lane as its worker writes it. */
export interface WrittenLane extends LaneIdentity {
  /** What its worker reads it as. A topic may be bound to a format of another source meanwhile; absent where that cannot be. */
  source?: string;
}

export interface LanePosition extends WrittenLane {
  /** The configured name of the Kafka cluster. */
  cluster: string;
  topic: string;
  source: string;
  nextOffset: bigint;
  state: 'running' | 'stopped' | 'tripped';
  reason: string | null;
}

/** A lane that a worker has opened. */
export interface OpenedLane extends LanePosition {
  /** Grows with each opening: of several workers, the one with the last number has the lane. */
  assignment: string;
}

/** The reason of a resumed lane: its worker accepts the record that it had rejected. */
export const acceptedByOperator = 'accepted by the operator';

/** The schema of a ledger's tables: lanes of tenant records are in the control database, all others in the read models. */
export interface Ledger {
  pool: pg.Pool;
  schema: 'models' | 'control';
  /** Larger values of dead letters are stored truncated; 1 MiB by default. */
  deadLetterMaxBytes?: number;
}

const literal = pg.escapeLiteral;

const whereLane = (lane: LaneIdentity): string =>
  `cluster_id = ${literal(lane.clusterId)} and topic_id = ${literal(lane.topicId)} and partition = ${Number(lane.partition)}`;

/**
 * The compare-and-set that begins every batch transaction, as one simple query. Its row lock makes the lane single-writer, so of two
 * workers at the same offset one applies and the other finds nothing to update. The trigger stamp_lane excludes ticks until the batch ends, and gives the
 * stamp, which is above all that the lane settled before. What an operator accepted ends with it: a process that ends before it has recorded that must not accept a
 * later gap. On a promoted server nothing is written until its epoch is open. The last statement
 * sees what was committed while the lock was waited for: a tenant leaves the cell while no lane is locked.
 */
function advanceStatement(ledger: Ledger, lane: WrittenLane, fromOffset: bigint, toOffset: bigint): string {
  return `begin; update ${ledger.schema}.ingest_lane
     set next_offset = ${toOffset}, written_at = clock_timestamp(), reason = case when state <> 'running' then reason end
   where ${whereLane(lane)} and next_offset = ${fromOffset} and opened${lane.source === undefined ? '' : ` and source = ${literal(lane.source)}`}
     and exists (select from ${ledger.schema}.ingest_epoch where timeline = ${ledger.schema}.current_timeline() and closed_at is null)
  returning (extract(epoch from previous_settled_at) * 1000)::float8 as before_ms, (extract(epoch from settled_at) * 1000)::float8 as stamp_ms${ledger.schema === 'models' ? '; select version from models.tenant_move_version' : ''}`;
}

export interface LaneAdvance {
  beforeMs: number;
  stampMs: number;
  /** Of the list of tenants whose records belong to another cell; absent in the control database. */
  movesVersion?: string;
}

/** Begins the batch transaction. Null: another worker moved this lane; the caller rolls back and reads the lane again. */
export async function advanceLane(
  client: pg.PoolClient,
  ledger: Ledger,
  lane: WrittenLane,
  fromOffset: bigint,
  toOffset: bigint,
): Promise<LaneAdvance | null> {
  const results = (await client.query(
    advanceStatement(ledger, lane, fromOffset, toOffset),
  )) as unknown as pg.QueryResult<{
    before_ms: number;
    stamp_ms: number;
    version: string;
  }>[];
  const row = results[1]?.rows[0];
  if (!row) return null;
  const version = results[2]?.rows[0]?.version;
  return {
    beforeMs: row.before_ms,
    stampMs: row.stamp_ms,
    ...(version !== undefined && { movesVersion: String(version) }),
  };
}

/** Partitions of a topic that are read as a source. */
export interface OpenedTopic {
  readonly clusterId: string;
  readonly topicId: string;
  /** The configured name of the Kafka cluster; main by default. */
  readonly cluster?: string;
  readonly topic: string;
  readonly source: string;
  readonly partitions: readonly number[];
}

/**
 * Registers the lanes of a topic and returns their positions, with a number of this assignment.
 *
 * A new lane is first made visible, in a transaction of its own, and only then lifted above the clock and all other lanes: every
 * watermark computed without it was computed before it was visible, so its first stamp lies above them all. So is a lane whose topic is bound to a
 * format of another source: its next stamp lies above everything that was served of that source.
 */
export async function openLanes(ledger: Ledger, topic: OpenedTopic): Promise<OpenedLane[]> {
  const { schema } = ledger;
  const { cluster = 'main' } = topic;
  return withConnection(ledger.pool, async (client) => {
    await withoutTicks(client, schema, () =>
      client.query(
        `insert into ${schema}.ingest_lane as lane (cluster_id, topic_id, partition, topic, source, cluster, settled_at)
         select $1, $2, partition, $3, $4, $6, greatest(date_trunc('milliseconds', clock_timestamp()), ${schema}.last_settled())
           from unnest($5::integer[]) as partition
         on conflict (cluster_id, topic_id, partition) do update
            set source = excluded.source, opened = false, settled_at = greatest(lane.settled_at, ${schema}.last_settled())
          where lane.source <> excluded.source`,
        [topic.clusterId, topic.topicId, topic.topic, topic.source, topic.partitions, cluster],
      ),
    );
    await withoutTicks(client, schema, () =>
      client.query(
        `update ${schema}.ingest_lane
            set opened = true, settled_at = greatest(settled_at, date_trunc('milliseconds', clock_timestamp()), ${schema}.last_settled())
          where not opened and cluster_id = $1 and topic_id = $2`,
        [topic.clusterId, topic.topicId],
      ),
    );
    await bindLanes(client, schema, { ...topic, cluster });
    // From now on the end of its log is known, or known not to be.
    await client.query(
      `insert into ${schema}.lane_log (cluster_id, topic_id, partition, measured_at, end_offset, position)
       select cluster_id, topic_id, partition, clock_timestamp(), next_offset, next_offset from ${schema}.ingest_lane
        where cluster_id = $1 and topic_id = $2
       on conflict do nothing`,
      [topic.clusterId, topic.topicId],
    );
    const { rows } = await client.query<LaneRow & { assignment: string }>(
      `with opened as (
         select cluster_id, topic_id, partition from ${schema}.ingest_lane
          where cluster_id = $1 and topic_id = $2 and partition = any($3::integer[]) order by partition for update
       )
       update ${schema}.ingest_lane lane set assignment = lane.assignment + 1
         from opened where (lane.cluster_id, lane.topic_id, lane.partition) = (opened.cluster_id, opened.topic_id, opened.partition)
       returning lane.cluster_id, lane.topic_id, lane.partition, lane.cluster, lane.topic, lane.source, lane.next_offset::text, lane.state, lane.reason,
                 lane.assignment::text`,
      [topic.clusterId, topic.topicId, topic.partitions],
    );
    const lanes = rows.map((row) => ({ ...toLanePosition(row), assignment: row.assignment }));
    return lanes.toSorted((one, other) => one.partition - other.partition);
  });
}

/** A transaction during which no lane is moved to the clock: a tick knows every open lane. */
async function withoutTicks(
  client: pg.PoolClient,
  schema: Ledger['schema'],
  change: () => Promise<unknown>,
): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(`select ${schema}.lock_lane_clock()`);
    // A statement of its own: it sees the tick that ended before the lock.
    await change();
  });
}

/** Lanes of a topic that was bound again, perhaps by another name of its cluster, are read on where they were; what their logs were measured at before says nothing. */
async function bindLanes(
  client: pg.PoolClient,
  schema: Ledger['schema'],
  { clusterId, topicId, cluster, partitions }: OpenedTopic,
): Promise<void> {
  await client.query(
    `with bound as (
       update ${schema}.ingest_lane set unbound_at = null, cluster = $4
        where cluster_id = $1 and topic_id = $2 and partition = any($3::integer[]) and (unbound_at is not null or cluster <> $4)
       returning cluster_id, topic_id, partition, next_offset
     )
     update ${schema}.lane_log log
        set measured_at = clock_timestamp(), end_offset = bound.next_offset, position = bound.next_offset, unread_offset = null, unread_since = null, unmoved_since = null
       from bound where (log.cluster_id, log.topic_id, log.partition) = (bound.cluster_id, bound.topic_id, bound.partition)`,
    [clusterId, topicId, partitions, cluster],
  );
}

/**
 * Marks the lanes of topics whose binding was removed: they tick on, and count as neither stalled nor behind. Returns their number.
 *
 * @param cluster the configured name, since the cluster itself may be down
 */
export async function unbindLanes(ledger: Ledger, cluster: string, topics: readonly string[]): Promise<number> {
  if (topics.length === 0) return 0;
  const { rowCount } = await ledger.pool.query(
    `update ${ledger.schema}.ingest_lane set unbound_at = clock_timestamp()
      where cluster = $1 and topic = any($2::text[]) and unbound_at is null`,
    [cluster, topics],
  );
  return rowCount ?? 0;
}

interface LaneRow {
  cluster_id: string;
  topic_id: string;
  partition: number;
  cluster: string;
  topic: string;
  source: string;
  next_offset: string;
  state: LanePosition['state'];
  reason: string | null;
}

const toLanePosition = (row: LaneRow): LanePosition => ({
  clusterId: row.cluster_id,
  topicId: row.topic_id,
  partition: row.partition,
  cluster: row.cluster,
  topic: row.topic,
  source: row.source,
  nextOffset: BigInt(row.next_offset),
  state: row.state,
  reason: row.reason,
});

/** Reads lanes again, after a fence, a reconnect or a rebalance. */
export async function readLanes(ledger: Ledger, lanes: readonly LaneIdentity[]): Promise<LanePosition[]> {
  if (lanes.length === 0) return [];
  return withConnection(ledger.pool, async (client) => {
    const { rows } = await client.query<LaneRow>(
      `select cluster_id, topic_id, partition, cluster, topic, source, next_offset::text, state, reason from ${ledger.schema}.ingest_lane where ${lanes
        .map((lane) => `(${whereLane(lane)})`)
        .join(' or ')}`,
    );
    return rows.map(toLanePosition);
  });
}

/**
 * Records for operators, and for the next worker, that a lane is stopped and why; `running` resumes it. False, and nothing is changed: the lane was opened again
 * since, as after a worker that was suspended.
 */
export async function setLaneState(
  ledger: Ledger,
  lane: LaneIdentity & Pick<OpenedLane, 'assignment'>,
  state: LanePosition['state'],
  reason: string | null,
): Promise<boolean> {
  const { rowCount } = await withConnection(ledger.pool, (client) =>
    client.query(
      `update ${ledger.schema}.ingest_lane set state = $1, reason = $2 where ${whereLane(lane)} and assignment = $3`,
      [state, reason, lane.assignment],
    ),
  );
  return rowCount === 1;
}

/**
 * Moves all idle lanes to the clock, so that the watermark advances without writes: one row, whatever the number of lanes. A lane that a batch has locked is
 * left to that batch. Changes nothing while the server's timeline has no epoch, or another process ticks. Returns whether a lane was written within the
 * last minute.
 */
export async function tickLanes({ pool, schema }: Ledger): Promise<boolean> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ isWritten: boolean }>(`select ${schema}.tick_lanes() as "isWritten"`),
  );
  return rows[0]?.isWritten ?? false;
}

/** How far the slowest lane of a source is behind the clock. */
export interface SourceLag {
  readonly source: string;
  readonly lagMs: number;
}

/** The lags of all sources. */
export async function readSourceLags({ pool, schema }: Ledger): Promise<SourceLag[]> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<SourceLag>(
      `select source, greatest(0, extract(epoch from clock_timestamp() - min(settled_at)) * 1000)::float8 as "lagMs"
         from ${schema}.lane_watermark group by source`,
    ),
  );
  return rows;
}

/** Opens the epoch of the server's timeline if it is not open: the first step of a writer on a new connection. True: this call opened it. */
export async function openEpoch(ledger: Ledger): Promise<boolean> {
  const { rows } = await withConnection(ledger.pool, (client) =>
    client.query<{ opened: boolean }>(`select ${ledger.schema}.open_epoch() as opened`),
  );
  return rows[0]?.opened ?? false;
}

/** Throws, as for an unavailable database, while nothing may be written: after a promotion until the epoch is open, after a restore until it was finished. */
export async function requireOpenEpoch({ pool, schema }: Ledger): Promise<void> {
  await withConnection(pool, (client) => client.query(`select ${schema}.require_open_epoch()`));
}
