import { randomUUID } from 'node:crypto';
import { connectReadModels, keepLeaves, openPool, tickLanes, watchWatermark } from '@tenantscope/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from './product/eventually.ts';
import { logRow, writtenLanes } from './product/lanes.ts';
import { type Looking, lookInto } from './product/looking.ts';
import { type TestDatabase, testDatabase } from './services/database.ts';

let database: TestDatabase;
let looking: Looking;

beforeEach(async () => {
  database = await testDatabase();
  looking = await lookInto(database.superuser);
});
afterEach(async () => {
  await looking[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Leaf {
  name: string;
  fromAt: Date;
  toAt: Date;
}

async function leaves(): Promise<Leaf[]> {
  const { rows } = await looking.client.query<Leaf>(
    'select name, from_at as "fromAt", to_at as "toAt" from models.audit_log_partition order by from_at',
  );
  return rows;
}

/** The partitions that the server has, by its own word. */
async function attached(parent: string): Promise<string[]> {
  const { rows } = await looking.client.query<{ name: string }>(
    `select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = $1::regclass order by 1`,
    [`models.${parent}`],
  );
  return rows.map(({ name }) => name);
}

/** Moves the boundary between the leaf of now and the next one to a moment, as if time had come there. */
async function boundaryAt(moment: Date): Promise<[before: string, behind: string]> {
  const [now, next] = (await leaves()).filter(({ toAt }) => toAt.getTime() > Date.now());
  if (!now || !next) throw new Error('no partitions lie ahead');
  const at = moment.toISOString();
  await looking.client.query(
    `alter table models.audit_log detach partition models.${now.name};
     alter table models.audit_log detach partition models.${next.name};
     alter table models.audit_log attach partition models.${now.name} for values from ('${now.fromAt.toISOString()}') to ('${at}');
     alter table models.audit_log attach partition models.${next.name} for values from ('${at}') to ('${next.toAt.toISOString()}');
     update models.audit_log_partition set to_at = '${at}' where name = '${now.name}';
     update models.audit_log_partition set from_at = '${at}' where name = '${next.name}'`,
  );
  return [now.name, next.name];
}

const rowsIn = async (leaf: string): Promise<number> =>
  (await looking.client.query(`select count(*)::int as rows from models.${leaf}`)).rows[0].rows;

test('a batch whose stamps cross a boundary lies in both partitions, every row once and readable', async () => {
  await using lanes = await writtenLanes(database, { partitions: 1 });
  await tickLanes(lanes.ledger);
  const [before, behind] = await boundaryAt(new Date(Date.now() + 500));
  await lanes.leaves.read();
  const tenantId = randomUUID();
  await eventually('the clock is past the boundary', 5_000, async () => {
    const { rows } = await looking.client.query(
      `select clock_timestamp() > from_at + interval '300 ms' as past from models.audit_log_partition where name = $1`,
      [behind],
    );
    return rows[0].past;
  });
  await lanes.write(
    0,
    Array.from({ length: 400 }, () => logRow(tenantId)),
  );
  const [earlier, later] = [await rowsIn(before), await rowsIn(behind)];
  expect(earlier).toBeGreaterThan(0);
  expect(later).toBeGreaterThan(0);
  expect(earlier + later).toBe(400);
  expect(await looking.rowCount(tenantId)).toBe(400);
});

test('a worker that does not know a partition yet learns of it and writes the same batch again', async () => {
  await using lanes = await writtenLanes(database, { partitions: 1 });
  const tenantId = randomUUID();
  await boundaryAt(new Date(Date.now() - 1));
  const rows = Array.from({ length: 20 }, () => logRow(tenantId));
  // It would copy into the leaf that was the right one until a moment ago; the server refuses.
  const first = await lanes.write(0, rows, { fromOffset: 0n });
  const outcome = first.kind === 'again' ? await lanes.write(0, rows, { fromOffset: 0n }) : first;
  expect(first.kind).toBe('again');
  expect(outcome).toMatchObject({ kind: 'written', inserted: 20 });
  expect(await looking.rowCount(tenantId)).toBe(20);
});

test('upkeep by several processes at once makes each partition once', async () => {
  await looking.client.query(`update models.retention set partition_width = '1 day'`);
  const pools = Array.from({ length: 4 }, () => openPool(database.roles.ingest, { name: 'test', maxConnections: 1 }));
  await looking.client.query(`do $$ declare leaf record; begin
    for leaf in select name from models.audit_log_partition where from_at > now() loop
      execute format('drop table models.%I', leaf.name);
      delete from models.audit_log_partition where name = leaf.name;
    end loop; end $$`);
  const kept = await Promise.all(pools.map((pool) => keepLeaves(pool)));
  await Promise.all(pools.map((pool) => pool.end()));
  for (const { aheadDays } of kept) expect(aheadDays).toBeGreaterThanOrEqual(27);
  const there = await leaves();
  expect(there.map(({ name }) => name).toSorted()).toEqual(await attached('audit_log'));
  for (const [index, leaf] of there.slice(1).entries()) expect(leaf.fromAt).toEqual(there[index]?.toAt);
});

test('retention drops the oldest partition whole by its age, and says before when nothing is left', async () => {
  await using lanes = await writtenLanes(database, { partitions: 1 });
  await using models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  const [oldest] = await leaves();
  if (!oldest) throw new Error('there is no partition');
  const fromAt = new Date(oldest.fromAt.getTime() - 40 * 86_400_000);
  await looking.client.query(
    `create table models.audit_log_old (like models.audit_log including defaults including constraints);
     alter table models.audit_log attach partition models.audit_log_old for values from ('${fromAt.toISOString()}') to ('${oldest.fromAt.toISOString()}');
     insert into models.audit_log_partition values ('audit_log_old', '${fromAt.toISOString()}', '${oldest.fromAt.toISOString()}')`,
  );
  const tenantId = randomUUID();
  await looking.client.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, document)
     values ($1, $2, gen_random_uuid(), $2, 'x', 1, '{}')`,
    [tenantId, fromAt],
  );
  await lanes.write(0, [logRow(tenantId)]);
  await lanes.leaves.read();
  expect(await looking.rowCount(tenantId)).toBe(2);

  // It ends where the first regular one begins, which is a day ago at least.
  await looking.client.query('update models.retention set keep_days = 1');
  await lanes.leaves.read();
  expect(await looking.rowCount(tenantId)).toBe(1);
  expect(await attached('audit_log')).not.toContain('audit_log_old');
  await using watermark = await watchWatermark(models.pools(), { intervalMs: 50 });
  await eventually('the api knows', 5_000, () => watermark.history('logs')?.droppedBeforeMs !== null);
  const history = watermark.history('logs');
  expect(history?.retainedFromMs).toBe(oldest.fromAt.getTime());
  expect(history?.droppedBeforeMs).toBe(oldest.fromAt.getTime());
  // Rows of today are still told from repetitions.
  await lanes.write(0, [logRow(tenantId)]);
  expect(await looking.rowCount(tenantId)).toBe(2);
});
