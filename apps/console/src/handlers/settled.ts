import { readSettled } from '../../api/feeds.ts';
import { handle } from '../http/handler.ts';
import { visibilityScope } from '../http/visibility-scope.ts';
import { summarizeFeeds } from './feed-summary.ts';

export const settled = handle(readSettled, async ({ console, store, session, input }) => {
  const [report, apiResponds] = await Promise.all([
    store.feeds({ ...visibilityScope(session), ...input }),
    console.api.isResponding(),
  ]);
  const { databaseNow, pending, overall, feeds } = summarizeFeeds(report);
  const isProven = feeds.every(({ settledTo }) => settledTo !== null);
  const settledTo = isProven ? (feeds.map(({ settledTo }) => settledTo ?? '').sort()[0] ?? null) : null;
  return { databaseNow, overall, settledTo, pending, apiResponds };
});
