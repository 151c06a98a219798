import { type Ledger, readPrincipalsSince, readTenantPrincipals } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { retryWhileUnavailable } from '../retry.ts';
import type { PreparedSlice } from './prepare-slice.ts';
import type { Preparer } from './preparer.ts';

/**
 * Prepares slices with the principals of their tenants. A tenant's are read when its first record arrives, not at start: a
 * process reads the lanes of some tenants, and all tenants together have more names than a process has memory.
 */
export interface PrincipalLoader {
  prepare(records: readonly KafkaRecord[]): Promise<PreparedSlice>;
  /** Reads the principals of the cached tenants that changed since the last call. */
  refresh(): Promise<void>;
  /** Of these tenants everything is read again when it is needed: rows that were copied have older stamps than what was read. */
  evict(tenantIds: readonly string[]): void;
}

export interface PrincipalLoaderOptions {
  models: Ledger;
  preparer: Preparer;
  metrics: IngestMetrics;
  maxAliases?: number;
}

/** The cache of one worker then takes 160 MB. Beyond it the tenants whose records arrived longest ago are dropped. */
const maxAliasesDefault = 1_000_000;
/** A batch may commit a little after others with later stamps. */
const overlapMs = 60_000;

export function createPrincipalLoader(options: PrincipalLoaderOptions): PrincipalLoader {
  const { models, preparer, metrics, maxAliases = maxAliasesDefault } = options;
  /** Number of names by tenant, least recently used first. */
  const cached = new Map<string, number>();
  const loading = new Map<string, Promise<void>>();
  /** The tenants of slices that wait for names, one set per slice: evicted, their rows would have no actor. */
  const waiting = new Set<ReadonlySet<string>>();
  let readAtMs = 0;
  /** The last refresh before the earliest load that ended since the last one: what changed during that load may not be in it. */
  let loadedFromMs = Number.POSITIVE_INFINITY;
  let refreshing: Promise<void> | null = null;

  const load = async (tenantId: string): Promise<void> => {
    const fromMs = readAtMs;
    for await (const principals of readTenantPrincipals(models.pool, tenantId))
      preparer.changePrincipals({ kind: 'load', tenantId, principals, isLast: false });
    preparer.changePrincipals({ kind: 'load', tenantId, principals: [], isLast: true });
    cached.set(tenantId, 0);
    loadedFromMs = Math.min(loadedFromMs, fromMs);
  };
  const loadOnce = (tenantId: string): Promise<void> => {
    const started = loading.get(tenantId);
    if (started !== undefined) return started;
    const work = retryWhileUnavailable(() => load(tenantId), { shouldRetry: () => true, onRetry: metrics.recordRetry });
    const loaded = work.then(() => undefined).finally(() => loading.delete(tenantId));
    loading.set(tenantId, loaded);
    return loaded;
  };
  const recordUse = ({ tenants }: PreparedSlice): void => {
    for (const { tenantId, aliases } of tenants) {
      if (aliases === null) continue;
      cached.delete(tenantId);
      cached.set(tenantId, aliases);
    }
    const used = new Set([...tenants.map(({ tenantId }) => tenantId), ...[...waiting].flatMap((ids) => [...ids])]);
    const evicted: string[] = [];
    let total = cached.values().reduce((sum, aliases) => sum + aliases, 0);
    for (const [tenantId, aliases] of cached) {
      if (total <= maxAliases) break;
      if (used.has(tenantId)) continue;
      total -= aliases;
      cached.delete(tenantId);
      evicted.push(tenantId);
    }
    if (evicted.length > 0) preparer.changePrincipals({ kind: 'evict', tenantIds: evicted });
  };
  const refresh = async (): Promise<void> => {
    const tenantIds = [...cached.keys()];
    const fromMs = Math.min(readAtMs, loadedFromMs);
    loadedFromMs = Number.POSITIVE_INFINITY;
    const changes = await readPrincipalsSince(models.pool, tenantIds, Math.max(0, fromMs - overlapMs)).catch(
      (error: unknown) => {
        loadedFromMs = Math.min(loadedFromMs, fromMs);
        throw error;
      },
    );
    readAtMs = changes.readAtMs;
    if (changes.principals.length > 0) preparer.changePrincipals({ kind: 'update', principals: changes.principals });
  };

  return {
    async prepare(records) {
      const own = new Set<string>();
      try {
        for (;;) {
          const prepared = await preparer.prepare(records);
          const missing = prepared.tenants.filter(({ aliases }) => aliases === null);
          if (missing.length === 0) {
            recordUse(prepared);
            return prepared;
          }
          for (const { tenantId } of prepared.tenants) own.add(tenantId);
          waiting.add(own);
          await Promise.all(missing.map(({ tenantId }) => loadOnce(tenantId)));
        }
      } finally {
        waiting.delete(own);
      }
    },
    async refresh() {
      refreshing ??= refresh().finally(() => {
        refreshing = null;
      });
      return refreshing;
    },
    evict(tenantIds) {
      for (const tenantId of tenantIds) cached.delete(tenantId);
      preparer.changePrincipals({ kind: 'evict', tenantIds: [...tenantIds] });
    },
  };
}
