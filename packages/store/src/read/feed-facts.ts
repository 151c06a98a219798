import { type FeedName, findFeedByTopic, isSourceName, sources } from '@tenantscope/contract';
import type pg from 'pg';
import { type ReadLimits, withReadSnapshot } from '../connection/read-snapshot.ts';
import type { ReadModels } from './read-models.ts';

/** What is stored about a feed of one tenant. Times are epoch ms. */
export interface FeedFacts {
  /** The stamp of the newest row that ingestion counted. */
  readonly newestAtMs: number | null;
  /** Pending dead letters of the tenant. */
  readonly deadLetters: number;
  readonly deadLettersSinceMs: number | null;
  /** Of these, records that an operator skipped. */
  readonly skippedRecords: number;
  /** The newest pending dead letter of skipped records whose tenant is unknown. */
  readonly skippedAtMs: number | null;
}

export interface Epoch {
  readonly number: number;
  readonly openedAtMs: number;
}

/** Facts of the feeds that have any, and the epoch; null before ingestion ran for the first time. */
export function readFeedFacts(
  models: ReadModels,
  { tenantId, ...limits }: ReadLimits & { readonly tenantId: string },
): Promise<{ facts: ReadonlyMap<FeedName, FeedFacts>; epoch: Epoch | null }> {
  return withReadSnapshot(
    models.poolFor(tenantId),
    tenantId,
    async (client) => {
      const facts = new Map<FeedName, FeedFacts>();
      await addGaps(client, tenantId, facts);
      await addProgress(client, tenantId, facts);
      return { facts, epoch: await readEpoch(client) };
    },
    limits,
  );
}

const noFacts: FeedFacts = {
  newestAtMs: null,
  deadLetters: 0,
  deadLettersSinceMs: null,
  skippedRecords: 0,
  skippedAtMs: null,
};

function update(facts: Map<FeedName, FeedFacts>, feed: FeedName, change: (before: FeedFacts) => Partial<FeedFacts>) {
  const before = facts.get(feed) ?? noFacts;
  facts.set(feed, { ...before, ...change(before) });
}

async function addGaps(client: pg.PoolClient, tenantId: string, facts: Map<FeedName, FeedFacts>): Promise<void> {
  // Topics of source bindings have names of their own; their lanes say what they write.
  const { rows } = await client.query<{
    source: string;
    amount: number;
    since_ms: number | null;
    skipped: number;
    skipped_at_ms: number | null;
  }>(
    `select coalesce(lane.source, gap.topic) as source, sum(gap.amount)::float8 as amount, (extract(epoch from min(gap.hour)) * 1000)::float8 as since_ms,
            sum(gap.skipped)::float8 as skipped, (extract(epoch from max(gap.skipped_at)) * 1000)::float8 as skipped_at_ms
       from (select c.topic, c.hour, sum(c.amount) as amount, coalesce(sum(c.amount) filter (where c.reason = 'SKIPPED'), 0) as skipped, null::timestamptz as skipped_at
               from models.dead_letter_count c where c.tenant_id = $1 and c.state = 'pending' group by c.topic, c.hour having sum(c.amount) > 0
             union all
             select s.topic, null, 0, 0, s.skipped_at from models.unattributed_skips() s) gap
       left join (select distinct topic, source from models.ingest_lane) lane using (topic)
      group by 1`,
    [tenantId],
  );
  for (const row of rows) {
    const feed = findFeedByTopic(row.source);
    if (feed === null) continue;
    update(facts, feed, (before) => ({
      deadLetters: before.deadLetters + row.amount,
      deadLettersSinceMs: earlier(before.deadLettersSinceMs, row.since_ms),
      skippedRecords: before.skippedRecords + row.skipped,
      skippedAtMs: later(before.skippedAtMs, row.skipped_at_ms),
    }));
  }
}

async function addProgress(client: pg.PoolClient, tenantId: string, facts: Map<FeedName, FeedFacts>): Promise<void> {
  const { rows } = await client.query<{ source: string; newest_ms: number }>(
    `select source, (extract(epoch from max(last_discovered_at)) * 1000)::float8 as newest_ms
       from models.source_progress where tenant_id = $1 group by source`,
    [tenantId],
  );
  for (const { source, newest_ms } of rows)
    if (isSourceName(source))
      update(facts, sources[source].feed, ({ newestAtMs }) => ({ newestAtMs: later(newestAtMs, newest_ms) }));
}

async function readEpoch(client: pg.PoolClient): Promise<Epoch | null> {
  const { rows } = await client.query<{ number: number; opened_ms: number | null }>(
    `select count(*)::int as number, (extract(epoch from max(opened_at)) * 1000)::float8 as opened_ms from models.ingest_epoch`,
  );
  const [{ number, opened_ms } = { number: 0, opened_ms: null }] = rows;
  return opened_ms === null ? null : { number, openedAtMs: opened_ms };
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
const later = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);
