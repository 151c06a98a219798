import type { TenantFacts } from '@tenantscope/intake';
import {
  type Ledger,
  readDirectoryVersion,
  readTenantIdentities,
  type TenantIdentity,
} from '@tenantscope/store/ingest';

/** The tenants that rows may be written for, as last read from the directory. */
export interface TenantCache {
  current(): ReadonlyMap<string, TenantFacts>;
  /** Reads all tenants again. */
  refresh(): Promise<void>;
  /**
   * Reads these tenants again. True when any of them differs from `before`: another lane may have refreshed the cache since the caller took that
   * state of it.
   */
  reload(tenantIds: readonly string[], before: ReadonlyMap<string, TenantFacts>): Promise<boolean>;
  /** Reads all tenants again if any was created or changed. True when they differ from `before`. */
  reloadAll(before: ReadonlyMap<string, TenantFacts>): Promise<boolean>;
}

export function createTenantCache(
  { control, cell }: { readonly control: Ledger; readonly cell: string },
  onChange: (tenants: ReadonlyMap<string, TenantFacts>) => void,
): TenantCache {
  let tenants: ReadonlyMap<string, TenantFacts> = new Map();
  let version: string | null = null;
  const toEntry = (identity: TenantIdentity) => [identity.id, toFacts(identity, cell)] as const;
  const refresh = async () => {
    const readVersion = await readDirectoryVersion(control.pool);
    const all = await readTenantIdentities(control.pool);
    tenants = new Map(all.map(toEntry));
    version = readVersion;
    onChange(tenants);
  };
  return {
    current: () => tenants,
    refresh,
    async reloadAll(before) {
      if ((await readDirectoryVersion(control.pool)) !== version) await refresh();
      return tenants.size !== before.size || tenants.entries().some(([id, facts]) => !areEqual(before.get(id), facts));
    },
    async reload(tenantIds, before) {
      const found = await readTenantIdentities(control.pool, tenantIds);
      const differingFrom = (other: ReadonlyMap<string, TenantFacts>) =>
        found.filter((identity) => !areEqual(other.get(identity.id), toFacts(identity, cell)));
      const changed = differingFrom(tenants);
      if (changed.length > 0) {
        tenants = new Map([...tenants, ...changed.map(toEntry)]);
        onChange(tenants);
      }
      return differingFrom(before).length > 0;
    },
  };
}

function toFacts({ azureTenantId, providerIds, isClosed, cell }: TenantIdentity, ownCell: string): TenantFacts {
  return { azureTenantId, providerIds, isClosed, ...(cell !== ownCell && { otherCell: cell }) };
}

const areEqual = (one: TenantFacts | undefined, other: TenantFacts): boolean =>
  one !== undefined &&
  one.azureTenantId === other.azureTenantId &&
  one.isClosed === other.isClosed &&
  one.otherCell === other.otherCell &&
  (one.providerIds ?? []).join('\n') === (other.providerIds ?? []).join('\n');
