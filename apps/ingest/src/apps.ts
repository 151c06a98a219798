import type { AppLookup, KnownApp } from '@tenantscope/intake';
import { type AppOfTenant, type Ledger, readAppsSince } from '@tenantscope/store';

/** The apps of all tenants by client id, as far as they were told. */
export interface AppNames {
  learn(apps: readonly AppOfTenant[]): void;
  readonly appOf: AppLookup;
}

export function appNames(): AppNames {
  const known = new Map<string, KnownApp & { readonly isDeleted: boolean }>();
  return {
    learn(apps) {
      for (const { tenantId, clientId, id, name, isDeleted } of apps) {
        const key = `${tenantId}/${clientId}`;
        const before = known.get(key);
        // An app that was made anew keeps its client id: the old one's deletion must not take its place.
        if (isDeleted && before !== undefined && before.id !== id && !before.isDeleted) continue;
        known.set(key, { id, name, isDeleted });
      }
    },
    appOf: (tenantId, clientId) => known.get(`${tenantId}/${clientId}`),
  };
}

/** A batch may commit a little after others with later stamps. */
const overlapMs = 60_000;

/** Asks for what changed since it last asked, and passes it on. */
export function followApps(models: Ledger, learn: (apps: readonly AppOfTenant[]) => void): () => Promise<void> {
  let newestMs = 0;
  return async () => {
    const apps = await readAppsSince(models.pool, Math.max(0, newestMs - overlapMs));
    newestMs = apps.at(-1)?.updatedAtMs ?? newestMs;
    if (apps.length > 0) learn(apps);
  };
}
