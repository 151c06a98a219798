import type pg from 'pg';
import { MoveRefused } from './connections.ts';
import * as fence from './fence.ts';
import { endMove, type MoveRecord, readMoves } from './move-record.ts';
import { copyImports, deleteImports, listCountedImports } from './moved-imports.ts';

/** Requests that began before the switch have ended after it: none takes so long. */
const confirmAfterMs = 10 * 60_000;

/** Gives up a move before the switch: the source takes records of the tenant again, and what was copied is erased. */
export async function cancelMove(
  { control, source, target }: { control: pg.Client; source: pg.Client; target: pg.Client },
  move: MoveRecord,
): Promise<void> {
  const { tenantId, fromCell } = move;
  const { unconfirmed } = await readMoves(control, tenantId);
  // An interrupted command may have removed it just before the switch.
  await fence.beginArrival(target, tenantId, fromCell);
  await fence.removeMark(source, tenantId);
  // Where the tenant was before, its rows wait for the confirmation of the move from there.
  if (unconfirmed === null) {
    await eraseRows(target, tenantId);
    await deleteImports(target, await listCountedImports(target, tenantId));
    await fence.removeMark(target, tenantId);
  } else await fence.restoreDeparture(target, tenantId, await fence.readSettled(target));
  await endMove(control, move.id, 'cancelled');
}

/**
 * Erases the rows of a moved tenant in the cell that it left. It stays marked there: a process with an older directory writes no row of it. Imports that run in
 * the topics of that cell stay, with what it counts of them.
 */
export async function confirmMove(
  { control, source, target }: { control: pg.Client; source: pg.Client; target: pg.Client },
  move: MoveRecord,
): Promise<void> {
  const sinceMs = move.switchedSinceMs ?? 0;
  if (sinceMs < confirmAfterMs)
    throw new MoveRefused(
      `the tenant was moved ${Math.round(sinceMs / 1_000)} s ago, and requests may still read its rows in the cell ${move.fromCell}; repeat the command after ten minutes`,
    );
  await copyImports(target, source, move.tenantId);
  // Before their counts are copied: those of the others change.
  const counted = await listCountedImports(source, move.tenantId);
  await copyImports(source, target, move.tenantId);
  await eraseRows(source, move.tenantId);
  await deleteImports(source, counted);
  await endMove(control, move.id, 'confirmed');
}

async function eraseRows(client: pg.Client, tenantId: string): Promise<void> {
  await fence.lockTenant(client, tenantId);
  try {
    for (let isErased = false; !isErased; ) {
      const { rows } = await client.query<{ done: boolean }>('select models.erase_moved_tenant($1) as done', [
        tenantId,
      ]);
      isErased = rows[0]?.done === true;
    }
  } finally {
    await fence.unlockTenant(client, tenantId);
  }
}
