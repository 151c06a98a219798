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
