import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const move = z.object({
  tenantId: z.string(),
  fromCell: z.string(),
  toCell: z.string(),
  /** Switched: the tenant is in the cell, and the other one has its rows until the move is confirmed. */
  state: z.enum(['copying', 'fenced', 'switched']),
  begunAt: z.string(),
});
export type TenantMove = z.infer<typeof move>;

export function listTenantMoves(control: DatabasePool): Promise<readonly TenantMove[]> {
  return control.any(sql.type(move)`
    select tenant_id as "tenantId", from_cell as "fromCell", to_cell as "toCell", state, begun_at as "begunAt"
      from control.tenant_move where state in ('copying', 'fenced', 'switched') order by begun_at`);
}

const movedTenant = z.object({ tenantId: z.string(), cell: z.string() });
/** A tenant that may have rows in other cells than its own: those that it left, or the one that it is moving to. */
export type MovedTenant = z.infer<typeof movedTenant>;

export function listMovedTenants(control: DatabasePool): Promise<readonly MovedTenant[]> {
  return control.any(sql.type(movedTenant)`
    select distinct t.id as "tenantId", t.cell
      from control.tenant_move m join control.tenant t on t.id = m.tenant_id where m.state in ('copying', 'fenced', 'switched', 'confirmed')`);
}
