import { type FeedName, feedNames, findFeedByTopic, listFeedTopics, sourceByRecordName } from '@tenantscope/contract';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';
import { laneStates, stallCauses } from '../lane/lane-status.ts';
import { countByTopic, type DeadLetterPools, type DeadLetterQuery } from './dead-letters.ts';

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

/** The state of every feed, and the number of pending dead letters that match. */
export async function readFeedReport(
  pools: DeadLetterPools,
  sight: Omit<DeadLetterQuery, 'state'>,
): Promise<FeedReport> {
  const { models } = pools;
  const pending = await countByTopic(pools, { ...sight, state: 'pending' });
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
    pending: pending.reduce((sum, { count }) => sum + count, 0),
    feeds: feedNames.map((feed) => {
      const sources = listFeedTopics(feed);
      // Topics of source bindings have names of their own; their lanes say what they write.
      const own = pending.filter(({ topic }) => findFeedByTopic(sourceByTopic.get(topic) ?? topic) === feed);
      return {
        feed,
        lanes: lanes.filter(({ source }) => sources.includes(source)),
        unopened: sources.filter((source) => lanes.every((one) => one.source !== source)),
        pending: own.reduce((sum, { count }) => sum + count, 0),
      };
    }),
  };
}

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

const gap = z.object({ from: z.string(), to: z.string(), reason: z.string().nullable().default(null) });
const source = z.object({
  tenantId: z.string(),
  source: z.string(),
  lastOccurredAt: z.string().nullable(),
  lastDiscoveredAt: z.string(),
  rowCount: z.number(),
  /** When its producer last imported all of it, which counts like a row. */
  importedAt: z.string().nullable(),
  /** Whether it is a category or table that the product does not list. */
  isUnlisted: z.boolean(),
  /** What its collectors report as missing; null where none reports. */
  gaps: z.array(gap).nullable(),
});
export type SourceProgress = z.infer<typeof source>;

/** How far the sources of tenants have come. */
export function listSourceProgress(
  pool: DatabasePool,
  tenantIds: readonly string[],
): Promise<readonly SourceProgress[]> {
  const tenants = sql.array([...tenantIds], 'uuid');
  return translateErrors(
    pool.any(sql.type(source)`
      with named as (
        select * from unnest(${sql.array(Object.keys(sourceByRecordName), 'text')}, ${sql.array(Object.values(sourceByRecordName), 'text')}) as named (name, read_model)
      ), reported as (
        select r.tenant_id, coalesce(n.read_model, f.source) as source,
               max(f."lastCompleteImportAt") filter (where f."lastCompleteImportAt" <= clock_timestamp() + interval '1 hour') as imported_at,
               jsonb_path_query_array(jsonb_agg(f.gaps) filter (where f.gaps is not null), '$[*][*]') as gaps
          from models.compliance_record r
         cross join lateral jsonb_to_record(r.facts) as f (source text, "lastCompleteImportAt" timestamptz(3), gaps jsonb)
          left join named n on n.name = f.source
         where r.kind = 'sourceStatus' and r.tenant_id = any(${tenants})
         group by 1, 2
      )
      select s.tenant_id as "tenantId", s.source, s.last_occurred_at as "lastOccurredAt", s.last_discovered_at as "lastDiscoveredAt", s.row_count as "rowCount",
             s.is_unlisted as "isUnlisted", r.imported_at as "importedAt", r.gaps
        from models.source_status s left join named n on n.name = s.source
        left join reported r on r.tenant_id = s.tenant_id and r.source = coalesce(n.read_model, s.source)
       where s.tenant_id = any(${tenants}) order by s.tenant_id, s.source`),
  );
}
