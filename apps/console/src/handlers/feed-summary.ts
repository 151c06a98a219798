import { feeds as declaredFeeds, type FeedName } from '@tenantscope/contract';
import type { FeedMinute, FeedReport } from '@tenantscope/store/console';
import type { FeedHour, FeedState, FeedSummary, Lane, OverallState } from '../../api/feeds.ts';

/** A consumer reports its lanes every five seconds. */
const reportedMs = 20_000;
const minuteMs = 60_000;
const shownMinutes = 60;
/** One minute is too short an average for a feed with few records. */
const averagedMinutes = 5;

export interface FeedSummaries {
  readonly databaseNow: string;
  readonly pending: number;
  readonly overall: OverallState;
  /** With their lanes, the slowest first. */
  readonly feeds: readonly (FeedSummary & { readonly lanes: readonly Lane[] })[];
}

/** Summarizes the lanes of each feed. The table, its lanes, the sentence and the settled status show these states and compute none. */
export function summarizeFeeds(report: FeedReport): FeedSummaries {
  const nowMs = Date.parse(report.databaseNow);
  const since = (time: string): number => Math.max(0, nowMs - Date.parse(time));
  const feeds = report.feeds.map(({ feed, lanes, unopened, pending }) => {
    const shown = lanes
      .map((lane): Lane => {
        const lagMs = since(lane.settledAt);
        return {
          ...lane,
          lagMs,
          // Where the log is not measured, anything since the last measurement may be unread.
          lateMs: Math.max(
            lagMs,
            ...[lane.unreadSince, lane.stalledSince].map((time) => (time === null ? 0 : since(time))),
          ),
          isRead: lane.observedAt !== null && since(lane.observedAt) < reportedMs,
        };
      })
      .sort(worstFirst);
    const isProven = unopened.length === 0;
    return {
      feed,
      state: isProven ? worstState(shown.map(({ state }) => laneStates[state].feed)) : 'unproven',
      settledTo: isProven ? (shown.map(({ settledAt }) => settledAt).sort()[0] ?? null) : null,
      lagMs: Math.max(0, ...shown.map((lane) => lane.lagMs)),
      lateMs: Math.max(0, ...shown.map((lane) => lane.lateMs)),
      unread: shown.reduce<number | null>(
        (sum, { unread }) => (sum === null || unread === null ? null : sum + unread),
        0,
      ),
      unreadSince: shown.flatMap(({ unreadSince }) => unreadSince ?? []).sort()[0] ?? null,
      pending,
      laneCount: shown.length,
      slowestLane: shown[0] ?? null,
      lanes: shown,
    };
  });
  return { databaseNow: report.databaseNow, pending: report.pending, overall: summarizeAll(feeds), feeds };
}

/** The order of lanes, and the state that a lane gives its feed. */
const laneStates: Readonly<Record<Lane['state'], { readonly rank: number; readonly feed: FeedState }>> = {
  stopped: { rank: 0, feed: 'stalled' },
  tripped: { rank: 1, feed: 'stalled' },
  stalled: { rank: 2, feed: 'stalled' },
  late: { rank: 3, feed: 'late' },
  running: { rank: 4, feed: 'settled' },
  unbound: { rank: 5, feed: 'settled' },
};

const worstFirst = (one: Lane, other: Lane): number =>
  laneStates[one.state].rank - laneStates[other.state].rank ||
  // By whole seconds: otherwise lanes that are level change places with every tick.
  Math.floor(other.lateMs / 1_000) - Math.floor(one.lateMs / 1_000) ||
  (other.unread ?? 0) - (one.unread ?? 0) ||
  (one.topic === other.topic ? one.partition - other.partition : one.topic < other.topic ? -1 : 1);

const feedStates: readonly FeedState[] = ['unproven', 'stalled', 'late', 'settled'];

const worstState = (states: readonly FeedState[]): FeedState =>
  feedStates.find((state) => states.includes(state)) ?? 'settled';

function summarizeAll(feeds: readonly FeedSummary[]): OverallState {
  const state = worstState(feeds.map((feed) => feed.state));
  const affected = feeds.filter((feed) => feed.state === state).toSorted((one, other) => other.lateMs - one.lateMs);
  return {
    state,
    feeds: affected.map(({ feed }) => feed),
    isEveryFeed: affected.length === feeds.length,
    lateMs: affected[0]?.lateMs ?? 0,
  };
}

/**
 * The last hour of a feed, minute by minute; null is a minute in which no ingestion ran. Rows are counted by topic, so those of a
 * feed without topics of its own are unknown.
 */
export function summarizeHour(feed: FeedName, minutes: readonly FeedMinute[], nowMs: number): FeedHour {
  const lastMs = Math.floor(nowMs / minuteMs) * minuteMs;
  const own = new Map(minutes.filter((one) => one.feed === feed).map((one) => [Date.parse(one.at), one]));
  const all = Array.from(
    { length: shownMinutes },
    (_, index) => own.get(lastMs - (shownMinutes - 1 - index) * minuteMs) ?? null,
  );
  const isCounted = declaredFeeds[feed].topics.length > 0;
  const whole = all.slice(-1 - averagedMinutes, -1).filter((one) => one !== null);
  return {
    from: new Date(lastMs - (shownMinutes - 1) * minuteMs).toISOString(),
    lagMs: all.map((one) => one?.lagMs ?? null),
    rows: all.map((one) => (isCounted ? (one?.rows ?? null) : null)),
    rowsPerMinute:
      whole.length === 0 || !isCounted ? null : whole.reduce((sum, { rows }) => sum + rows, 0) / whole.length,
    isQuiet: isCounted && all.some((one) => one !== null) && all.every((one) => one === null || one.rows === 0),
  };
}
