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
  for (const { tenantId, reason } of prepared.rejected) {
    if (tenantId !== null && (reason === 'UNKNOWN_TENANT' || reason === 'TENANT_MISMATCH'))
      unknownTenantIds.add(tenantId);
  }
  if (unknownTenantIds.size === 0) return prepared;
  const changed = await retryWhileUnavailable(() => tenants.reload([...unknownTenantIds], before), {
    shouldRetry: () => true,
    onRetry: metrics.recordRetry,
  });
  return changed ? prepare(records) : prepared;
}
