import { randomUUID } from 'node:crypto';
import { createPartitionCache, tickLanes } from '@tenantscope/store/ingest';
import { connectReadModels, readLogRecord, watchWatermark } from '@tenantscope/store/read';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { logRow, openLaneWriter } from '../installation/lane-writer.ts';
import { serializeMembers } from '../installation/member-lines.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { moveBoundary, readPartitions } from './partition-boundary.ts';

let database: TestDatabase;
let inspector: DatabaseInspector;

beforeEach(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
});
afterEach(async () => {
  await inspector[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** The partitions according to the server. */
async function attached(parent: string): Promise<string[]> {
  const { rows } = await inspector.client.query<{ name: string }>(
    `select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = $1::regclass order by 1`,
    [`models.${parent}`],
  );
  return rows.map(({ name }) => name);
}

const rawPartition = (name: string): string => name.replace('audit_log_', 'audit_log_raw_');

const rowsIn = async (partition: string): Promise<number> =>
  (await inspector.client.query(`select count(*)::int as rows from models.${partition}`)).rows[0].rows;

test('a batch that crosses a partition boundary stores every row once in the right partition', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const tenantId = randomUUID();
  let written = 0;
  /** A batch has stamps of at most a second: it crosses the boundary if its transaction begins less than a second after it. */
  const crossBoundary = async (): Promise<boolean> => {
    await tickLanes(lanes.ledger);
    const [before, behind] = await moveBoundary(inspector, new Date(Date.now() + 500));
    await lanes.partitionCache.refresh();
    await eventually('the clock is past the boundary', 5_000, async () => {
      const { rows } = await inspector.client.query(
        `select clock_timestamp() > from_at + interval '300 ms' as past from models.audit_log_partition where name = $1`,
        [behind],
      );
      return rows[0].past;
    });
    const earlierBefore = await rowsIn(before);
    await lanes.write(
      0,
      Array.from({ length: 400 }, () => logRow(tenantId)),
    );
    written += 400;
    const [earlier, later] = [(await rowsIn(before)) - earlierBefore, await rowsIn(behind)];
    expect(earlier + later).toBe(400);
    expect(await inspector.rowCount(tenantId)).toBe(written);
    return earlier > 0 && later > 0;
  };
  // On a loaded machine the transaction may begin too late.
  for (let attempt = 1; !(await crossBoundary()); attempt++) expect(attempt).toBeLessThan(20);
});

test('a worker that meets an unknown partition refreshes its list and writes the same batch again', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const tenantId = randomUUID();
  await moveBoundary(inspector, new Date(Date.now() - 1));
  const rows = Array.from({ length: 20 }, () => logRow(tenantId));
  // It copies into the previously right partition; the server rejects that.
  const first = await lanes.write(0, rows, { fromOffset: 0n });
  const outcome = first.kind === 'again' ? await lanes.write(0, rows, { fromOffset: 0n }) : first;
  expect(first.kind).toBe('again');
  expect(outcome).toMatchObject({ kind: 'written', inserted: 20 });
  expect(await inspector.rowCount(tenantId)).toBe(20);
});

test('rows are stored uncompressed up to a tuple of half a page, and compressed above', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const tenantId = randomUUID();
  const withText = (length: number) => ({
    ...logRow(tenantId),
    memberLines: serializeMembers({ action: 'x', details: { Text: 'ab '.repeat(length / 3) } }),
  });
  await lanes.write(0, [withText(3_600), withText(6_000)]);
  const { rows } = await inspector.client.query(
    `select length(member_lines) > 4096 as large, pg_column_compression(member_lines) as compression
       from models.audit_log where tenant_id = $1 order by length(member_lines)`,
    [tenantId],
  );
  expect(rows).toEqual([
    { large: false, compression: null },
    { large: true, compression: 'pglz' },
  ]);
});

