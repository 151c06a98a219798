import type pg from 'pg';
import { toTimeText } from '../connection/time-text.ts';

/**
 * Throws for tenants that are in the cell, and were moved there later than the state of its read models: their rows came from the other cell, and neither Kafka nor the
 * ledger gives them back. The control database has the whole ledger.
 */
export async function rejectLostMoves(control: pg.Client, cell: string, settledMs: readonly number[]): Promise<void> {
  // Without a lane it is older than every move.
  const stateMs = settledMs.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...settledMs);
  const { rows } = await control.query<{ tenantId: string; switchedAt: string }>(
    `select distinct on (m.tenant_id) m.tenant_id as "tenantId", ${toTimeText('m.switched_at')} as "switchedAt"
       from control.tenant_move m join control.tenant t on t.id = m.tenant_id and t.cell = m.to_cell
      where m.to_cell = $1 and m.state in ('switched', 'confirmed') and t.erased_at is null and m.switched_at > to_timestamp($2 / 1000.0)
      order by m.tenant_id, m.switched_at desc`,
    [cell, stateMs],
  );
  if (rows.length > 0)
    throw new LostMoves(rows.map(({ tenantId, switchedAt }) => `${tenantId} was moved to this cell at ${switchedAt}`));
}

/** Throws where the control database may lack moves too. */
export async function requireOpenControl(control: pg.Client): Promise<void> {
  const { rows } = await control.query<{ isOpen: boolean }>('select control.has_open_epoch() as "isOpen"');
  if (rows[0]?.isOpen !== true) throw new ControlNotRestored();
}

/** The control database was restored too, and has not got yet what its ledger has. */
export class ControlNotRestored extends Error {
  override name = 'ControlNotRestored';
  constructor() {
    super(
      'the control database was restored or promoted too, and may lack moves of tenants to this cell; run "tenantscope restore finish" for the cell default first',
    );
  }
}

/** The restored database is older than moves of tenants to its cell. */
export class LostMoves extends Error {
  override name = 'LostMoves';
  constructor(moves: readonly string[]) {
    super(
      `the database is older than moves of tenants, and has not their rows: ${moves.join('; ')}; restore a newer backup, or see --without-moved-tenants`,
    );
  }
}
