import { type FeedName, feedNames, listFeedTopics } from '@tenantscope/contract';
import type { Ledger } from './lane.ts';

/** The lag and rows of a feed that one process measured since its last report. */
export interface FeedSample {
  readonly feed: FeedName;
  readonly lagMs: number;
  readonly rows: number;
}

/** Adds the samples of one process to the current minute: the greatest lag of all processes, the sum of their rows. */
export async function recordFeedMinute(models: Ledger, samples: readonly FeedSample[]): Promise<void> {
  if (samples.length === 0) return;
  // In one order, to avoid deadlocks between processes.
  const sorted = samples.toSorted((one, other) => (one.feed < other.feed ? -1 : 1));
  await models.pool.query({
    name: 'note-minute',
    text: `insert into models.feed_minute as m (minute, feed, lag_ms, row_count)
           select date_trunc('minute', clock_timestamp()), feed, lag_ms, row_count from unnest($1::text[], $2::bigint[], $3::bigint[]) as seen (feed, lag_ms, row_count)
           on conflict (minute, feed) do update set lag_ms = greatest(m.lag_ms, excluded.lag_ms), row_count = m.row_count + excluded.row_count
            where excluded.lag_ms > m.lag_ms or excluded.row_count > 0`,
    values: [
      sorted.map(({ feed }) => feed),
      sorted.map(({ lagMs }) => Math.round(lagMs)),
      sorted.map(({ rows }) => rows),
    ],
  });
}

const retentionHours = 48;

export async function deleteOldFeedMinutes(models: Ledger): Promise<void> {
  await models.pool.query(
    'delete from models.feed_minute where minute < clock_timestamp() - make_interval(hours => $1)',
    [retentionHours],
  );
}

/** How far each feed is behind, from how far its sources are: as far as the slowest. Feeds of which nothing is known are left out. */
export function computeFeedLags(lagOfSources: ReadonlyMap<string, number>): Map<FeedName, number> {
  const lags = feedNames.map((feed) => {
    const lags = listFeedTopics(feed).flatMap((source) => lagOfSources.get(source) ?? []);
    return [feed, Math.max(...lags)] as const;
  });
  return new Map(lags.filter(([, lagMs]) => lagMs >= 0));
}
