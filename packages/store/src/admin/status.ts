import { type FeedName, feedNames, listFeedTopics } from '@tenantscope/contract';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { countPending, type PendingCount } from './dead-letters.ts';
import { type ListedLane, listLanes, listLedgerLanes } from './lanes.ts';
import { type ListedProcess, listProcesses, listUnfinishedBackfills, type UnfinishedBackfill } from './processes.ts';

const source = z.object({ source: z.string(), settledAt: z.string(), lagMs: z.number() });
const partitions = z.object({
  aheadDays: z.number().nullable(),
  retainedFrom: z.string().nullable(),
  retentionDays: z.number(),
  /** Rows before it are read from sealed blocks; null before the first seal. */
  sealedBefore: z.string().nullable(),
  /** Partitions that could be sealed by the clock and are not. */
  unsealed: z.number(),
  /** Rows of theirs in sealed blocks. */
  unsealedRowsDone: z.number(),
});

export interface FeedStatus {
  /** Null while a topic of the feed has no lane: its completeness is unknown. */
  readonly completeThrough: string | null;
  readonly lagMs: number | null;
  /** Records in Kafka that its lanes have not read. A feed may be complete, but behind: `completeThrough` moves while records are unread. */
  readonly unread: number;
  /** The time of the oldest of them. */
  readonly unreadSince: string | null;
}

const unknownCategory = z.object({
  tenantId: z.string(),
  category: z.string(),
  rows: z.number(),
  lastDiscoveredAt: z.string(),
});

const epoch = z.object({
  /** Each promotion opens one. 0 before ingestion ran for the first time. */
  number: z.number(),
  openedAt: z.string().nullable(),
  /** Whether the server may be written to and read. */
  isOpen: z.boolean(),
  /** The standbys that commits wait for: synchronous_standby_names. */
  awaited: z.string(),
});

export interface Status {
  epoch: z.infer<typeof epoch>;
  feeds: Readonly<Record<FeedName, FeedStatus>>;
  lanes: readonly ListedLane[];
  deadLetters: { pending: readonly PendingCount[] };
  partitions: z.infer<typeof partitions>;
  /** Categories and tables of known providers that the product does not list, by the rows they have; the greatest first. */
  unknownCategories: readonly z.infer<typeof unknownCategory>[];
  processes: readonly ListedProcess[];
  backfills: readonly UnfinishedBackfill[];
}

/** What the database of a cell says of it. */
export async function readModelsStatus(models: DatabasePool): Promise<{
  readonly feeds: Status['feeds'];
  readonly lanes: Awaited<ReturnType<typeof listLedgerLanes>>;
  readonly pending: readonly PendingCount[];
  readonly epoch: Status['epoch'];
}> {
  const [settledSources, lanes, pending, current] = await Promise.all([
    readSettledSources(models),
    listLedgerLanes(models, 'models'),
    countPending(models, 'models'),
    readEpoch(models),
  ]);
  return { feeds: summarizeFeeds(settledSources, lanes), lanes, pending, epoch: current };
}

const readSettledSources = (models: DatabasePool) =>
  models.any(sql.type(source)`
    select source, min(settled_at) as "settledAt", round(extract(epoch from clock_timestamp() - min(settled_at)) * 1000)::bigint as "lagMs"
      from models.lane_watermark group by source`);

const readEpoch = (models: DatabasePool) =>
  models.one(sql.type(epoch)`
    select (select count(*)::integer from models.ingest_epoch) as number, (select max(opened_at) from models.ingest_epoch) as "openedAt",
           models.has_open_epoch() as "isOpen", current_setting('synchronous_standby_names') as awaited`);

const summarizeFeeds = (
  settledSources: readonly z.infer<typeof source>[],
  lanes: readonly Pick<ListedLane, 'source' | 'unread' | 'unreadSince'>[],
) => Object.fromEntries(feedNames.map((feed) => [feed, feedStatus(feed, settledSources, lanes)])) as Status['feeds'];

/** The state of the service: completeness of each feed, lanes, pending dead letters, partitions, processes and backfills. */
export async function readStatus(pools: { models: DatabasePool; control: DatabasePool }): Promise<Status> {
  const [settledSources, lanes, modelsPending, controlPending, ahead, unknown, processes, backfills, current] =
    await Promise.all([
      readSettledSources(pools.models),
      listLanes(pools),
      countPending(pools.models, 'models'),
      countPending(pools.control, 'control'),
      pools.models.one(sql.type(partitions)`
      select (select extract(day from max(to_at) - now())::integer from models.audit_log_partition) as "aheadDays",
             (select min(from_at) from models.audit_log_partition) as "retainedFrom", retention_days as "retentionDays", sealed_before as "sealedBefore",
             (select count(*) from models.audit_log_partition
               where sealed_at is null and to_at <= now() - make_interval(days => seal_after_days)) as unsealed,
             models.count_sealing_rows() as "unsealedRowsDone"
        from models.retention where feed = 'logs'`),
      readUnknownCategories(pools.models),
      listProcesses(pools.control),
      listUnfinishedBackfills(pools.models),
      readEpoch(pools.models),
    ]);
  return {
    epoch: current,
    feeds: summarizeFeeds(settledSources, lanes),
    lanes,
    deadLetters: { pending: [...modelsPending, ...controlPending] },
    partitions: ahead,
    unknownCategories: unknown,
    processes,
    backfills,
  };
}

/** Names are tenants' data: at most a hundred are listed. */
function readUnknownCategories(models: DatabasePool): Promise<readonly z.infer<typeof unknownCategory>[]> {
  return models.any(sql.type(unknownCategory)`
    select tenant_id as "tenantId", substr(source, length('logs/') + 1) as category, row_count as rows, last_discovered_at as "lastDiscoveredAt"
      from models.source_status where is_unlisted order by row_count desc, tenant_id, source limit 100`);
}

/** A feed is as complete as the slowest of the topics that write it. */
function feedStatus(
  feed: FeedName,
  settledSources: readonly z.infer<typeof source>[],
  lanes: readonly Pick<ListedLane, 'source' | 'unread' | 'unreadSince'>[],
): FeedStatus {
  const topics = listFeedTopics(feed);
  const own = lanes.filter((lane) => topics.includes(lane.source));
  const behind = {
    unread: own.reduce((sum, lane) => sum + (lane.unread ?? 0), 0),
    unreadSince: own.flatMap((lane) => lane.unreadSince ?? []).toSorted()[0] ?? null,
  };
  const found = settledSources.filter((one) => topics.includes(one.source));
  if (found.length < topics.length) return { completeThrough: null, lagMs: null, ...behind };
  return {
    completeThrough: found.map(({ settledAt }) => settledAt).toSorted()[0] ?? null,
    lagMs: Math.max(...found.map(({ lagMs }) => lagMs)),
    ...behind,
  };
}
