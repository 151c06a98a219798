import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { asked } from '../admin/database.ts';
import { type SettledFeed, settledFeeds, sourcesOfFeed } from '../watermark.ts';

const lane = z.object({
  topic: z.string(),
  source: z.string(),
  partition: z.number(),
  nextOffset: z.number(),
  settledAt: z.string(),
  writtenAt: z.string().nullable(),
  state: z.enum(['running', 'stopped', 'tripped']),
  reason: z.string().nullable(),
});
export type FeedLane = z.infer<typeof lane>;

export interface FeedReport {
  readonly databaseNow: string;
  readonly feeds: readonly {
    readonly feed: SettledFeed;
    readonly lanes: readonly FeedLane[];
    /** Dead letters that wait for somebody. */
    readonly parked: number;
    /** Whether anything was written lately. */
    readonly isWritten: boolean;
  }[];
}

const parkedOf = z.object({ source: z.string(), parked: z.number() });

/** How every feed stands, in one reading: its lanes and what was set aside of its topics. */
export async function reportFeeds(pool: DatabasePool): Promise<FeedReport> {
  const [lanes, parked, now] = await Promise.all([
    asked(
      pool.any(sql.type(lane)`
        select topic, source, partition, next_offset as "nextOffset", settled_at as "settledAt", written_at as "writtenAt", state, reason
          from models.ingest_lane order by topic, partition`),
    ),
    asked(
      pool.any(sql.type(parkedOf)`
        select n.source, count(*) as parked
          from models.dead_letter d join models.dead_letter_message m on m.id = d.message_id
          join (select distinct topic, source from models.ingest_lane) n on n.topic = m.topic
         where d.state = 'parked' group by n.source`),
    ),
    asked(
      pool.oneFirst(
        sql.type(z.object({ now: z.string() }))`select date_trunc('milliseconds', clock_timestamp()) as now`,
      ),
    ),
  ]);
  const hourAgoMs = Date.parse(now) - 3_600_000;
  return {
    databaseNow: now,
    feeds: settledFeeds.map((feed) => {
      const own = lanes.filter(({ source }) => sourcesOfFeed(feed).includes(source));
      return {
        feed,
        lanes: own,
        parked: parked
          .filter(({ source }) => sourcesOfFeed(feed)[0] === source)
          .reduce((sum, one) => sum + one.parked, 0),
        isWritten: own.some(({ writtenAt }) => writtenAt !== null && Date.parse(writtenAt) > hourAgoMs),
      };
    }),
  };
}

const source = z.object({
  tenantId: z.string(),
  source: z.string(),
  lastOccurredAt: z.string().nullable(),
  lastDiscoveredAt: z.string(),
  rowCount: z.number(),
});
export type SourceProgress = z.infer<typeof source>;

/** How far the sources of tenants have come. */
export function listSources(pool: DatabasePool, tenantIds: readonly string[]): Promise<readonly SourceProgress[]> {
  return asked(
    pool.any(sql.type(source)`
      select tenant_id as "tenantId", source, last_occurred_at as "lastOccurredAt", last_discovered_at as "lastDiscoveredAt", row_count as "rowCount"
        from models.source_status where tenant_id = any(${sql.array([...tenantIds], 'uuid')}) order by tenant_id, source`),
  );
}
