import { randomUUID } from 'node:crypto';
import { connectReadModels, readLogRecord, watchWatermark } from '@tenantscope/store/read';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { logRow, openLaneWriter } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { dropEndedPartitions, moveBoundary, readPartitions } from './partition-boundary.ts';

let database: TestDatabase;
let inspector: DatabaseInspector;
beforeEach(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  await dropEndedPartitions(inspector);
  // Days pass by the boundary of a partition.
  await inspector.client.query('alter table models.tenant_retention drop constraint tenant_retention_floor');
});
afterEach(async () => {
  await inspector[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** All rows of a tenant in the read models, by table. */
async function readAll(tenantId: string): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await inspector.client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'models'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const all: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const { rows } = await inspector.client.query<{ row: unknown }>(
      `select to_jsonb(t) as row from models.${name} t where tenant_id = $1 order by t::text`,
      [tenantId],
    );
    if (rows.length > 0) all[name] = rows.map(({ row }) => row);
  }
  return all;
}

/** What is written next to a row, by ingest processes that these tests do not start. */
async function writeCompanions(tenantId: string, logId: string, discoveredAt: string): Promise<void> {
  const written = { tenantId, logId, discoveredAt };
  const insert = (statement: string) =>
    inspector.client.query(
      `with of_row as (select * from jsonb_to_record($1) r ("tenantId" uuid, "logId" uuid, "discoveredAt" timestamptz)) ${statement}`,
      [JSON.stringify(written)],
    );
  await insert(`insert into models.log_fact (tenant_id, log_id, kind, occurred_at, discovered_at, facts)
    select "tenantId", "logId", 'aiInteraction', "discoveredAt", "discoveredAt", '{}' from of_row`);
  await insert(`insert into models.log_read (tenant_id, discovered_at, log_id, occurred_at, name_digest, is_interaction, is_external)
    select "tenantId", "discoveredAt", "logId", "discoveredAt", gen_random_uuid(), false, false from of_row`);
  await insert(`insert into models.log_block (tenant_id, number, first_at, first_id, last_at, last_id, row_count, earliest_occurred_at, latest_occurred_at, tokens)
    select "tenantId", (select count(*) from models.log_block b where b.tenant_id = "tenantId"), "discoveredAt", "logId", "discoveredAt", "logId", 1,
           "discoveredAt", "discoveredAt", '' from of_row`);
  await insert(`insert into models.log_tally (tenant_id, tally, at, subject, object, flags, shard, events, first_at, last_at)
    select "tenantId", 'arrival', "discoveredAt", '', '', '', 99, 1, "discoveredAt", "discoveredAt" from of_row`);
  await insert(`insert into models.actor_tally (tenant_id, at, first_at, last_at, events, shard, actor, device, state, counts, first_ms, last_ms)
    select "tenantId", "discoveredAt", "discoveredAt", "discoveredAt", 1, 99, 'anna', '', '', '{1}', '{0}', '{0}' from of_row`);
}

/** Of counts, those of `writeCompanions`: each is of one row. */
const countCompanions = (rows: readonly unknown[] = []): number =>
  rows.filter((row) => (row as { readonly shard: number }).shard === 99).length;

const stampOf = async (tenantId: string, id: string): Promise<string> =>
  (await inspector.rows(tenantId)).find((row) => row.id === id)?.discoveredAt ?? '';

/** Ends the current partition; later rows are in the next one. */
async function endPartition(lanes: Awaited<ReturnType<typeof openLaneWriter>>): Promise<Date> {
  const boundary = new Date(Date.now() + 300);
  await moveBoundary(inspector, boundary);
  await lanes.partitionCache.refresh();
  await eventually('stamps are behind the boundary', 5_000, async () => Date.now() > boundary.getTime() + 1_100);
  return boundary;
}

/** A tenant and a neighbour, each with a row in a partition that has ended and one in the next. */
async function writeTwoPartitions(lanes: Awaited<ReturnType<typeof openLaneWriter>>) {
  const [tenantId, neighbour] = [randomUUID(), randomUUID()];
  const [old, recent, foreign, recentForeign] = [tenantId, tenantId, neighbour, neighbour].map((tenant) =>
    logRow(tenant),
  );
  if (!old || !recent || !foreign || !recentForeign) throw new Error('four rows');
  await lanes.write(0, [old, foreign]);
  const boundary = await endPartition(lanes);
  await lanes.write(0, [recent, recentForeign]);
  for (const row of [old, recent]) await writeCompanions(tenantId, row.id, await stampOf(tenantId, row.id));
  for (const row of [foreign, recentForeign])
    await writeCompanions(neighbour, row.id, await stampOf(neighbour, row.id));
  return { tenantId, neighbour, old, recent, foreign, boundary };
}

const retain = (tenantId: string, days: number | null) =>
  inspector.client.query(
    `insert into models.tenant_retention (tenant_id, retention_days) values ($1, $2)
       on conflict (tenant_id) do update set retention_days = excluded.retention_days`,
    [tenantId, days],
  );
const letTenMinutesPass = () =>
  inspector.client.query(`update models.tenant_retention set dropped_at = dropped_at - interval '11 minutes'`);

test('the retention of one tenant deletes its rows alone, after they are no longer served', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  await using models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  const { tenantId, neighbour, old, recent, foreign, boundary } = await writeTwoPartitions(lanes);
  const partitions = await readPartitions(inspector);
  const neighbourBefore = await readAll(neighbour);
  expect(Object.keys(neighbourBefore)).toEqual(
    expect.arrayContaining([
      'actor_tally',
      'audit_log',
      'audit_log_raw',
      'log_block',
      'log_fact',
      'log_identity',
      'log_read',
      'log_tally',
    ]),
  );
  const ownBefore = await readAll(tenantId);
  await using watermark = await watchWatermark(models.pools(), { intervalMs: 50 });
  expect(watermark.history('logs', tenantId)).toEqual(watermark.history('logs', neighbour));

  await retain(tenantId, 0);
  await lanes.partitionCache.refresh();
  await eventually(
    'the api has the new beginning',
    5_000,
    async () => watermark.history('logs', tenantId)?.retainedFromMs === boundary.getTime(),
  );
  expect(watermark.history('logs', tenantId)).toMatchObject({ droppedBeforeMs: boundary.getTime(), retentionDays: 0 });
  expect(watermark.history('logs', neighbour)).toMatchObject({ droppedBeforeMs: null, retentionDays: 400 });
  const read = (tenant: string, id: string) =>
    readLogRecord(models, {
      tenantId: tenant,
      id,
      droppedBeforeMs: watermark.history('logs', tenant)?.droppedBeforeMs ?? null,
      timeoutMs: 10_000,
    });
  expect([await read(tenantId, old.id), await read(neighbour, foreign.id)]).toEqual([null, expect.anything()]);
  // A page that began before may still read its rows.
  await lanes.partitionCache.refresh();
  const { tenant_retention: _own, ...stored } = await readAll(tenantId);
  expect(stored).toEqual(ownBefore);

  await letTenMinutesPass();
  await lanes.partitionCache.refresh();
  const { tenant_retention, ...after } = await readAll(tenantId);
  expect(tenant_retention).toEqual([
    expect.objectContaining({ deleted_before: expect.stringContaining(boundary.toISOString().slice(0, 19)) }),
  ]);
  const { log_identity, ...others } = after;
  const { log_identity: identitiesBefore, ...othersBefore } = ownBefore;
  for (const [table, rows] of Object.entries(othersBefore)) {
    if (!['audit_log', 'audit_log_raw', 'log_block', 'log_fact', 'log_read'].includes(table)) continue;
    expect([rows.length, others[table]?.length], table).toEqual([2, 1]);
    expect(rows).toEqual(expect.arrayContaining(others[table] ?? []));
  }
  for (const table of ['actor_tally', 'log_tally'])
    expect([countCompanions(ownBefore[table]), countCompanions(others[table])], table).toEqual([2, 1]);
  expect(await read(tenantId, recent.id)).not.toBeNull();
  expect(log_identity).toEqual(identitiesBefore);
  expect(await lanes.write(0, [old])).toMatchObject({ kind: 'written', inserted: 0 });
  expect(await readAll(neighbour)).toEqual(neighbourBefore);
  expect(await readPartitions(inspector)).toEqual(partitions);
});

