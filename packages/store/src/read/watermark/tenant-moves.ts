import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';

/** A tenant whose records belong to another cell, while rows of it are in this database. */
export interface TenantMove {
  /** Rows are being copied here: nothing is served of them. */
  readonly isArriving: boolean;
  /** Epoch ms: the database has every row of the tenant through this time, and no later one. Null: no bound. */
  readonly servedThroughMs: number | null;
}

export interface TenantMoves {
  /** Of models.tenant_move_version: it grows with each change of the list. */
  readonly version: string;
  readonly tenants: ReadonlyMap<string, TenantMove>;
}

/** Read after lanes, it bounds what they say: a tenant leaves in a transaction that no lane is written next to. */
export async function readTenantMoves(node: pg.Pool): Promise<TenantMoves> {
  const { rows } = await withConnection(node, (client) =>
    client.query<{ version: string; id: string | null; is_arriving: boolean; served_through_ms: number | null }>({
      name: 'tenant moves',
      text: `select version, tenant_id as id, is_arriving, (extract(epoch from served_through) * 1000)::float8 as served_through_ms
               from models.list_tenant_moves()`,
    }),
  );
  return {
    version: String(rows[0]?.version ?? 0),
    tenants: new Map(
      rows.flatMap(({ id, is_arriving: isArriving, served_through_ms: servedThroughMs }) =>
        id === null ? [] : [[id, { isArriving, servedThroughMs }]],
      ),
    ),
  };
}
