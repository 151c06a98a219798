import DataLoader from 'dataloader';
import type pg from 'pg';
import { assertLeastPrivilege, openPool, type PoolOptions, withConnection } from '../connection/pool.ts';

export interface KeyTenant {
  id: string;
  name: string;
  azureTenantId: string | null;
}

/** The current rights of a key. */
export interface KeyRecord {
  keyId: string;
  name: string;
  scopes: string[];
  organizationWide: boolean;
  boundTenantId: string | null;
  /** A tenant-bound key's own tenant; an organization-wide key's tenant that the selector names, else null. */
  selected:
    | (KeyTenant & {
        organizationId: string | null;
        apiAccess: boolean;
        suspended: boolean;
        connectedAtMs: number;
        /** Whose database has its rows. */
        cell: string;
      })
    | null;
  /** Whether the selector names the selected tenant, by its id or its upstream id; null without a selector. */
  selectorMatches: boolean | null;
  /** Every tenant the key may select, oldest first; null unless requested. */
  tenants: KeyTenant[] | null;
}

/** A key that was revoked or has expired: it grants nothing, but its usage is still reported to its owner. */
export interface EndedKey {
  endedKeyId: string;
}

export interface KeyUsage {
  keyId: string;
  requests: number;
  /** Responses 4xx, including those over the limit, and tool calls with such an error. */
  refused: number;
  /** Of these, 429. */
  overLimit: number;
  /** Requests after the key was revoked or expired; not part of `requests`. */
  refusedAfterEnd: number;
  /** The last accepted request; null: there was none. */
  lastUse: KeyUse | null;
  /** The last request after the end; null: there was none. */
  lastRefusal: KeyUse | null;
}

/** When a key was sent, and by which client. */
export interface KeyUse {
  readonly atMs: number;
  readonly address: string | null;
  readonly agent: string | null;
}

export interface KeyDirectory extends AsyncDisposable {
  /** Null: unknown key. Called on every request, on the primary, so that a revocation applies to the next one. */
  lookUp(
    secretSha256: Buffer,
    tenantSelector: string | null,
    listTenants: boolean,
  ): Promise<KeyRecord | EndedKey | null>;
  /** Those of the hashes that belong to a key, ended ones included: one statement for all of them. */
  findExisting(hashes: readonly Buffer[]): Promise<Buffer[]>;
  addUsage(usage: readonly KeyUsage[]): Promise<void>;
  /** Of a tenant that exists: an IANA name, as configured. */
  findTimeZone(tenantId: string): Promise<string>;
  ping(): Promise<void>;
}

interface KeyRow {
  key_id: string;
  ended: boolean;
  name: string;
  scopes: string[];
  organization_wide: boolean;
  bound_tenant_id: string | null;
  selected_id: string | null;
  selected_organization_id: string | null;
  selected_name: string;
  selected_azure_tenant_id: string | null;
  selected_api_access: boolean;
  selected_suspended: boolean;
  selected_connected_at: Date;
  selected_cell: string;
  selector_matches: boolean | null;
  tenants: KeyTenant[] | null;
}

/** Opens the directory with the login that may call functions and reads no table but the API's rows of `control.process`. */
export async function connectKeyDirectory(url: string, options: PoolOptions): Promise<KeyDirectory> {
  const pool = openPool(url, options);
  try {
    await assertLeastPrivilege(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const lookUps = collectLookUps(pool);
  return {
    async lookUp(secretSha256, tenantSelector, listTenants) {
      const row = await lookUps.load({ secretSha256, tenantSelector, listTenants });
      if (row === null) return null;
      return row.ended ? { endedKeyId: row.key_id } : toKeyRecord(row);
    },
    async findExisting(hashes) {
      const { rows } = await withConnection(pool, (client) =>
        client.query<{ hash: Buffer }>({
          name: 'find existing keys',
          text: 'select h.hash from unnest($1::bytea[]) as h (hash), lateral control.look_up_key(h.hash, null, false)',
          values: [hashes],
        }),
      );
      return rows.map(({ hash }) => hash);
    },
    async addUsage(usage) {
      if (usage.length === 0) return;
      await withConnection(pool, (client) =>
        client.query('select control.add_key_usage($1)', [JSON.stringify(usage.map(usageRow))]),
      );
    },
    async findTimeZone(tenantId) {
      const { rows } = await withConnection(pool, (client) =>
        client.query<{ timeZone: string }>('select control.find_time_zone($1) as "timeZone"', [tenantId]),
      );
      return rows[0]?.timeZone as string;
    },
    async ping() {
      await withConnection(pool, (client) => client.query('select control.require_open_epoch()'));
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

interface LookUp {
  readonly secretSha256: Buffer;
  readonly tenantSelector: string | null;
  readonly listTenants: boolean;
}

const lookUpsPerStatement = 100;

/**
 * Requests that one iteration of the event loop receives are looked up in one statement, which begins after the last of them: so a revocation that was
 * committed before a request applies to it. Nothing is cached.
 */
function collectLookUps(pool: pg.Pool): DataLoader<LookUp, KeyRow | null> {
  return new DataLoader((requested) => lookUpAll(pool, requested), {
    cache: false,
    maxBatchSize: lookUpsPerStatement,
    batchScheduleFn: (run) => setImmediate(run),
  });
}

async function lookUpAll(pool: pg.Pool, requested: readonly LookUp[]): Promise<(KeyRow | null)[]> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<KeyRow & { number: number }>({
      name: 'look up keys',
      text: `select r.number::integer, k.*, control.find_cell(k.selected_id) as selected_cell
               from unnest($1::bytea[], $2::uuid[], $3::boolean[]) with ordinality as r (secret_sha256, tenant_selector, list_tenants, number),
                    lateral control.look_up_key(r.secret_sha256, r.tenant_selector, r.list_tenants) k`,
      values: [
        requested.map(({ secretSha256 }) => secretSha256),
        requested.map(({ tenantSelector }) => tenantSelector),
        requested.map(({ listTenants }) => listTenants),
      ],
    }),
  );
  const found = new Map(rows.map((row) => [row.number, row]));
  return requested.map((_, index) => found.get(index + 1) ?? null);
}

const usageRow = (one: KeyUsage) => ({
  key_id: one.keyId,
  requests: one.requests,
  refused: one.refused,
  over_limit: one.overLimit,
  refused_after_end: one.refusedAfterEnd,
  last_used_at: toTimestamp(one.lastUse),
  last_address: one.lastUse?.address ?? null,
  last_agent: one.lastUse?.agent ?? null,
  last_refused_at: toTimestamp(one.lastRefusal),
  refused_address: one.lastRefusal?.address ?? null,
  refused_agent: one.lastRefusal?.agent ?? null,
});

const toTimestamp = (use: KeyUse | null): string | null => (use === null ? null : new Date(use.atMs).toISOString());

function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    keyId: row.key_id,
    name: row.name,
    scopes: row.scopes,
    organizationWide: row.organization_wide,
    boundTenantId: row.bound_tenant_id,
    selected:
      row.selected_id === null
        ? null
        : {
            id: row.selected_id,
            organizationId: row.selected_organization_id,
            name: row.selected_name,
            azureTenantId: row.selected_azure_tenant_id,
            apiAccess: row.selected_api_access,
            suspended: row.selected_suspended,
            connectedAtMs: row.selected_connected_at.getTime(),
            cell: row.selected_cell,
          },
    selectorMatches: row.selector_matches,
    tenants: row.tenants,
  };
}
