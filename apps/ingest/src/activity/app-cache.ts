import type { AppLookup, CachedApp } from '@tenantscope/intake';
import { type Ledger, readAppsSince, type TenantApp } from '@tenantscope/store/ingest';

/** The apps of all tenants by client id, as far as they were read. */
export interface AppCache {
  update(apps: readonly TenantApp[]): void;
  readonly findApp: AppLookup;
}

export function createAppCache(): AppCache {
  const cache = new Map<string, CachedApp & { readonly isDeleted: boolean }>();
  return {
    update(apps) {
      for (const { tenantId, clientId, id, name, isDeleted } of apps) {
        const key = `${tenantId}/${clientId}`;
        const before = cache.get(key);
        // A recreated app has the client id of the old one, whose deletion must not replace it.
        if (isDeleted && before !== undefined && before.id !== id && !before.isDeleted) continue;
        cache.set(key, { id, name, isDeleted });
      }
    },
    findApp: (tenantId, clientId) => cache.get(`${tenantId}/${clientId}`),
  };
}

/** A batch may commit a little after others with later stamps. */
const overlapMs = 60_000;

/** Returns a function that reads the apps changed since its last call, or all of them, and passes them on. */
export function createAppRefresh(
  models: Ledger,
  update: (apps: readonly TenantApp[]) => void,
): (all?: 'all') => Promise<void> {
  let newestMs = 0;
  return async (all) => {
    // Rows that were copied with a tenant have older stamps than what was read.
    if (all !== undefined) newestMs = 0;
    const apps = await readAppsSince(models.pool, Math.max(0, newestMs - overlapMs));
    newestMs = apps.at(-1)?.updatedAtMs ?? newestMs;
    if (apps.length > 0) update(apps);
  };
}