test('concurrent maintenance creates each partition once', async () => {
  await inspector.client.query(`update models.retention set partition_width = '1 day'`);
  const pools = Array.from({ length: 4 }, () => openTestPool(database.roles.ingest, { max: 1 }));
  await inspector.client.query(`do $$ declare leaf record; begin
    for leaf in select name from models.audit_log_partition where from_at > now() loop
      execute format('drop table models.%I', leaf.name);
      execute format('drop table models.%I', replace(leaf.name, 'audit_log_', 'audit_log_raw_'));
      delete from models.audit_log_partition where name = leaf.name;
    end loop; end $$`);
  const caches = await Promise.all(pools.map((pool) => createPartitionCache(pool)));
  await Promise.all(pools.map((pool) => pool.end()));
  for (const { aheadDays } of caches) expect(aheadDays()).toBeGreaterThanOrEqual(27);
  const there = await readPartitions(inspector);
  expect(there.map(({ name }) => name).toSorted()).toEqual(await attached('audit_log'));
  expect(there.map(({ name }) => rawPartition(name)).toSorted()).toEqual(await attached('audit_log_raw'));
  for (const [index, partition] of there.slice(1).entries()) expect(partition.fromAt).toEqual(there[index]?.toAt);
});

test('retention drops the oldest partition by its age and reports in advance when no partition will remain', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  await using models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  const [oldest] = await readPartitions(inspector);
  if (!oldest) throw new Error('there is no partition');
  const fromAt = new Date(oldest.fromAt.getTime() - 40 * 86_400_000);
  await inspector.client.query(
    `create table models.audit_log_old (like models.audit_log including defaults including constraints);
     alter table models.audit_log attach partition models.audit_log_old for values from ('${fromAt.toISOString()}') to ('${oldest.fromAt.toISOString()}');
     create table models.audit_log_raw_old (like models.audit_log_raw including all);
     alter table models.audit_log_raw attach partition models.audit_log_raw_old for values from ('${fromAt.toISOString()}') to ('${oldest.fromAt.toISOString()}');
     insert into models.audit_log_partition values ('audit_log_old', '${fromAt.toISOString()}', '${oldest.fromAt.toISOString()}')`,
  );
  const tenantId = randomUUID();
  await inspector.client.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
     values ($1, $2, gen_random_uuid(), $2, 'x', 1, '"x"')`,
    [tenantId, fromAt],
  );
  await lanes.write(0, [logRow(tenantId)]);
  await lanes.partitionCache.refresh();
  expect(await inspector.rowCount(tenantId)).toBe(2);

  // It ends where the first regular one starts, at least a day ago.
  await inspector.client.query('alter table models.retention drop constraint retention_floor');
  await inspector.client.query('update models.retention set retention_days = 1');
  await lanes.partitionCache.refresh();
  expect(await inspector.rowCount(tenantId)).toBe(1);
  expect(await attached('audit_log')).not.toContain('audit_log_old');
  expect(await attached('audit_log_raw')).not.toContain('audit_log_raw_old');
  expect(await rowsIn('audit_log_raw')).toBe(1);
  await using watermark = await watchWatermark(models.pools(), { intervalMs: 50 });
  await eventually(
    'the api has the new retention',
    5_000,
    () => (watermark.history('logs', tenantId)?.droppedBeforeMs ?? null) !== null,
  );
  const history = watermark.history('logs', tenantId);
  expect(history?.retainedFromMs).toBe(oldest.fromAt.getTime());
  expect(history?.droppedBeforeMs).toBe(oldest.fromAt.getTime());
  // Today's rows are still deduplicated.
  await lanes.write(0, [logRow(tenantId)]);
  expect(await inspector.rowCount(tenantId)).toBe(2);
});

test('a clock that jumps by more than a day deletes nothing before it has run on for a day', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const tenantId = randomUUID();
  const setClock = (assignments: string) => inspector.client.query(`update models.retention_clock set ${assignments}`);
  const refresh = async () => {
    await lanes.partitionCache.refresh();
    const { rows } = await inspector.client.query<{ at: Date | null }>(
      'select dropped_before as at from models.tenant_retention where tenant_id = $1',
      [tenantId],
    );
    return {
      isPaused: lanes.partitionCache.isRetentionPaused(),
      rows: await inspector.rowCount(tenantId),
      isTenantDropped: rows[0]?.at !== null,
    };
  };
  await lanes.write(0, [logRow(tenantId)]);
  const boundary = new Date(Date.now() + 300);
  await moveBoundary(inspector, boundary);
  await lanes.partitionCache.refresh();
  await eventually('the partition has ended', 5_000, async () => Date.now() > boundary.getTime() + 100);
  for (const table of ['retention', 'tenant_retention'])
    await inspector.client.query(`alter table models.${table} drop constraint ${table}_floor`);
  await inspector.client.query('update models.retention set retention_days = 0');
  await inspector.client.query('insert into models.tenant_retention (tenant_id, retention_days) values ($1, 0)', [
    tenantId,
  ]);

  const untouched = { isPaused: true, rows: 1, isTenantDropped: false };
  // As if it were a hundred days after the last pass, a minute ago.
  await setClock(`accepted_at = accepted_at - interval '100 days', seen_at = seen_at - interval '100 days'`);
  expect([await refresh(), await refresh()]).toEqual([untouched, untouched]);
  // As if it had been set back: the day begins again.
  await setClock(`seen_at = seen_at + interval '100 days', jumped_at = jumped_at - interval '1 day'`);
  expect([await refresh(), await refresh()]).toEqual([untouched, untouched]);
  await setClock(`jumped_at = jumped_at - interval '1 day'`);
  expect(await refresh()).toEqual({ isPaused: false, rows: 0, isTenantDropped: false });
});

test('retention removes the raw record with its row, and not those of newer rows', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  await using models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  const [tenantId, neighbor] = [randomUUID(), randomUUID()];
  const rawOf = async (tenant: string, id: string) =>
    (await readLogRecord(models, { tenantId: tenant, id, timeoutMs: 10_000 }))?.raw?.toString() ?? null;
  const [old, recent, foreign] = [logRow(tenantId), logRow(tenantId), logRow(neighbor)];
  await lanes.write(0, [old, foreign]);
  const boundary = new Date(Date.now() + 300);
  await moveBoundary(inspector, boundary);
  await lanes.partitionCache.refresh();
  // Stamps of a batch spread over a second before it.
  await eventually(
    'the boundary is more than a second ago',
    5_000,
    async () => Date.now() > boundary.getTime() + 1_100,
  );
  await lanes.write(0, [recent]);
  for (const row of [old, recent]) expect(await rawOf(tenantId, row.id)).toBe(String(row.source.text));

  await inspector.client.query('alter table models.retention drop constraint retention_floor');
  await inspector.client.query('update models.retention set retention_days = 0');
  await lanes.partitionCache.refresh();
  expect(await rawOf(tenantId, old.id)).toBeNull();
  expect(await readLogRecord(models, { tenantId, id: old.id, timeoutMs: 10_000 })).toBeNull();
  expect(await readLogRecord(models, { tenantId: neighbor, id: foreign.id, timeoutMs: 10_000 })).toBeNull();
  expect(await rawOf(tenantId, recent.id)).toBe(String(recent.source.text));
  const { rows } = await inspector.client.query('select tenant_id as tenant, records from models.audit_log_raw');
  expect(rows).toEqual([{ tenant: tenantId, records: 1 }]);
});

test('a row whose event is older than the retention is found by its id and stored once, until it is dropped itself', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  await using models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  const tenantId = randomUUID();
  const late = logRow(tenantId, { occurredAtMs: Date.now() - 300 * 86_400_000 });
  await lanes.write(0, [late]);
  const before = await attached('log_identity');
  await inspector.client.query('update models.retention set retention_days = 183');
  await lanes.partitionCache.refresh();
  // Those of months without rows.
  const month = lanes.partitionCache.findIdentityPartition(Date.now() - 300 * 86_400_000);
  const rest = await attached('log_identity');
  expect(rest.length).toBeLessThan(before.length);
  expect(rest).toContain(month);
  expect(await readLogRecord(models, { tenantId, id: late.id, timeoutMs: 10_000 })).not.toBeNull();
  expect(await lanes.write(0, [late])).toMatchObject({ kind: 'written', inserted: 0, duplicates: 1 });

  await inspector.client.query(`update models.retention set dropped_before = now() + interval '1 day'`);
  await lanes.partitionCache.refresh();
  expect(await attached('log_identity')).not.toContain(month);
});

test('while no partition can be created, those ahead count fewer days each day', async () => {
  const pool = openTestPool(database.roles.ingest, { max: 1 });
  try {
    const cache = await createPartitionCache(pool);
    const before = cache.aheadDays();
    expect(before).toBeGreaterThan(7);
    await inspector.client.query(
      `create or replace function models.maintain_log_partitions(ahead_days integer default 28) returns integer language plpgsql as $$ begin raise exception 'no space left on device'; end $$`,
    );
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 86_400_000 });
    await expect(cache.refresh()).rejects.toThrow('no space left on device');
    expect(cache.aheadDays()).toBe(before - 3);
  } finally {
    vi.useRealTimers();
    await pool.end();
  }
});
