import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { compareVersions, type StateOutcome } from './record-batch.ts';

/** A tenant's or an organization's full state, as a record of the tenant topic carries it. */
export type DirectoryState =
  | {
      kind: 'tenant';
      id: string;
      name: string;
      organizationId: string | null;
      azureTenantId: string | null;
      plan: 'api' | 'none';
      /** IANA name. */
      timeZone: string;
      version: number;
      digest: Buffer;
    }
  | { kind: 'organization'; id: string; name: string; version: number; digest: Buffer };

/** `otherOrganization`: the state is newer, but names another organization than the tenant's. Only `moveTenant` changes that. */
export type DirectoryOutcome = StateOutcome | 'otherOrganization';

/** Applies states in order, inside a lane's transaction. Returns the outcomes in the same order. */
export async function writeDirectoryStates(
  client: pg.PoolClient,
  states: readonly DirectoryState[],
): Promise<DirectoryOutcome[]> {
  const applied: DirectoryOutcome[] = [];
  for (const state of states) applied.push(await applyState(client, state));
  return applied;
}

/** States of one id are ordered by version, then digest; the greatest wins in every order of delivery. */
async function applyState(client: pg.PoolClient, state: DirectoryState): Promise<DirectoryOutcome> {
  const { rowCount } =
    state.kind === 'tenant'
      ? await client.query(
          `insert into control.tenant as stored (id, name, organization_id, azure_tenant_id, plan, time_zone, version, digest)
           values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (id) do update
             set name = excluded.name, azure_tenant_id = excluded.azure_tenant_id,
                 plan = excluded.plan, time_zone = excluded.time_zone, version = excluded.version, digest = excluded.digest,
                 changed_at = clock_timestamp()
           where (excluded.version, excluded.digest) > (stored.version, stored.digest)
             and excluded.organization_id is not distinct from stored.organization_id and stored.erased_at is null`,
          [
            state.id,
            state.name,
            state.organizationId,
            state.azureTenantId,
            state.plan,
            state.timeZone,
            state.version,
            state.digest,
          ],
        )
      : await client.query(
          `insert into control.organization as stored (id, name, version, digest) values ($1, $2, $3, $4)
           on conflict (id) do update
             set name = excluded.name, version = excluded.version, digest = excluded.digest, changed_at = clock_timestamp()
           where (excluded.version, excluded.digest) > (stored.version, stored.digest)`,
          [state.id, state.name, state.version, state.digest],
        );
  if (rowCount === 1) return 'applied';
  const { rows } = await client.query<{ version: string; digest: Buffer; isErased: boolean }>(
    `select version, digest, ${state.kind === 'tenant' ? 'erased_at is not null' : 'false'} as "isErased" from control.${state.kind} where id = $1`,
    [state.id],
  );
  const [stored] = rows;
  if (stored?.isErased) return 'stale';
  const outcome = compareVersions(state, stored && { version: Number(stored.version), digest: stored.digest });
  return outcome === 'applied' ? 'otherOrganization' : outcome;
}

export interface TenantIdentity {
  id: string;
  azureTenantId: string | null;
  /** Its ids at other providers. */
  providerIds: readonly string[];
  /** Its records are dropped. */
  isClosed: boolean;
  /** Whose database has its rows. */
  cell: string;
}

/** The tenants that rows may be written for: all, or those with the given ids. */
export async function readTenantIdentities(pool: pg.Pool, ids?: readonly string[]): Promise<TenantIdentity[]> {
  return withConnection(pool, async (client) => {
    const columns =
      'id, azure_tenant_id as "azureTenantId", provider_ids as "providerIds", closed_at is not null as "isClosed", cell';
    const { rows } = await client.query<TenantIdentity>(
      ids
        ? `select ${columns} from control.tenant where id = any($1::uuid[])`
        : `select ${columns} from control.tenant`,
      ids ? [ids] : [],
    );
    return rows;
  });
}

/** What the database of the read models knows of tenants: it alone decides what a lane may write. */
export interface ModelTenants {
  /** Changes with the lists. */
  readonly version: string;
  /** The tenants whose records belong to another cell. */
  readonly cells: ReadonlyMap<string, string>;
  /** The tenants whose erasure has begun. */
  readonly erased: ReadonlySet<string>;
}

export async function readModelTenants(pool: pg.Pool): Promise<ModelTenants> {
  return withConnection(pool, async (client) => {
    const { rows } = await client.query<{ version: string; tenant_id: string | null; cell: string }>(
      'select version, tenant_id, cell from models.list_tenant_moves()',
    );
    // After the version: a list that is later than it is read again.
    const { rows: erased } = await client.query<{ id: string }>('select id from models.list_erased_tenants() id');
    return {
      version: String(rows[0]?.version ?? 0),
      cells: new Map(rows.flatMap((row) => (row.tenant_id === null ? [] : [[row.tenant_id, row.cell]]))),
      erased: new Set(erased.map(({ id }) => id)),
    };
  });
}

/** Changes when a tenant is created, changed or removed: cheaper than all tenants, for records that name ids that no tenant has. */
export async function readDirectoryVersion(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string }>({
    name: 'directory version',
    text: `select concat(count(*), ' ', max(changed_at)) as version from control.tenant`,
  });
  return rows[0]?.version ?? '';
}
