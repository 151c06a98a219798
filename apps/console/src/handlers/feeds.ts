import * as routes from '../../api/feeds.ts';
import { handle } from '../http/handler.ts';
import { visibilityScope } from '../http/visibility-scope.ts';
import { summarizeFeeds, summarizeHour } from './feed-summary.ts';
import { assessSource } from './source-freshness.ts';

export const listFeeds = handle(routes.listFeeds, async ({ console, store, session }) => {
  const [report, minutes, sources, apiResponds] = await Promise.all([
    store.feeds(visibilityScope(session)),
    store.feedMinutes(),
    store.sources(session.tenants.map(({ id }) => id)),
    console.api.isResponding(),
  ]);
  const { databaseNow, pending, feeds } = summarizeFeeds(report);
  const nowMs = Date.parse(databaseNow);
  return {
    databaseNow,
    apiResponds,
    pending,
    feeds: feeds.map((feed) => ({ ...feed, hour: summarizeHour(feed.feed, minutes, nowMs) })),
    sources: sources.map((source) => assessSource(source, nowMs)),
  };
});
