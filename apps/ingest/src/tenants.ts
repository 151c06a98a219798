import type { TenantFacts } from '@tenantscope/intake';
import { type Ledger, readKnownTenants } from '@tenantscope/store';

/** Which tenants rows may be written for, as the directory last said. */
export interface KnownTenants {
  facts(): ReadonlyMap<string, TenantFacts>;
  /** Reads all of them again. */
  refresh(): Promise<void>;
  /** Looks these up afresh; true when the directory says something new about any of them. */
  lookUp(tenantIds: readonly string[]): Promise<boolean>;
}

export function knowTenants(
  control: Ledger,
  changed: (tenants: ReadonlyMap<string, TenantFacts>) => void,
): KnownTenants {
  let known = new Map<string, TenantFacts>();
  return {
    facts: () => known,
    async refresh() {
      const all = await readKnownTenants(control.pool);
      known = new Map(all.map(({ id, azureTenantId }) => [id, { azureTenantId }]));
      changed(known);
    },
    async lookUp(tenantIds) {
      const found = await readKnownTenants(control.pool, tenantIds);
      const news = found.filter(({ id, azureTenantId }) => known.get(id)?.azureTenantId !== azureTenantId);
      if (news.length === 0) return false;
      for (const { id, azureTenantId } of news) known.set(id, { azureTenantId });
      changed(known);
      return true;
    },
  };
}
