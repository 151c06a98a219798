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
