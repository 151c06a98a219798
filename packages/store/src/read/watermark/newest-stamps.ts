import { type FeedName, feeds, isSourceName, sources } from '@tenantscope/contract';
import { withConnection } from '../../connection/pool.ts';
import type { ReadModels } from '../read-models.ts';

export interface TenantFeed {
  readonly tenantId: string;
  readonly feed: FeedName;
}

/** The name of a tenant's feed in a map. */
export const feedKey = ({ tenantId, feed }: TenantFeed): string => `${tenantId} ${feed}`;

/** The stamps, in epoch ms, of the newest rows that ingestion counted of these tenants and feeds, by `feedKey`; one statement for each database. */
export async function readNewestStamps(
  models: ReadModels,
  of: readonly TenantFeed[],
): Promise<ReadonlyMap<string, number>> {
  const tenantIds = [...new Set(of.map(({ tenantId }) => tenantId))];
  const sourceNames = [...new Set(of.flatMap(({ feed }) => Object.keys(feeds[feed].sources)))];
  const results = await Promise.all(
    models.pools().map((pool) =>
      withConnection(pool, (client) =>
        client.query<{ tenant_id: string; source: string; newest_ms: number }>({
          name: 'newest-stamps',
          text: `select tenant_id, source, (extract(epoch from newest_at) * 1000)::float8 as newest_ms from models.newest_stamps($1::uuid[], $2::text[])`,
          values: [tenantIds, sourceNames],
        }),
      ),
    ),
  );
  const stamps = new Map<string, number>();
  for (const { tenant_id: tenantId, source, newest_ms } of results.flatMap(({ rows }) => rows)) {
    if (!isSourceName(source)) continue;
    const key = feedKey({ tenantId, feed: sources[source].feed });
    stamps.set(key, Math.max(newest_ms, stamps.get(key) ?? 0));
  }
  return stamps;
}
