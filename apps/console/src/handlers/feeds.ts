import { feedNames } from '@tenantscope/contract';
import * as routes from '../../api/feeds.ts';
import { handle } from '../http/handler.ts';
import { visibilityScope } from '../http/visibility-scope.ts';
import { summarizeFeeds, summarizeHour } from './feed-summary.ts';
import { assessSource, findFeed, silentAfterHours } from './source-freshness.ts';

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

/** Sources of more tenants than these are not read every ten seconds, nor shown. */
const maxSourceTenants = 100;

export const readFeedActivity = handle(routes.readFeedActivity, async ({ store, session, input }) => {
  const tenantIds = session.tenants.map(({ id }) => id).filter((id) => (input.tenantId ?? id) === id);
  const shownIds =
    tenantIds.length <= maxSourceTenants
      ? tenantIds
      : await store.silentTenants(tenantIds, { silentAfterHours, limit: maxSourceTenants });
  const [{ databaseNow, minutes }, lastEvents, sources, rejected, bindings, processes] = await Promise.all([
    store.feedMinutes(tenantIds),
    store.lastEvents(tenantIds),
    store.sources(shownIds),
    store.rejected(tenantIds),
    store.bindings(tenantIds),
    store.processes(),
  ]);
  const nowMs = Date.parse(databaseNow);
  return {
    feeds: feedNames.map((feed) => ({
      feed,
      ...summarizeHour(feed, minutes, nowMs),
      lastOccurredAt:
        lastEvents
          .filter(({ source }) => findFeed(source) === feed)
          .map(({ lastOccurredAt }) => lastOccurredAt)
          .sort()
          .at(-1) ?? null,
    })),
    sources: sources.map((source) => assessSource(source, nowMs)),
    otherTenants: tenantIds.length - shownIds.length,
    rejected,
    bindings,
    failovers: processes.flatMap(({ host, failover }) => (failover === null ? [] : [{ host, ...failover }])),
  };
});
