import type { FeedLane, FeedMinute, FeedReport } from '@tenantscope/store';
import { everybody, route } from '../route.ts';
import { sightOf } from './letters.ts';
import { heardOf } from './sources.ts';

const lateMs = 10_000;
const stoppedMs = 60_000;
/** Ingestion tells of a lane every ten seconds; what it has not told of for so long is not known. */
const toldMs = 35_000;
const minuteMs = 60_000;
const shownMinutes = 60;
/** One minute says little of a feed that a record comes to every now and then. */
const averagedMinutes = 5;

export type FeedState = 'settled' | 'late' | 'stopped' | 'unproven';

export interface Feed {
  readonly feed: FeedReport['feeds'][number]['feed'];
  readonly state: FeedState;
  /** Null: nothing can be proven of it, and the api answers 503. */
  readonly settledTo: string | null;
  /** How far that lies behind the clock. */
  readonly lagMs: number;
  /** How late what comes is written: the lag, or longer where records lie in Kafka unread. */
  readonly lateMs: number;
  /** Records that Kafka has and that are not read yet; null where it is not known of every lane. */
  readonly unread: number | null;
  readonly parked: number;
  /** The slowest first: the feed is as far as that one. */
  readonly lanes: readonly ShownLane[];
}

export interface ShownLane extends FeedLane {
  readonly lagMs: number;
  readonly lateMs: number;
  readonly unread: number | null;
  /** Whether its reader was heard of lately. */
  readonly isRead: boolean;
}

/** What is said of feeds, wherever it is said: the table, the sentence, the line in the frame. */
export function feedsOf(report: FeedReport): { databaseNow: string; parked: number; feeds: Feed[] } {
  const nowMs = Date.parse(report.databaseNow);
  const since = (time: string): number => Math.max(0, nowMs - Date.parse(time));
  const feeds = report.feeds.map(({ feed, lanes, unopened, parked }): Feed => {
    const shown = lanes
      .map((lane): ShownLane => {
        const lagMs = since(lane.settledAt);
        const isRead = lane.lookedAt !== null && since(lane.lookedAt) < toldMs;
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
    const standsStill = shown.some(({ state }) => state !== 'running');
    return {
      feed,
      state: !isProven
        ? 'unproven'
        : mostMs >= stoppedMs || standsStill
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
      parked,
      lanes: shown,
    };
  });
  return { databaseNow: report.databaseNow, parked: report.parked, feeds };
}

const standing = { stopped: 0, tripped: 1, running: 2 } as const;
const slowestFirst = (one: ShownLane, other: ShownLane): number =>
  standing[one.state] - standing[other.state] ||
  // By whole seconds: what is level changes its place with every tick otherwise.
  Math.floor(other.lateMs / 1_000) - Math.floor(one.lateMs / 1_000) ||
  (other.unread ?? 0) - (one.unread ?? 0) ||
  (one.topic === other.topic ? one.partition - other.partition : one.topic < other.topic ? -1 : 1);

/** Whether it is stopped by a lane that waits for somebody, however little that lane is behind. */
export const standsStill = ({ lanes, lateMs }: Feed): boolean =>
  lateMs < stoppedMs && lanes.some(({ state }) => state !== 'running');

const worseFirst: readonly FeedState[] = ['unproven', 'stopped', 'late', 'settled'];

/** The feed that is worst off. */
export const worstOf = (feeds: readonly Feed[]): Feed =>
  feeds.reduce((one, other) => {
    const distance = worseFirst.indexOf(other.state) - worseFirst.indexOf(one.state);
    return distance < 0 || (distance === 0 && other.lateMs > one.lateMs) ? other : one;
  });

/** An hour of a feed, minute by minute; null is a minute in which no ingestion ran. */
export interface FeedHour {
  readonly from: string;
  readonly lagMs: readonly (number | null)[];
  readonly rows: readonly (number | null)[];
  /** Written a minute, over the last whole minutes. */
  readonly rowsPerMinute: number | null;
  /** No row for the hour: where the feed is settled all the same, nothing is late. */
  readonly isQuiet: boolean;
}

export function hourOf(feed: string, minutes: readonly FeedMinute[], nowMs: number): FeedHour {
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

export const listFeeds = route({
  method: 'GET',
  path: '/feeds',
  roles: everybody,
  async answer({ console, store, session }) {
    const [report, minutes, sources, apiAnswers] = await Promise.all([
      store.feeds(sightOf(session)),
      store.feedMinutes(),
      store.sources(session.tenants.map(({ id }) => id)),
      console.api.answers(),
    ]);
    const { databaseNow, parked, feeds } = feedsOf(report);
    const nowMs = Date.parse(databaseNow);
    return {
      databaseNow,
      apiAnswers,
      parked,
      feeds: feeds.map((feed) => ({ ...feed, hour: hourOf(feed.feed, minutes, nowMs) })),
      sources: sources.map((source) => heardOf(source, nowMs)),
    };
  },
});
