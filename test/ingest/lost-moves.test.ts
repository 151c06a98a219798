import { closeEpoch, openEpoch } from '@tenantscope/store/ingest';
import { connectRestore } from '@tenantscope/store/restore';
import { describe, expect, test } from 'vitest';
import type { TestDatabase } from '../services/database.ts';
import {
  arrangements,
  copyLedgerDatabases,
  createLedgerDatabases,
  hasOpenEpoch,
  type LedgerDatabases,
  query,
  readAsMessages,
  withLedgers,
} from './ledger-databases.ts';

// The cell default is restored to a time before a tenant was moved there, and the control database with it.

const movedId = '0e000000-0000-4000-8000-000000000001';

const addLane = (database: TestDatabase, schema: string) =>
  query(
    database,
    `insert into ${schema}.ingest_lane (cluster_id, topic_id, partition, topic, source, next_offset, settled_at, state)
     values ('cluster', gen_random_uuid(), 0, 'raw.activity.v1', 'raw.activity.v1', 120, now() - interval '1 hour', 'running')`,
  );

const createTenant = ({ control }: LedgerDatabases) =>
  query(
    control,
    `insert into control.cell (id, topic_prefix) values ('eu1', 'eu1');
     insert into control.tenant (id, name, plan, digest, cell) values ('${movedId}', 'Larkspur', 'api', '', 'eu1')`,
  );

const moveTenant = ({ control }: LedgerDatabases) =>
  query(
    control,
    `insert into control.tenant_move (tenant_id, from_cell, to_cell, begun_by) values ('${movedId}', 'eu1', 'default', 'cli:test');
     update control.tenant_move set state = 'switched', switched_at = now();
     update control.tenant set cell = 'default' where id = '${movedId}'`,
  );

const readState = async ({ models, control }: LedgerDatabases) => ({
  cell: (await query(control, `select cell from control.tenant where id = '${movedId}'`))[0]?.cell,
  isOpen: [await hasOpenEpoch(models, 'models'), await hasOpenEpoch(control, 'control')],
});

describe.each(arrangements)('%s', (arrangement) => {
  test('a restore is refused while a move is in the ledger alone, and applies nothing', {
    timeout: 120_000,
  }, async () => {
    await using lost = await createLedgerDatabases(arrangement);
    await withLedgers(lost, openEpoch);
    await createTenant(lost);
    await addLane(lost.models, 'models');
    await using restored = await copyLedgerDatabases(lost);
    await withLedgers(restored, closeEpoch);
    await moveTenant(lost);
    await using restore = await connectRestore({ owner: restored.models.owner, controlOwner: restored.control.owner });
    await restore.stage(await readAsMessages(lost));

    await expect(restore.finish({}, { rejectsLostMoves: true })).rejects.toThrow(
      `the database is older than moves of tenants, and has not their rows: ${movedId} was moved to this cell at `,
    );
    expect(await readState(restored)).toEqual({ cell: 'eu1', isOpen: [false, false] });
    await restore.finish({}, { rejectsLostMoves: false });
    expect(await readState(restored)).toEqual({ cell: 'default', isOpen: [true, true] });
  });
});

test('a cell is not opened while the control database, which was restored too, may lack moves to it', {
  timeout: 120_000,
}, async () => {
  await using lost = await createLedgerDatabases('a separate control database');
  await withLedgers(lost, openEpoch);
  await createTenant(lost);
  await using restored = await copyLedgerDatabases(lost);
  await withLedgers(restored, closeEpoch);
  const [control, models] = [restored.control.owner, restored.models.owner];
  await using restore = await connectRestore({ owner: models, controlOwner: control, cell: 'eu1' });
  await expect(restore.finish({}, { rejectsLostMoves: true })).rejects.toThrow(
    'the control database was restored or promoted too',
  );
  expect((await readState(restored)).isOpen).toEqual([false, false]);
  // As the restore of the control database does, which gets the move from its ledger.
  await query(
    restored.control,
    `select control.begin_epoch();
     insert into control.tenant_move (tenant_id, from_cell, to_cell, begun_by) values ('${movedId}', 'default', 'eu1', 'cli:test');
     update control.tenant_move set state = 'switched', switched_at = now()`,
  );
  await expect(restore.finish({}, { rejectsLostMoves: true })).rejects.toThrow(`${movedId} was moved to this cell at `);
});

test('a backup that is older than an upgrade is migrated before its restore is finished', {
  timeout: 120_000,
}, async () => {
  await using lost = await createLedgerDatabases('one database');
  await withLedgers(lost, openEpoch);
  await using restored = await copyLedgerDatabases(lost);
  await withLedgers(restored, closeEpoch);
  await createTenant(lost);
  // As before the version that records it.
  await query(restored.control, 'drop trigger record_ledger_entry on control.cell');
  await using restore = await connectRestore({ owner: restored.models.owner, controlOwner: restored.control.owner });
  await restore.stage(await readAsMessages(lost));
  await expect(restore.finish({}, { rejectsLostMoves: true })).rejects.toThrow(
    /is of control\.cell, which is no table of this version of the database.*run "tenantscope migrate"/,
  );
  expect((await readState(restored)).isOpen).toEqual([false, false]);
});

test('a control database that is restored alone is accepted: the read models have settled since the move', {
  timeout: 120_000,
}, async () => {
  await using lost = await createLedgerDatabases('a separate control database');
  await withLedgers(lost, openEpoch);
  await createTenant(lost);
  for (const [schema, database] of [['models', lost.models] as const, ['control', lost.control] as const])
    await addLane(database, schema);
  await using restored = await copyLedgerDatabases(lost);
  await withLedgers(restored, closeEpoch);
  await moveTenant(lost);
  await query(restored.models, `update models.ingest_lane set settled_at = now()`);
  await using restore = await connectRestore({ owner: restored.models.owner, controlOwner: restored.control.owner });
  await restore.stage(await readAsMessages(lost));
  await restore.finish({}, { rejectsLostMoves: true });
  expect(await readState(restored)).toEqual({ cell: 'default', isOpen: [true, true] });
});
