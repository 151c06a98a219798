import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { readTenantIdentities } from './directory.ts';

/** A tenant of this cell whose records become no rows here: a move has fenced it, and neither switched its cell nor removed the fence. */
export interface FencedTenant {
  readonly tenantId: string;
  readonly seconds: number;
}

/** The list of moving tenants is read before their cells: a tenant that is switched meanwhile is not fenced. */
export async function readFencedTenants(
  { control, models }: { control: pg.Pool; models: pg.Pool },
  cell: string,
): Promise<readonly FencedTenant[]> {
  const { rows } = await withConnection(models, (client) =>
    client.query<FencedTenant>('select tenant_id as "tenantId", seconds from models.list_tenant_move_ages()'),
  );
  if (rows.length === 0) return [];
  const tenants = await readTenantIdentities(
    control,
    rows.map(({ tenantId }) => tenantId),
  );
  const here = new Set(tenants.filter((tenant) => tenant.cell === cell).map(({ id }) => id));
  return rows.filter(({ tenantId }) => here.has(tenantId));
}