test('a deletion takes a limited number of rows at a time, partition by partition, ends, and is not undone by a longer retention', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const { tenantId, boundary } = await writeTwoPartitions(lanes);
  const last = await endPartition(lanes);
  const newest = logRow(tenantId);
  await lanes.write(0, [newest]);
  await retain(tenantId, 0);
  await lanes.partitionCache.refresh();
  await letTenMinutesPass();
  const deleteSome = async (rows: number): Promise<number> =>
    (await inspector.client.query(`select models.delete_expired_tenant_rows($1) as deleted`, [rows])).rows[0].deleted;
  const readProgress = async (): Promise<{ dropped: Date; deleted: Date | null }> =>
    (
      await inspector.client.query(
        'select dropped_before as dropped, deleted_before as deleted from models.tenant_retention',
      )
    ).rows[0];
  // While its blocks are being written or sealed, nothing is deleted.
  const sealing = await lanes.ledger.pool.connect();
  await sealing.query('begin');
  await sealing.query(`select pg_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || $1, 0))`, [tenantId]);
  expect(await deleteSome(2)).toBe(0);
  await sealing.query('rollback');
  sealing.release();
  const deleted: number[] = [];
  const progress = new Set<number | undefined>();
  while (deleted.at(-1) !== 0) {
    deleted.push(await deleteSome(2));
    progress.add((await readProgress()).deleted?.getTime());
  }
  expect(deleted.slice(0, -2).every((rows) => rows === 2)).toBe(true);
  expect([...progress]).toEqual([undefined, boundary.getTime(), last.getTime()]);
  expect((await inspector.rows(tenantId)).map(({ id }) => id)).toEqual([newest.id]);
  await retain(tenantId, null);
  await lanes.partitionCache.refresh();
  expect(await readProgress()).toEqual({ dropped: last, deleted: last });
});

test('nothing is served while the beginning of the stored history is unknown', async () => {
  await using _lanes = await openLaneWriter(database, { partitions: 1 });
  await using models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  const change = (rights: string) =>
    inspector.client.query(
      `${rights.replace('…', 'execute on function models.list_tenant_retention')} tenantscope_api`,
    );
  await change('revoke … from');
  await using watermark = await watchWatermark(models.pools(), { intervalMs: 50 });
  await watermark.refresh();
  expect(watermark.settled('logs')).toBeNull();
  await change('grant … to');
  await eventually('the history is read', 10_000, async () => watermark.settled('logs') !== null);
});
