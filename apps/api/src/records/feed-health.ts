import { type FeedHealth, type FeedName, feedNames, feeds, type Scope } from '@tenantscope/contract';
import { type FeedFacts, type FeedHistory, readFeedFacts, type Watermark } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import { listTimeoutMs } from '../limits.ts';
import { formatInstant, type ReadDependencies } from './list.ts';

/** The completeness of each feed of which the key may read records, for the tenant of the request. */
export async function readFeedHealth(
  { models, readLimiter, watermark }: ReadDependencies,
  caller: Caller,
): Promise<readonly FeedHealth[]> {
  const signal = caller.disconnectSignal();
  const tenantId = requireTenantId(caller);
  const { facts, epoch } = await readLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    readFeedFacts(models, { tenantId, timeoutMs: listTimeoutMs, signal, runStatement }),
  );
  return feedNames
    .filter((feed) => feeds[feed].scopes.some((scope: Scope) => caller.scopes.has(scope)))
    .map((feed) => ({
      feed,
      scopes: [...feeds[feed].scopes],
      ...describeProgress(watermark, feed, tenantId),
      newestAt: formatInstant(facts.get(feed)?.newestAtMs),
      ...describeRetention(feed === 'logs' ? watermark.history(feed, tenantId) : null),
      epoch: epoch?.number ?? null,
      epochSince: formatInstant(epoch?.openedAtMs),
      gaps: describeGaps(facts.get(feed)),
    }));
}

function describeProgress(watermark: Watermark, feed: FeedName, tenantId: string) {
  const settled = watermark.settledFor(feed, tenantId);
  return {
    completeThrough: formatInstant(settled?.throughMs),
    lagMs: settled && Math.max(0, Math.round(settled.databaseNowMs - settled.throughMs)),
    unreadSince: formatInstant(watermark.unreadSince(feed)),
  };
}

const describeRetention = (history: FeedHistory | null) => ({
  retainedFrom: formatInstant(history?.retainedFromMs),
  retentionDays: history?.retentionDays ?? null,
});

const describeGaps = (facts: FeedFacts | undefined): FeedHealth['gaps'] => ({
  deadLetters: facts?.deadLetters ?? 0,
  deadLettersSince: formatInstant(facts?.deadLettersSinceMs),
  skippedRecords: facts?.skippedRecords ?? 0,
  skippedAt: formatInstant(facts?.skippedAtMs),
});
