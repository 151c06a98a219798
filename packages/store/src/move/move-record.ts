import type pg from 'pg';
import { toTimeText } from '../connection/time-text.ts';
import { inTransaction } from '../connection/transaction.ts';
import { MoveRefused } from './connections.ts';

export type MoveState = 'copying' | 'fenced' | 'switched' | 'confirmed' | 'cancelled' | 'reversed';

/** A move as the control database records it. */
export interface MoveRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly fromCell: string;
  readonly toCell: string;
  readonly state: MoveState;
  readonly begunAt: string;
  readonly servedThrough: string | null;
  /** Since the switch, by the clock of the control database. */
  readonly switchedSinceMs: number | null;
}

const columns = `id, tenant_id as "tenantId", from_cell as "fromCell", to_cell as "toCell", state, ${toTimeText('begun_at')} as "begunAt",
  ${toTimeText('served_through')} as "servedThrough", (extract(epoch from clock_timestamp() - switched_at) * 1000)::float8 as "switchedSinceMs"`;

/** The move of a tenant that is under way, and the one that waits for its confirmation. */
export async function readMoves(
  control: pg.Client,
  tenantId: string,
): Promise<{ readonly open: MoveRecord | null; readonly unconfirmed: MoveRecord | null }> {
  const { rows } = await control.query<MoveRecord>(
    `select ${columns} from control.tenant_move where tenant_id = $1 and state in ('copying', 'fenced', 'switched')`,
    [tenantId],
  );
  return {
    open: rows.find(({ state }) => state !== 'switched') ?? null,
    unconfirmed: rows.find(({ state }) => state === 'switched') ?? null,
  };
}

/** One command at a time works on the moves of a tenant. */
export async function lockMoves(control: pg.Client, tenantId: string): Promise<void> {
  const { rows } = await control.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('tenantscope.tenant_move.' || $1, 0)) as locked`,
    [tenantId],
  );
  if (!rows[0]?.locked) throw new MoveRefused('another command moves this tenant; wait until it has ended');
}

/** Begins a move, or finds the one that an interrupted command began. */
export async function openMove(
  control: pg.Client,
  { tenantId, toCell, actor }: { tenantId: string; toCell: string; actor: string },
): Promise<MoveRecord> {
  const { open, unconfirmed } = await readMoves(control, tenantId);
  if (open !== null) {
    if (open.toCell !== toCell)
      throw new MoveRefused(
        `the tenant is being moved to the cell ${open.toCell}: complete that, or cancel it with --cancel`,
      );
    return open;
  }
  const { rows: tenants } = await control.query<{ cell: string; closed: boolean; exists: boolean }>(
    `select cell, closed_at is not null as closed, exists (select from control.cell where id = $2) as "exists" from control.tenant where id = $1`,
    [tenantId, toCell],
  );
  const [tenant] = tenants;
  if (!tenant) throw new MoveRefused(`there is no tenant ${tenantId}`);
  if (!tenant.exists) throw new MoveRefused(`there is no cell ${toCell}; "tenantscope cell list" shows them`);
  if (tenant.closed) throw new MoveRefused('the tenant is closed');
  if (tenant.cell === toCell) throw new MoveRefused(`the tenant is in the cell ${toCell} already`);
  if (unconfirmed !== null && unconfirmed.fromCell !== toCell)
    throw new MoveRefused(`the cell ${unconfirmed.fromCell} still has its rows: erase them with --confirm first`);
  const { rows } = await control.query<MoveRecord>(
    `insert into control.tenant_move (tenant_id, from_cell, to_cell, begun_by) values ($1, $2, $3, $4) returning ${columns}`,
    [tenantId, tenant.cell, toCell, actor],
  );
  return rows[0] as MoveRecord;
}

/** Back to copying, where an interrupted command had fenced the source. */
export async function setCopying(control: pg.Client, id: string): Promise<void> {
  await control.query(
    `update control.tenant_move set state = 'copying', fenced_at = null, served_through = null where id = $1`,
    [id],
  );
}

export async function setFenced(control: pg.Client, id: string, servedThrough: string): Promise<void> {
  await control.query(
    `update control.tenant_move set state = 'fenced', fenced_at = clock_timestamp(), served_through = $2 where id = $1`,
    [id, servedThrough],
  );
}

/** The tenant is in the other cell from the end of this transaction on: the next look-up of a key reads it. Returns how long the tenant was fenced, in ms. */
export async function switchCell(
  control: pg.Client,
  { id, tenantId, fromCell, toCell }: MoveRecord,
  verified: { readonly rowCounts: Readonly<Record<string, number>>; readonly sha256: string },
): Promise<number> {
  return inTransaction(control, async () => {
    const { rowCount } = await control.query(
      `update control.tenant set cell = $3, changed_at = clock_timestamp() where id = $1 and cell = $2`,
      [tenantId, fromCell, toCell],
    );
    if (rowCount !== 1) throw new MoveRefused(`the tenant is not in the cell ${fromCell} any more`);
    await control.query(
      `update control.tenant_move set state = 'reversed', ended_at = clock_timestamp() where tenant_id = $1 and state = 'switched'`,
      [tenantId],
    );
    const { rows } = await control.query<{ fencedMs: number }>(
      `update control.tenant_move set state = 'switched', switched_at = clock_timestamp(), row_counts = $2, sha256 = $3
        where id = $1 and state = 'fenced'
       returning (extract(epoch from clock_timestamp() - fenced_at) * 1000)::float8 as "fencedMs"`,
      [id, JSON.stringify(verified.rowCounts), verified.sha256],
    );
    if (!rows[0]) throw new MoveRefused('the move was changed by another command');
    return rows[0].fencedMs;
  });
}

export async function endMove(control: pg.Client, id: string, state: 'cancelled' | 'confirmed'): Promise<void> {
  await control.query(`update control.tenant_move set state = $2, ended_at = clock_timestamp() where id = $1`, [
    id,
    state,
  ]);
}
