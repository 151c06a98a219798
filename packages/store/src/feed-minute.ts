import type { Ledger } from './lane.ts';
import { type SettledFeed, settledFeeds, sourcesOfFeed } from './watermark.ts';

/** What one process saw of a feed since it last told. */
export interface FeedSample {
  readonly feed: SettledFeed;
  readonly lagMs: number;
  readonly rows: number;
}

/** Adds what one process saw to the minute that runs: the greatest lag of any, the rows of all. */
export async function noteMinute(models: Ledger, samples: readonly FeedSample[]): Promise<void> {
  if (samples.length === 0) return;
  // In one order, so that two processes never wait for each other.
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

const keptHours = 48;

export async function dropOldMinutes(models: Ledger): Promise<void> {
  await models.pool.query(
    'delete from models.feed_minute where minute < clock_timestamp() - make_interval(hours => $1)',
    [keptHours],
  );
}

/** How far each feed is behind, from how far its sources are: as far as the slowest. Feeds of which nothing is known are left out. */
export function lagOfFeeds(lagOfSources: ReadonlyMap<string, number>): Map<SettledFeed, number> {
  const lags = settledFeeds.map((feed) => {
    const known = sourcesOfFeed(feed).flatMap((source) => lagOfSources.get(source) ?? []);
    return [feed, Math.max(...known)] as const;
  });
  return new Map(lags.filter(([, lagMs]) => lagMs >= 0));
}

/** The feed that a source is the own one of: where its rows are read. Null: it writes no feed. */
export const feedOfSource = (source: string): SettledFeed | null =>
  settledFeeds.find((feed) => sourcesOfFeed(feed).includes(source)) ?? null;
