import type { RejectedElement } from '../activity/prepare-slice.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { retryWhileUnavailable } from '../retry.ts';
import type { TenantCache } from './tenant-cache.ts';

/** With the version of the list of moving tenants that they were prepared with, or of an earlier one. */
export type WithMoves<Prepared> = Prepared & { readonly movesVersion: string };

/** A tenant's first events follow its creation closely: unknown tenants are read again before their records are dead-lettered. */
export async function prepareWithTenantRefresh<Prepared extends { readonly rejected: readonly RejectedElement[] }>(
  { tenants, metrics }: { tenants: TenantCache; metrics: IngestMetrics },
  prepare: (records: readonly KafkaRecord[]) => Promise<Prepared>,
  records: readonly KafkaRecord[],
): Promise<WithMoves<Prepared>> {
  const movesVersion = tenants.movesVersion();
  const before = tenants.current();
  const prepared = await prepare(records);
  // It may have been moved here since the cache was read.
  const isOutdated = (tenantId: string, reason: string) => reason === 'OTHER_CELL' && !tenants.isMoving(tenantId);
  const unknownTenantIds = new Set<string>();
  let namesUnknownTenant = false;
  for (const { tenantId, reason } of prepared.rejected) {
    // Of records that name the provider's id of their tenant.
    if (reason === 'MISSING_TENANT') namesUnknownTenant = true;
    if (
      tenantId !== null &&
      (reason === 'UNKNOWN_TENANT' || reason === 'TENANT_MISMATCH' || isOutdated(tenantId, reason))
    )
      unknownTenantIds.add(tenantId);
  }
  if (unknownTenantIds.size === 0 && !namesUnknownTenant) return { ...prepared, movesVersion };
  const reload = () => (namesUnknownTenant ? tenants.reloadAll(before) : tenants.reload([...unknownTenantIds], before));
  const changed = await retryWhileUnavailable(reload, { shouldRetry: () => true, onRetry: metrics.recordRetry });
  return { ...(changed ? await prepare(records) : prepared), movesVersion };
}

/** Prepares a slice again after a tenant was moved. */
export async function prepareAfterMove<Prepared>(
  { tenants, metrics }: { tenants: TenantCache; metrics: IngestMetrics },
  prepare: () => Promise<Prepared>,
  isActive: () => boolean,
): Promise<Prepared> {
  await retryWhileUnavailable(tenants.refreshMoves, { shouldRetry: isActive, onRetry: metrics.recordRetry });
  return prepare();
}
