import type { RejectedElement } from '../activity/prepare-slice.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { retryWhileUnavailable } from '../retry.ts';
import type { TenantCache } from './tenant-cache.ts';

/** A tenant's first events follow its creation closely: unknown tenants are read again before their records are dead-lettered. */
export async function prepareWithTenantRefresh<Prepared extends { readonly rejected: readonly RejectedElement[] }>(
  { tenants, metrics }: { tenants: TenantCache; metrics: IngestMetrics },
  prepare: (records: readonly KafkaRecord[]) => Promise<Prepared>,
  records: readonly KafkaRecord[],
): Promise<Prepared> {
  const before = tenants.current();
  const prepared = await prepare(records);
  const unknownTenantIds = new Set<string>();
  let namesUnknownTenant = false;
  for (const { tenantId, reason } of prepared.rejected) {
    // Of records that name the provider's id of their tenant.
    if (reason === 'MISSING_TENANT') namesUnknownTenant = true;
    if (tenantId !== null && (reason === 'UNKNOWN_TENANT' || reason === 'TENANT_MISMATCH'))
      unknownTenantIds.add(tenantId);
  }
  if (unknownTenantIds.size === 0 && !namesUnknownTenant) return prepared;
  const reload = () => (namesUnknownTenant ? tenants.reloadAll(before) : tenants.reload([...unknownTenantIds], before));
  const changed = await retryWhileUnavailable(reload, { shouldRetry: () => true, onRetry: metrics.recordRetry });
  return changed ? prepare(records) : prepared;
}
