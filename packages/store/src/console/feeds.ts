import { type FeedName, feedNames, findFeedByTopic, listFeedTopics } from '@tenantscope/contract';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import { tables } from '../admin/dead-letters.ts';
import { laneStates, stallCauses } from '../lane/lane-status.ts';
import { type DeadLetterPools, listLedgers, type VisibilityScope, visibilityCondition } from './dead-letters.ts';

const lane = z.object({
  /** The configured name of its Kafka cluster. */
  cluster: z.string(),
  topic: z.string(),
  source: z.string(),
  partition: z.number(),
  nextOffset: z.number(),
  settledAt: z.string(),
  writtenAt: z.string().nullable(),
  state: z.enum(laneStates),
  reason: z.string().nullable(),
  stall: z.enum(stallCauses).nullable(),
  stalledSince: z.string().nullable(),
  /** The process that reads it, as last reported, since when and when that was. */
  worker: z.string().nullable(),
  assignedAt: z.string().nullable(),
  observedAt: z.string().nullable(),
  /** Records in Kafka that are not read; null: the log was never measured. */
  unread: z.number().nullable(),
  /** The time of the oldest of them. */
  unreadSince: z.string().nullable(),
  /** When the log was last measured. */
  measuredAt: z.string().nullable(),
});
export type FeedLane = z.infer<typeof lane>;

export interface FeedReport {
  readonly databaseNow: string;
  readonly feeds: readonly {
    readonly feed: FeedName;
    /** Of every source that writes the feed. */
    readonly lanes: readonly FeedLane[];
    /** Sources without a lane: while there is one, the feed has no watermark. */
    readonly unopened: readonly string[];
    /** Pending dead letters of its topics. */
    readonly pending: number;
  }[];
  /** All pending ones, including those of tenant and organization records. */
  readonly pending: number;
}

const pendingCount = z.object({ topic: z.string(), pending: z.number() });

/** Pending dead letters by topic, of those that are visible. */
async function countPending(
  pools: DeadLetterPools,
  sight: VisibilityScope & { readonly tenantId?: string | undefined },
): Promise<readonly z.infer<typeof pendingCount>[]> {
  const isVisible = await visibilityCondition(pools, sight);
  const ofTenant = sight.tenantId === undefined ? sql.fragment`true` : sql.fragment`l.tenant_id = ${sight.tenantId}`;
  const counts = await Promise.all(
    listLedgers(pools).map(({ pool, schema }) =>
      translateErrors(
        pool.any(sql.type(pendingCount)`
          select l.topic, sum(l.amount)::bigint as pending from ${tables(schema).counts} l
           where l.state = 'pending' and ${isVisible} and ${ofTenant} group by l.topic having sum(l.amount) > 0`),
      ),
    ),
  );
  return counts.flat();
}

/** The state of every feed, and the number of pending dead letters that are visible. */
export async function readFeedReport(
  pools: DeadLetterPools,
  sight: VisibilityScope & { readonly tenantId?: string | undefined },
): Promise<FeedReport> {
  const { models } = pools;
  const counts = await countPending(pools, sight);
  // The clock is read last: against an older one a lane that was ticked meanwhile would be ahead of it.
  const lanes = await translateErrors(
    models.any(sql.type(lane)`
      select cluster, topic, source, partition, next_offset as "nextOffset", settled_at as "settledAt", written_at as "writtenAt", state, reason,
             stall, stalled_since as "stalledSince", worker, assigned_at as "assignedAt", observed_at as "observedAt",
             unread_count as unread, unread_since as "unreadSince", measured_at as "measuredAt"
        from models.lane_status order by topic, partition`),
  );
  const sourceByTopic = new Map(lanes.map(({ topic, source }) => [topic, source]));
  return {
    databaseNow: await readClock(models),
    pending: sumPending(counts),
    feeds: feedNames.map((feed) => {
      const sources = listFeedTopics(feed);
      // Topics of source bindings have names of their own; their lanes say what they write.
      const own = counts.filter(({ topic }) => findFeedByTopic(sourceByTopic.get(topic) ?? topic) === feed);
      return {
        feed,
        lanes: lanes.filter(({ source }) => sources.includes(source)),
        unopened: sources.filter((source) => lanes.every((one) => one.source !== source)),
        pending: sumPending(own),
      };
    }),
  };
}

const sumPending = (counts: readonly z.infer<typeof pendingCount>[]): number =>
  counts.reduce((sum, { pending }) => sum + pending, 0);

const readClock = (models: DatabasePool): Promise<string> =>
  translateErrors(
    models.oneFirst(
      sql.type(z.object({ now: z.string() }))`select date_trunc('milliseconds', clock_timestamp()) as now`,
    ),
  );

const minute = z.object({ feed: z.string(), at: z.string(), lagMs: z.number(), rows: z.number() });
/** A minute of a feed: the greatest lag that ingestion measured, and the rows it wrote. */
export type FeedMinute = z.infer<typeof minute>;

/** The last hour of every feed, oldest first, and the clock; minutes in which no ingestion ran are not there. */
export async function listFeedMinutes(
  pool: DatabasePool,
): Promise<{ readonly databaseNow: string; readonly minutes: readonly FeedMinute[] }> {
  const minutes = await translateErrors(
    pool.any(sql.type(minute)`
      select feed, minute as at, lag_ms as "lagMs", row_count as rows
        from models.feed_minute where minute > clock_timestamp() - interval '61 minutes' order by minute, feed`),
  );
  return { databaseNow: await readClock(pool), minutes };
}
