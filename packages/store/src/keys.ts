import { assertLeastPrivilege, openPool, type PoolOptions, withConnection } from './connection.ts';

export interface TenantOfKey {
  id: string;
  name: string;
  azureTenantId: string | null;
}

/** What a key may do, as the directory says at this moment. */
export interface KeyRecord {
  keyId: string;
  name: string;
  scopes: string[];
  organizationWide: boolean;
  boundTenantId: string | null;
  /** A tenant-bound key's own tenant; an organization-wide key's tenant that the selector names, else null. */
  selected: (TenantOfKey & { apiAccess: boolean; connectedAtMs: number }) | null;
  /** Whether the selector names the selected tenant, by its id or its upstream id; null without a selector. */
  selectorMatches: boolean | null;
  /** Every tenant the key may select, oldest first; null unless asked for. */
  tenants: TenantOfKey[] | null;
}

export interface KeyUsage {
  keyId: string;
  requests: number;
  lastUsedAtMs: number;
}

export interface Keys extends AsyncDisposable {
  /** Null: unknown, expired or revoked. Asked at every request on the primary, so that a revocation holds for the next one. */
  lookUp(secretSha256: Buffer, tenantSelector: string | null, listTenants: boolean): Promise<KeyRecord | null>;
  addUsage(usage: readonly KeyUsage[]): Promise<void>;
  ping(): Promise<void>;
}

interface KeyRow {
  key_id: string;
  name: string;
  scopes: string[];
  organization_wide: boolean;
  bound_tenant_id: string | null;
  selected_id: string | null;
  selected_name: string;
  selected_azure_tenant_id: string | null;
  selected_api_access: boolean;
  selected_connected_at: Date;
  selector_matches: boolean | null;
  tenants: TenantOfKey[] | null;
}

/** Opens the directory with the login that may call two functions and read nothing. */
export async function connectKeys(url: string, options: PoolOptions): Promise<Keys> {
  const pool = openPool(url, options);
  try {
    await assertLeastPrivilege(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    async lookUp(secretSha256, tenantSelector, listTenants) {
      const { rows } = await withConnection(pool, (client) =>
        client.query<KeyRow>({
          name: 'look up key',
          text: 'select * from control.look_up_key($1, $2, $3)',
          values: [secretSha256, tenantSelector, listTenants],
        }),
      );
      return rows[0] ? recordOf(rows[0]) : null;
    },
    async addUsage(usage) {
      if (usage.length === 0) return;
      await withConnection(pool, (client) =>
        client.query('select control.add_key_usage($1, $2, $3)', [
          usage.map((one) => one.keyId),
          usage.map((one) => one.requests),
          usage.map((one) => new Date(one.lastUsedAtMs).toISOString()),
        ]),
      );
    },
    async ping() {
      await withConnection(pool, (client) => client.query('select 1'));
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

function recordOf(row: KeyRow): KeyRecord {
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
            name: row.selected_name,
            azureTenantId: row.selected_azure_tenant_id,
            apiAccess: row.selected_api_access,
            connectedAtMs: row.selected_connected_at.getTime(),
          },
    selectorMatches: row.selector_matches,
    tenants: row.tenants,
  };
}
