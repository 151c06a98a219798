import { movedTables } from '@tenantscope/store/move';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { runFailingCommand } from './failing-command.ts';
import { createMoveInstallation, type MoveInstallation } from './move-installation.ts';
import { readMovedRows, writeMovedRows } from './moved-rows.ts';

let installation: MoveInstallation;
const rowsPerTable = 7;
const published = 300;
/** Rows of tables are written before it, and are no rows that the API could serve. */
const startedAt = new Date(Date.now() - 60_000).toISOString();

beforeAll(async () => {
  installation = await createMoveInstallation(startedAt);
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

const countPending = async (cell: string, tenantId: string): Promise<number> =>
  (
    await installation.query(
      cell,
      `select from models.dead_letter where tenant_id = $1 and reason = 'OTHER_CELL' and state = 'pending'`,
      [tenantId],
    )
  ).length;

/** What is derived from the facts of files, which is not copied. */
const readExposure = (cell: string, tenantId: string) =>
  installation.query(
    cell,
    `select x::text as row from models.file_exposure x where tenant_id = $1
      union all
     select concat_ws(' ', tally, subject, types, sum(files)) from models.file_tally where tenant_id = $1 group by tally, subject, types
      order by 1`,
    [tenantId],
  );

test('a move copies the rows of every table, and windows and cursors stay what they were', async () => {
  const { tenantId, otherId, publish, query, superuserOf, readLogs, readIds, awaitAllServed, move, cli } = installation;
  await publish('default', tenantId, published);
  await publish('default', otherId, 50);
  await awaitAllServed();
  // Ingest writes it once a quarter of a minute: not between the two comparisons.
  await eventually('a block of the rows', 60_000, async () => {
    const blocks = await query('default', 'select from models.log_block where tenant_id = $1', [tenantId]);
    return blocks.length === 1;
  });
  // History that is older than the other cell, sealed.
  const [sealedFrom, sealedTo] = [new Date(Date.UTC(2025, 5, 1)), new Date(Date.UTC(2025, 5, 8))];
  await query('default', 'select models.add_log_partition($1, $2, true)', [sealedFrom, sealedTo]);
  await writeMovedRows(superuserOf('default'), tenantId, {
    count: rowsPerTable,
    plainMs: Date.parse(startedAt) - 600_000,
    sealedMs: sealedFrom.getTime() + 3_600_000,
  });
  const before = await readMovedRows(superuserOf('default'), tenantId);
  expect(movedTables.filter(({ name }) => (before[name]?.length ?? 0) < rowsPerTable)).toEqual([]);
  await query(
    'default',
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
     values ($1, 'file', 'f1', false, now(), '{"siteId": "legal", "sensitiveInfoTypes": [{"id": "t1"}]}')`,
    [tenantId],
  );
  before.entity_fact = (await readMovedRows(superuserOf('default'), tenantId)).entity_fact ?? [];
  const exposed = await readExposure('default', tenantId);
  expect(exposed).toHaveLength(3);
  const page = await readLogs();

  const { rows, rowCounts } = await move('eu1');
  expect(await readMovedRows(superuserOf('eu1'), tenantId)).toEqual(before);
  expect(await readExposure('eu1', tenantId)).toEqual(exposed);
  expect(rowCounts).toEqual(Object.fromEntries(movedTables.map(({ name }) => [name, before[name]?.length])));
  expect(rows).toBe(movedTables.reduce((sum, { name }) => sum + (before[name]?.length ?? 0), 0));
  const { data, pagination } = await readLogs();
  expect(data).toEqual(page.data);
  expect(pagination.completeThrough >= page.pagination.completeThrough).toBe(true);
  expect(await query('control', 'select cell from control.tenant where id = $1', [tenantId])).toEqual([
    { cell: 'eu1' },
  ]);
  expect((await readIds(otherId)).length).toBe(50);
  const list = await cli<{ data: { id: string; move: string | null }[] }>('tenant list');
  expect(list.data.find(({ id }) => id === tenantId)?.move).toBe('default to eu1: switched');
});

test('records in the former topics are forwarded, and become rows of the new cell only', async () => {
  const { tenantId, publish, query, awaitAllServed, move } = installation;
  await publish('eu1', tenantId, 20);
  await publish('default', tenantId, 30);
  await eventually('they are dead letters', 30_000, async () => (await countPending('default', tenantId)) === 30);
  expect((await move('eu1')).forwarded).toBe(30);
  await awaitAllServed();
  const left = await query('default', `select from models.audit_log where tenant_id = $1`, [tenantId]);
  expect(left.length).toBe(published + rowsPerTable);
});

test('a move back copies what has changed, and the former move needs no confirmation any more', async () => {
  const { tenantId, publish, query, superuserOf, awaitAllServed, move, environment } = installation;
  const early = await runFailingCommand(environment, 'tenant', 'move', '--tenant', tenantId, '--confirm');
  expect(early).toContain('after ten minutes');
  const before = await readMovedRows(superuserOf('eu1'), tenantId);
  await move('default');
  const after = await readMovedRows(superuserOf('default'), tenantId);
  // Since the move ingest may have written a block of rows that were in none.
  expect(after).toEqual({ ...before, log_block: expect.arrayContaining(before.log_block ?? []) });
  await publish('default', tenantId, 10);
  await awaitAllServed();
  expect(
    await query('control', `select state from control.tenant_move where tenant_id = $1 order by begun_at`, [tenantId]),
  ).toEqual([{ state: 'reversed' }, { state: 'switched' }]);
});

test('confirming a move erases the rows that were left, and nothing else', async () => {
  const { tenantId, publish, query, superuserOf, awaitAllServed, cli } = installation;
  await query(
    'control',
    `update control.tenant_move set switched_at = switched_at - interval '11 minutes' where tenant_id = $1`,
    [tenantId],
  );
  await cli(`tenant move --tenant ${tenantId} --confirm`);
  const left = await readMovedRows(superuserOf('eu1'), tenantId);
  expect(Object.values(left).flat()).toEqual([]);
  expect(await readExposure('eu1', tenantId)).toEqual([]);
  await awaitAllServed();
  await publish('eu1', tenantId, 5);
  await eventually('they are dead letters', 30_000, async () => (await countPending('eu1', tenantId)) === 5);
  await cli(`dead-letters replay --tenant ${tenantId} --reason OTHER_CELL`);
  await awaitAllServed();
});

test('a move that is not possible is refused with its reason', async () => {
  const { tenantId, environment } = installation;
  const fail = (...more: string[]) => runFailingCommand(environment, 'tenant', 'move', '--tenant', tenantId, ...more);
  expect(await fail('--cell', 'default', '--yes')).toContain('is in the cell default already');
  expect(await fail('--cell', 'eu7', '--yes')).toContain('TENANTSCOPE_CELLS does not name the cell eu7');
  expect(await fail('--cancel')).toContain('no move of the tenant can be cancelled');
  expect(await fail('--cancel', '--confirm')).toContain('give one of --org, --cell, --cancel and --confirm');
  expect(await fail()).toContain('--org or --cell');
});
