import { type FeedName, feedNames, findFeedByTopic, listFeedTopics } from '@tenantscope/contract';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { CellPool } from '../admin/cell-pools.ts';
import { translateErrors } from '../admin/database.ts';
import { tables } from '../admin/dead-letters.ts';
import { listedLane } from '../lane/listed-lane.ts';
import { type DeadLetterPools, listLedgers, type VisibilityScope, visibilityCondition } from './dead-letters.ts';

const lane = listedLane.extend({
  source: z.string(),
  nextOffset: z.number(),
  settledAt: z.string(),
  /** Since when its worker reads it, and when that was reported. */
  assignedAt: z.string().nullable(),
  observedAt: z.string().nullable(),
  /** The time of the oldest unread record. */
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
  /** Cells of the tenants whose databases do not respond. */
  readonly unavailableCells: readonly string[];
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

/**
 * The state of every feed in the cells of the pools, and the number of pending dead letters that are visible. A cell that is `unavailable` has no lane, so that
 * no feed is complete. Dead letters are counted in all cells that respond.
 */
export async function readFeedReport(
  pools: DeadLetterPools,
  sight: VisibilityScope & { readonly tenantId?: string | undefined },
  { unavailable, counted }: { readonly unavailable: readonly string[]; readonly counted: DeadLetterPools },
): Promise<FeedReport> {
  const counts = await countPending(counted, sight);
  // The clock is read last: against an older one a lane that was ticked meanwhile would be ahead of it.
  const cells = await Promise.all(pools.models.map(({ pool }) => readLanes(pool)));
  const lanes = cells.flat();
  const sourceByTopic = new Map(lanes.map(({ topic, source }) => [topic, source]));
  return {
    databaseNow: await readClock(pools.models[0]?.pool ?? pools.control),
    pending: sumPending(counts),
    unavailableCells: unavailable,
    feeds: feedNames.map((feed) => {
      const sources = listFeedTopics(feed);
      // Topics of source bindings have names of their own; their lanes say what they write.
      const own = counts.filter(({ topic }) => findFeedByTopic(sourceByTopic.get(topic) ?? topic) === feed);
      const isUnopened = (source: string) =>
        unavailable.length > 0 || cells.some((cell) => cell.every((one) => one.source !== source));
      return {
        feed,
        lanes: lanes.filter(({ source }) => sources.includes(source)),
        unopened: sources.filter(isUnopened),
        pending: sumPending(own),
      };
    }),
  };
}

const readLanes = (models: DatabasePool): Promise<readonly FeedLane[]> =>
  translateErrors(
    models.any(sql.type(lane)`
      select cluster, topic, source, partition, next_offset as "nextOffset", settled_at as "settledAt", written_at as "writtenAt", state, reason,
             stall, stalled_since as "stalledSince", worker, assigned_at as "assignedAt", observed_at as "observedAt",
             unread_count as unread, unread_since as "unreadSince", measured_at as "measuredAt"
        from models.lane_status order by topic, partition`),
  );

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

/** The last hour of every feed, of all cells together, oldest first, and the clock; minutes in which no ingestion ran are not there. */
export async function listFeedMinutes({
  models: cells,
  control,
}: {
  readonly models: readonly CellPool[];
  readonly control: DatabasePool;
}): Promise<{ readonly databaseNow: string; readonly minutes: readonly FeedMinute[] }> {
  const minutes = (await Promise.all(cells.map(({ pool }) => readMinutes(pool)))).flat();
  return {
    databaseNow: await readClock(cells[0]?.pool ?? control),
    minutes: [...Map.groupBy(minutes, ({ feed, at }) => `${at} ${feed}`)].toSorted().map(([, parts]) => ({
      ...(parts[0] as FeedMinute),
      lagMs: Math.max(...parts.map(({ lagMs }) => lagMs)),
      rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    })),
  };
}

const readMinutes = (models: DatabasePool): Promise<readonly FeedMinute[]> =>
  translateErrors(
    models.any(sql.type(minute)`
      select feed, minute as at, lag_ms as "lagMs", row_count as rows
        from models.feed_minute where minute > clock_timestamp() - interval '61 minutes' order by minute, feed`),
  );
