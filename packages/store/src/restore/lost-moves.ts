import { toTimeText } from '../connection/time-text.ts';
import { connectOwner } from '../migration/owner-connection.ts';

export interface TenantArrival {
  readonly tenantId: string;
  readonly switchedAt: string;
}

/** The tenants that are in the cell, and were moved there later than the state of its database. */
export async function listMovesAfter(
  controlUrl: string,
  cell: string,
  stateMs: number,
): Promise<readonly TenantArrival[]> {
  const control = await connectOwner(controlUrl);
  try {
    const { rows } = await control.query<TenantArrival>(
      `select distinct on (m.tenant_id) m.tenant_id as "tenantId", ${toTimeText('m.switched_at')} as "switchedAt"
         from control.tenant_move m join control.tenant t on t.id = m.tenant_id and t.cell = m.to_cell
        where m.to_cell = $1 and m.state in ('switched', 'confirmed') and t.erased_at is null and m.switched_at > to_timestamp($2 / 1000.0)
        order by m.tenant_id, m.switched_at desc`,
      [cell, stateMs],
    );
    return rows;
  } finally {
    await control.end();
  }
}
