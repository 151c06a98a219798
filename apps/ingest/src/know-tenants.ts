import type { Observations } from './observations.ts';
import { persist } from './persist.ts';
import type { Rejected } from './prepare.ts';
import type { ArrivedRecord } from './reader.ts';
import type { KnownTenants } from './tenants.ts';

/** A tenant's first events come right after it was made: whom nobody knows is looked up afresh before its records are set aside. */
export async function prepareKnowing<Prepared extends { readonly rejected: readonly Rejected[] }>(
  around: { tenants: KnownTenants; observed: Observations },
  prepare: (records: readonly ArrivedRecord[]) => Promise<Prepared>,
  records: readonly ArrivedRecord[],
): Promise<Prepared> {
  const before = around.tenants.facts();
  const prepared = await prepare(records);
  const doubted = new Set<string>();
  for (const { tenantId, reason } of prepared.rejected) {
    if (tenantId !== null && (reason === 'UNKNOWN_TENANT' || reason === 'TENANT_MISMATCH')) doubted.add(tenantId);
  }
  if (doubted.size === 0) return prepared;
  const news = await persist(() => around.tenants.lookUp([...doubted], before), {
    wanted: () => true,
    paused: around.observed.waiting,
  });
  return news ? prepare(records) : prepared;
}
