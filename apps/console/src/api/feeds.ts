import type { FeedLane, FeedReport } from '@tenantscope/store';
import { everybody, route } from '../route.ts';
import { sightOf } from './letters.ts';

const lateMs = 10_000;
const stoppedMs = 60_000;

export interface Feed {
  readonly feed: string;
  readonly state: 'settled' | 'late' | 'stopped' | 'unproven';
  /** No rows lately while the watermark moves: nothing is late. */
  readonly isQuiet: boolean;
  readonly settledTo: string | null;
  readonly lagMs: number;
  readonly parked: number;
  readonly lanes: readonly FeedLane[];
}

/** How far each feed has come. A feed without a lane, or with one that an operator stopped, cannot be proven complete. */
export function feedsOf(report: FeedReport): { databaseNow: string; feeds: Feed[] } {
  const nowMs = Date.parse(report.databaseNow);
  const feeds = report.feeds.map(({ feed, lanes, parked, isWritten }): Feed => {
    const slowest = lanes.reduce<FeedLane | null>(
      (one, lane) => (one === null || lane.settledAt < one.settledAt ? lane : one),
      null,
    );
    const lagMs = slowest === null ? Number.MAX_SAFE_INTEGER : Math.max(0, nowMs - Date.parse(slowest.settledAt));
    const state = slowest === null ? 'unproven' : lagMs >= stoppedMs ? 'stopped' : lagMs >= lateMs ? 'late' : 'settled';
    return {
      feed,
      state,
      isQuiet: state === 'settled' && !isWritten,
      settledTo: slowest?.settledAt ?? null,
      lagMs,
      parked,
      lanes: [...lanes].sort((one, other) => (one.settledAt < other.settledAt ? -1 : 1)),
    };
  });
  return { databaseNow: report.databaseNow, feeds };
}

export const listFeeds = route({
  method: 'GET',
  path: '/feeds',
  roles: everybody,
  async answer({ store, session }) {
    const [report, sources] = await Promise.all([
      store.feeds(sightOf(session)),
      store.sources(session.tenants.map(({ id }) => id)),
    ]);
    return { ...feedsOf(report), sources };
  },
});
