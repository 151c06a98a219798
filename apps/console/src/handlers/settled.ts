import { readSettled } from '../../api/feeds.ts';
import { handle } from '../http/handler.ts';
import { visibilityScope } from '../http/visibility-scope.ts';
import { findWorstFeed, hasStalledLane, summarizeFeeds } from './feed-summary.ts';

export const settled = handle(readSettled, async ({ console, store, session }) => {
  const [report, apiResponds] = await Promise.all([store.feeds(visibilityScope(session)), console.api.isResponding()]);
  const { databaseNow, pending, feeds } = summarizeFeeds(report);
  const worst = findWorstFeed(feeds);
  return {
    databaseNow,
    state: worst.state === 'stopped' ? 'late' : worst.state,
    settledTo: worst.settledTo === null ? null : (feeds.map(({ settledTo }) => settledTo ?? '').sort()[0] ?? null),
    lagMs: worst.lagMs,
    worst:
      worst.state === 'settled' ? null : { feed: worst.feed, lagMs: worst.lateMs, isStalled: hasStalledLane(worst) },
    pending,
    apiResponds,
  };
});
