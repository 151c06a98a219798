import type { FeedMinute, FeedReport } from '@tenantscope/store/console';
import type { FeedHour, FeedSummary, Lane } from '../../api/feeds.ts';

const lateMs = 10_000;
const stoppedMs = 60_000;
/** Ingestion reports a lane every ten seconds; the state of a lane without a report for so long is unknown. */
const reportedMs = 35_000;
const minuteMs = 60_000;
const shownMinutes = 60;
/** One minute is too short an average for a feed with few records. */
const averagedMinutes = 5;

/** Summarizes the feeds for the table, the sentence and the settled status alike. */
export function summarizeFeeds(report: FeedReport): { databaseNow: string; pending: number; feeds: FeedSummary[] } {
  const nowMs = Date.parse(report.databaseNow);
  const since = (time: string): number => Math.max(0, nowMs - Date.parse(time));
  const feeds = report.feeds.map(({ feed, lanes, unopened, pending }): FeedSummary => {
    const shown = lanes
      .map((lane): Lane => {
        const lagMs = since(lane.settledAt);
        const isRead = lane.observedAt !== null && since(lane.observedAt) < reportedMs;
        return {
          ...lane,
          lagMs,
          lateMs: lane.unreadSince === null ? lagMs : Math.max(lagMs, since(lane.unreadSince)),
          isRead,
          unread: isRead && lane.endOffset !== null ? Math.max(0, lane.endOffset - lane.nextOffset) : null,
        };
      })
      .sort(slowestFirst);
    const isProven = unopened.length === 0;
    const lagMs = Math.max(0, ...shown.map((lane) => lane.lagMs));
    const mostMs = Math.max(0, ...shown.map((lane) => lane.lateMs));
    const isStalled = shown.some(({ state }) => state !== 'running');
    return {
      feed,
      state: !isProven
        ? 'unproven'
        : mostMs >= stoppedMs || isStalled
          ? 'stopped'
          : mostMs >= lateMs
            ? 'late'
            : 'settled',
      settledTo: isProven ? (shown.map(({ settledAt }) => settledAt).sort()[0] ?? null) : null,
      lagMs,
      lateMs: mostMs,
      unread: shown.reduce<number | null>(
        (sum, { unread }) => (sum === null || unread === null ? null : sum + unread),
        0,
      ),
      pending,
      lanes: shown,
    };
  });
  return { databaseNow: report.databaseNow, pending: report.pending, feeds };
}

const laneStateOrder = { stopped: 0, tripped: 1, running: 2 } as const;
const slowestFirst = (one: Lane, other: Lane): number =>
  laneStateOrder[one.state] - laneStateOrder[other.state] ||
  // By whole seconds: otherwise lanes that are level change places with every tick.
  Math.floor(other.lateMs / 1_000) - Math.floor(one.lateMs / 1_000) ||
  (other.unread ?? 0) - (one.unread ?? 0) ||
  (one.topic === other.topic ? one.partition - other.partition : one.topic < other.topic ? -1 : 1);

/** Whether a lane that waits for an operator stops the feed, however little that lane is behind. */
export const hasStalledLane = ({ lanes, lateMs }: FeedSummary): boolean =>
  lateMs < stoppedMs && lanes.some(({ state }) => state !== 'running');

const worseFirst: readonly FeedSummary['state'][] = ['unproven', 'stopped', 'late', 'settled'];

/** The feed in the worst state; the latest of those. */
export const findWorstFeed = (feeds: readonly FeedSummary[]): FeedSummary =>
  feeds.reduce((one, other) => {
    const distance = worseFirst.indexOf(other.state) - worseFirst.indexOf(one.state);
    return distance < 0 || (distance === 0 && other.lateMs > one.lateMs) ? other : one;
  });

/** The last hour of a feed, minute by minute; null is a minute in which no ingestion ran. */
export function summarizeHour(feed: string, minutes: readonly FeedMinute[], nowMs: number): FeedHour {
  const lastMs = Math.floor(nowMs / minuteMs) * minuteMs;
  const own = new Map(minutes.filter((one) => one.feed === feed).map((one) => [Date.parse(one.at), one]));
  const all = Array.from(
    { length: shownMinutes },
    (_, index) => own.get(lastMs - (shownMinutes - 1 - index) * minuteMs) ?? null,
  );
  const whole = all.slice(-1 - averagedMinutes, -1).filter((one) => one !== null);
  return {
    from: new Date(lastMs - (shownMinutes - 1) * minuteMs).toISOString(),
    lagMs: all.map((one) => one?.lagMs ?? null),
    rows: all.map((one) => one?.rows ?? null),
    rowsPerMinute: whole.length === 0 ? null : whole.reduce((sum, { rows }) => sum + rows, 0) / whole.length,
    isQuiet: all.some((one) => one !== null) && all.every((one) => one === null || one.rows === 0),
  };
}
