import type { TenantFacts } from '@tenantscope/intake';
import {
  type Ledger,
  readDirectoryVersion,
  readModelTenants,
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
  /**
   * Of the lists of tenants whose records belong to another cell, or are erased, which lanes compare when they write. `current()` has those lists or later
   * ones, which the preparer was given.
   */
  movesVersion(): string;
  /** Whether the records of the tenant belong to another cell. */
  isMoving(tenantId: string): boolean;
  /** Reads those lists again, and the tenants that have moved. */
  refreshMoves(): Promise<void>;
}

export interface TenantCacheOptions {
  readonly control: Ledger;
  readonly models: Ledger;
  readonly cell: string;
}

export function createTenantCache(
  { control, models, cell }: TenantCacheOptions,
  onChange: (tenants: ReadonlyMap<string, TenantFacts>) => void,
  onMove: (tenantIds: readonly string[]) => Promise<void> = async () => {},
): TenantCache {
  let tenants: ReadonlyMap<string, TenantFacts> = new Map();
  let version: string | null = null;
  let moving: ReadonlyMap<string, string> = new Map();
  let erased: ReadonlySet<string> = new Set();
  let movesVersion = '';
  /** One after the other: of two readings the later one counts. */
  let refreshing: Promise<void> = Promise.resolve();
  const toEntry = (identity: TenantIdentity) =>
    [identity.id, closeErased(identity.id, toFacts(identity, cell, moving))] as const;
  const closeErased = (id: string, facts: TenantFacts): TenantFacts =>
    erased.has(id) ? { ...facts, isClosed: true } : facts;
  const refresh = async () => {
    const readVersion = await readDirectoryVersion(control.pool);
    const all = await readTenantIdentities(control.pool);
    tenants = new Map(all.map(toEntry));
    version = readVersion;
    onChange(tenants);
  };
  const reread = async (tenantIds: readonly string[]) => {
    const found = await readTenantIdentities(control.pool, tenantIds);
    const changed = found.filter((identity) => !areEqual(tenants.get(identity.id), toEntry(identity)[1]));
    if (changed.length > 0) {
      tenants = new Map([...tenants, ...changed.map(toEntry)]);
      onChange(tenants);
    }
    return found;
  };
  const refreshMoves = async () => {
    const read = await readModelTenants(models.pool);
    const before = moving;
    const changed = [...new Set([...before.keys(), ...read.cells.keys()])].filter(
      (id) => before.get(id) !== read.cells.get(id),
    );
    if ([...read.erased].some((id) => !erased.has(id))) {
      // Without the directory, which may not respond.
      erased = new Set([...erased, ...read.erased]);
      tenants = new Map(tenants.entries().map(([id, facts]) => [id, closeErased(id, facts)]));
      onChange(tenants);
    }
    if (changed.length > 0) {
      moving = read.cells;
      try {
        await reread(changed);
        await onMove(changed);
      } catch (error) {
        // The next attempt begins with the former list.
        moving = before;
        throw error;
      }
    }
    // Slices are prepared meanwhile: with this version and the former tenants, rows of a tenant would be written after it was fenced.
    movesVersion = read.version;
  };
  return {
    current: () => tenants,
    refresh,
    async reloadAll(before) {
      if ((await readDirectoryVersion(control.pool)) !== version) await refresh();
      return tenants.size !== before.size || tenants.entries().some(([id, facts]) => !areEqual(before.get(id), facts));
    },
    async reload(tenantIds, before) {
      const found = await reread(tenantIds);
      return found.some((identity) => !areEqual(before.get(identity.id), toEntry(identity)[1]));
    },
    movesVersion: () => movesVersion,
    isMoving: (tenantId) => moving.has(tenantId),
    refreshMoves() {
      refreshing = refreshing.catch(() => {}).then(refreshMoves);
      return refreshing;
    },
  };
}

function toFacts(
  { id, azureTenantId, providerIds, isClosed, cell }: TenantIdentity,
  ownCell: string,
  moving: ReadonlyMap<string, string>,
): TenantFacts {
  const otherCell = moving.get(id) ?? (cell === ownCell ? undefined : cell);
  return { azureTenantId, providerIds, isClosed, ...(otherCell !== undefined && { otherCell }) };
}

const areEqual = (one: TenantFacts | undefined, other: TenantFacts): boolean =>
  one !== undefined &&
  one.azureTenantId === other.azureTenantId &&
  one.isClosed === other.isClosed &&
  one.otherCell === other.otherCell &&
  (one.providerIds ?? []).join('\n') === (other.providerIds ?? []).join('\n');
