import type { TenantFacts } from '@tenantscope/intake';
import { type Ledger, readKnownTenants } from '@tenantscope/store';

/** Which tenants rows may be written for, as the directory last said. */
export interface KnownTenants {
  facts(): ReadonlyMap<string, TenantFacts>;
  /** Reads all of them again. */
  refresh(): Promise<void>;
  /**
   * Looks these up afresh; true when the directory says something else about any of them than `before` did. What another lane has learnt in the
   * meantime is news to whoever judged without it.
   */
  lookUp(tenantIds: readonly string[], before: ReadonlyMap<string, TenantFacts>): Promise<boolean>;
}

export function knowTenants(
  control: Ledger,
  changed: (tenants: ReadonlyMap<string, TenantFacts>) => void,
): KnownTenants {
  let known: ReadonlyMap<string, TenantFacts> = new Map();
  return {
    facts: () => known,
    async refresh() {
      const all = await readKnownTenants(control.pool);
      known = new Map(all.map(({ id, azureTenantId }) => [id, { azureTenantId }]));
      changed(known);
    },
    async lookUp(tenantIds, before) {
      const found = await readKnownTenants(control.pool, tenantIds);
      const differing = (from: ReadonlyMap<string, TenantFacts>) =>
        found.filter(({ id, azureTenantId }) => from.get(id)?.azureTenantId !== azureTenantId);
      const news = differing(known);
      if (news.length > 0) {
        known = new Map([...known, ...news.map(({ id, azureTenantId }) => [id, { azureTenantId }] as const)]);
        changed(known);
      }
      return differing(before).length > 0;
    },
  };
}
