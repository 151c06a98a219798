import { feedNames } from '@tenantscope/contract';
import * as routes from '../../api/feeds.ts';
import { handle } from '../http/handler.ts';
import { visibilityScope } from '../http/visibility-scope.ts';
import { summarizeFeeds, summarizeHour } from './feed-summary.ts';
import { assessSource } from './source-freshness.ts';

export const listFeeds = handle(routes.listFeeds, async ({ console, store, session, input }) => {
  const { lanesOf, ...scope } = input;
  const [report, apiResponds] = await Promise.all([
    store.feeds({ ...visibilityScope(session), ...scope }),
    console.api.isResponding(),
  ]);
  const { databaseNow, pending, overall, feeds } = summarizeFeeds(report);
  const open = feeds.find(({ feed }) => feed === lanesOf);
  return {
    databaseNow,
    apiResponds,
    pending,
    overall,
    unavailableCells: report.unavailableCells,
    feeds,
    lanesOf: open?.feed ?? null,
    lanes: open?.lanes ?? [],
  };
});

export const readFeedActivity = handle(routes.readFeedActivity, async ({ store, session }) => {
  const tenantIds = session.tenants.map(({ id }) => id);
  const [{ databaseNow, minutes }, sources, rejected, bindings, processes] = await Promise.all([
    store.feedMinutes(tenantIds),
    store.sources(tenantIds),
    store.rejected(tenantIds),
    store.bindings(tenantIds),
    store.processes(),
  ]);
  const nowMs = Date.parse(databaseNow);
  return {
    feeds: feedNames.map((feed) => ({ feed, ...summarizeHour(feed, minutes, nowMs) })),
    sources: sources.map((source) => assessSource(source, nowMs)),
    rejected,
    bindings,
    failovers: processes.flatMap(({ host, failover }) => (failover === null ? [] : [{ host, ...failover }])),
  };
});
