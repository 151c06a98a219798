import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { createMoveInstallation, type MoveInstallation } from './move-installation.ts';
import { readMovedRows, writeMovedRows } from './moved-rows.ts';

let installation: MoveInstallation;
const startedAt = new Date(Date.now() - 60_000).toISOString();
const [fromAt, toAt] = [new Date(Date.UTC(2025, 5, 1)), new Date(Date.UTC(2025, 5, 8))];

beforeAll(async () => {
  installation = await createMoveInstallation(startedAt);
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

/** Whether the ingest of the cell has sealed the partition. */
const isSealed = async (cell: string): Promise<boolean> =>
  (
    await installation.query(
      cell,
      'select from models.audit_log_partition where from_at = $1 and sealed_at is not null',
      [fromAt],
    )
  ).length === 1;

test('a move waits until both cells have sealed the same rows, and copies them as blocks', async () => {
  const { tenantId, publish, query, superuserOf, awaitAllServed, move } = installation;
  await publish('default', tenantId, 100);
  await awaitAllServed();
  // Sealing rests in the target, as where its receipts are late.
  await query('eu1', 'update models.retention set seal_after_days = null');
  await query('eu1', 'select models.add_log_partition($1, $2, false)', [fromAt, toAt]);
  await query('default', 'select models.add_log_partition($1, $2, true)', [fromAt, toAt]);
  await writeMovedRows(superuserOf('default'), tenantId, {
    count: 5,
    plainMs: Date.parse(startedAt) - 600_000,
    sealedMs: fromAt.getTime() + 3_600_000,
  });
  const moving = move('eu1');
  moving.catch(() => {});
  const isWaiting = async () =>
    (
      await query(
        'eu1',
        `select from pg_stat_activity where datname = current_database() and state = 'idle' and query like '%pg_advisory_unlock%' and pid <> pg_backend_pid()`,
      )
    ).length > 0;
  await eventually('it waits, without the lock of the tenant', 30_000, isWaiting);
  expect(await query('eu1', 'select from models.log_sealed where tenant_id = $1', [tenantId])).toEqual([]);
  expect(await isSealed('eu1')).toBe(false);

  await query('eu1', 'update models.retention set seal_after_days = 1');
  await query('eu1', 'select models.begin_log_seal(now())');
  await query(
    'eu1',
    'select models.complete_log_seal(name, now()) from models.audit_log_partition where from_at = $1',
    [fromAt],
  );
  await eventually('the target has sealed it', 60_000, () => isSealed('eu1'));
  await moving;
  const before = await readMovedRows(superuserOf('default'), tenantId);
  expect(before.log_sealed?.length).toBe(5);
  expect(await readMovedRows(superuserOf('eu1'), tenantId)).toEqual(before);
  await awaitAllServed();
});
