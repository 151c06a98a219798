import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SummaryKey, summaryKeys } from '@tenantscope/contract';
import { sealLogInBackground } from '@tenantscope/ingest/log-seals';
import { readLogHistory } from '@tenantscope/store/compliance';
import { withReadSnapshot } from '@tenantscope/store/connection';
import { backfillLogTally, findSealable, logTallies, tickLanes, watchWatermark } from '@tenantscope/store/ingest';
import {
  connectReadModels,
  type ReadModels,
  readLogRecord,
  readLogSummary,
  readNewestStamp,
} from '@tenantscope/store/read';
import { digestDay, readLogReceiptEnd } from '@tenantscope/store/receipts';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type LaneWriter, logRow, openLaneWriter } from '../installation/lane-writer.ts';
import { serializeMembers } from '../installation/member-lines.ts';
import { emptyReceipt, insertReceipt } from '../installation/stored-receipt.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { readActorDays } from './actor-days.ts';
import { dropEndedPartitions, moveBoundary } from './partition-boundary.ts';

const [tenantId, neighbor] = [randomUUID(), randomUUID()];
const rowCount = 700;
const laterRows = 20;
let database: TestDatabase;
let inspector: DatabaseInspector;
let lanes: LaneWriter;
let models: ReadModels;
let jobs: pg.Pool;
let admin: pg.Pool;
let boundary: Date;

const createRow = (tenant: string, number: number) => ({
  ...logRow(tenant, {
    action: number % 3 === 0 ? 'fileaccessed' : `ändern ${number % 5}`,
    severity: ['low', 'high', null][number % 3] ?? null,
    actorId: `ł${number % 40}@contoso.example`,
    actorType: 'user',
    actorIp: number % 9 === 0 ? null : `192.0.2.${number % 9}`,
    resourceId: `file ${number % 50}`,
    workload: number % 2 === 0 ? 'sharepoint' : 'exchange',
    isManagedDevice: [true, false, null][number % 3] ?? null,
    targetIds: number % 4 === 0 ? ['{"a,b}', `t${number}`] : null,
    occurredAtMs: Date.now() - number * 60_000,
  }),
  memberLines: serializeMembers({
    action: number % 3 === 0 ? 'FileAccessed' : `Ändern ${number % 5}`,
    description: number % 7 === 0 ? null : `line "${number}"\nü`,
    location: number % 2 === 0 ? ({ city: '"country":"XX"', country: ['DE', 'PL', '\\"'][number % 3] } as never) : null,
    applicationClientId: number % 6 === 0 ? `client ${number % 4}` : null,
  }),
});

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  await dropEndedPartitions(inspector);
  lanes = await openLaneWriter(database, { partitions: 1 });
  models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  jobs = openTestPool(database.roles.jobs, { max: 2 });
  admin = openTestPool(database.roles.admin, { max: 1, options: '-c tenantscope.actor=cli:test' });
  const write = async (count: number) => {
    for (const tenant of [tenantId, neighbor])
      await lanes.write(
        0,
        Array.from({ length: count }, (_, number) => createRow(tenant, number)),
      );
  };
  await write(rowCount);
  boundary = new Date(Date.now() + 300);
  await moveBoundary(inspector, boundary);
  await lanes.partitionCache.refresh();
  await eventually('stamps are behind the boundary', 5_000, async () => Date.now() > boundary.getTime() + 1_100);
  await write(laterRows);
  await inspector.client.query('update models.retention set seal_after_days = 0');
  await tickLanes(lanes.ledger);
});
afterAll(async () => {
  await Promise.all([jobs?.end(), admin?.end()]);
  await models?.[Symbol.asyncDispose]();
  await lanes?.[Symbol.asyncDispose]();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

async function readSummaries(throughMs: number) {
  const count = (by: readonly SummaryKey[], filters = {}, toMs = throughMs) =>
    readLogSummary(models, {
      tenantId, by, filters, groupsMax: 1_000, rowsMax: 10_000, timeoutMs: 30_000,
      discovered: { fromMs: null, toMs }, occurred: { fromMs: null, toMs: null },
    }); // biome-ignore format: parameters of one query
  const byKey: Awaited<ReturnType<typeof count>>[] = [];
  // One after the other: a busy machine takes more than a second for all at once, and the pool refuses the last ones.
  for (const key of summaryKeys) byKey.push(await count([key]));
  return [
    ...byKey,
    await count(['action', 'country', 'workload'], { actorId: ['ł1@contoso.example', 'ł2@contoso.example'] }),
    await count(['severity'], { targetId: ['{"a,b}'], isManagedDevice: [true] }, boundary.getTime() - 200),
  ];
}

/** What documents, receipts, summaries and counts read of the log. */
async function readAll(throughMs: number) {
  const { rows } = await inspector.client.query<{ id: string; day_ms: number }>(
    `select id, extract(epoch from date_trunc('day', discovered_at, 'UTC'))::float8 * 1000 as day_ms
       from models.log_identity where tenant_id = $1 order by id`,
    [tenantId],
  );
  const days = [...new Set(rows.map((row) => row.day_ms))];
  const resting = { timeoutMs: 30_000, signal: new AbortController().signal, rest: async () => {} };
  return {
    summaries: await readSummaries(throughMs),
    digests: await Promise.all(days.map((dayMs) => digestDay(jobs, { tenantId, dayMs, ...resting }))),
    chain: await readLogReceiptEnd(jobs, tenantId),
    stamps: await withReadSnapshot(jobs, tenantId, async (client) => [
      await readNewestStamp(client, tenantId, throughMs),
      await readNewestStamp(client, tenantId, boundary.getTime()),
      await readLogHistory(client, tenantId, throughMs),
      await readLogHistory(client, tenantId, boundary.getTime() - 100),
    ]),
    records: await Promise.all(
      rows
        .filter((_, index) => index % 97 === 0)
        .map(({ id }) => readLogRecord(models, { tenantId, id, timeoutMs: 10_000 })),
    ),
    tallies: await readTallies(),
    actors: await readActorDays(inspector.client, [tenantId, neighbor]),
    reads: await readFileReads(),
  };
}

const readTallies = async () =>
  (
    await inspector.client.query(
      `select tenant_id, tally, at, subject, object, flags, sum(events)::integer as events, min(first_at) as first_at, max(last_at) as last_at
         from models.log_tally group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
    )
  ).rows;
const readFileReads = async () =>
  (await inspector.client.query('select r.* from models.log_read r order by tenant_id, log_id, name_digest')).rows;

const countRows = async () => {
  const { rows } = await inspector.client.query<{ stored: number; sealed: number }>(
    `select (select count(*)::int from models.audit_log) as stored, (select coalesce(sum(row_count), 0)::int from models.log_sealed) as sealed`,
  );
  return rows[0];
};

test('a partition is sealed after its days have their receipts', async () => {
  const { client } = inspector;
  const day = (daysBefore: number) => new Date(boundary.getTime() - daysBefore * 86_400_000).toISOString().slice(0, 10);
  const isSealable = async () => (await findSealable(lanes.ledger.pool, Date.now())) !== null;
  // Receipts are immutable, and those of today are refused.
  await client.query('set session_replication_role = replica');
  await insertReceipt(client, emptyReceipt(neighbor, day(1)));
  expect(await isSealable()).toBe(false);
  await client.query('update models.log_receipt set day = $1', [day(0)]);
  expect(await isSealable()).toBe(true);
  await client.query('delete from models.log_receipt; reset session_replication_role');
});

test('summaries, receipts, records, stamps and counts are the same of sealed rows, which a process seals that is killed', async () => {
  await using watermark = await watchWatermark([lanes.ledger.pool], { intervalMs: 100 });
  const throughMs = watermark.settled('logs')?.throughMs ?? 0;
  expect(throughMs).toBeGreaterThan(boundary.getTime());
  const before = await readAll(throughMs);
  expect(before.summaries.every((one) => one.kind === 'counted' && one.rowCount > 0)).toBe(true);
  expect(before.reads.length).toBeGreaterThan(400);
  expect(await countRows()).toEqual({ stored: 2 * (rowCount + laterRows), sealed: 0 });

  let sealedRows = 0;
  const lags: number[] = [];
  const failures: string[] = [];
  const metrics = {
    countSealedRows(rows: number) {
      sealedRows += rows;
    },
    setSealLag: (s: number) => void lags.push(s),
  };
  const seal = () =>
    sealLogInBackground({
      models: lanes.ledger.pool,
      watermark,
      metrics,
      log: { info() {}, warn: (fields: object) => failures.push(String((fields as { err: unknown }).err)) },
      intervalMs: 20,
    });
  await using _sealers = {
    [Symbol.asyncDispose]: () => Promise.all(sealers.map((one) => one[Symbol.asyncDispose]())).then(() => {}),
  };
  const sealers = [seal(), seal()];
  const isSealed = async () => (await countRows())?.stored === 2 * laterRows;
  const untilMs = performance.now() + 60_000;
  for (let isDone = false; !isDone; isDone = await isSealed()) {
    if (performance.now() > untilMs) throw new Error(`not sealed after a minute: ${failures.join('; ')}`);
    await inspector.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'test writer' and state <> 'idle' and random() < 0.03`,
    );
    await sleep(30);
  }
  expect(failures.filter((text) => text.includes('differs'))).toEqual([]);
  expect(await countRows()).toEqual({ stored: 2 * laterRows, sealed: 2 * rowCount });
  expect(sealedRows).toBeGreaterThan(0);
  await eventually('nothing is left to seal', 20_000, async () => lags.at(-1) === 0);
  expect(await readAll(throughMs)).toEqual(before);

  // Tallies and reads that are added later are counted from sealed rows.
  await inspector.client.query(
    'delete from models.log_tally; delete from models.actor_tally; delete from models.log_read',
  );
  for (const name of [...logTallies.map((tally) => tally.name), 'actor_tally', 'read'])
    await inspector.client.query('select models.begin_log_tally_backfill($1)', [name]);
  // From the hour before the rows, not from the beginning of the oldest partition.
  await inspector.client.query(
    `update models.log_tally_backfill set next_at = (select date_trunc('hour', min(first_at)) from models.log_sealed)`,
  );
  while (await backfillLogTally(lanes.ledger.pool));
  const { tallies, actors, reads } = before;
  const again = { tallies: await readTallies(), actors: await readActorDays(inspector.client, [tenantId, neighbor]) };
  expect({ ...again, reads: await readFileReads() }).toEqual({ tallies, actors, reads });
}, 120_000);

const tablesWith = async (tenant: string): Promise<string[]> => {
  const { rows: tables } = await inspector.client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'models'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount: rows } = await inspector.client.query(`select from models.${name} where tenant_id = $1 limit 1`, [
      tenant,
    ]);
    if (rows) found.push(name);
  }
  return found;
};

test('retention of a tenant deletes its sealed rows alone, and the erasure of a tenant all of them', async () => {
  await inspector.client.query('alter table models.tenant_retention drop constraint tenant_retention_floor');
  await inspector.client.query('insert into models.tenant_retention (tenant_id, retention_days) values ($1, 0)', [
    tenantId,
  ]);
  await lanes.partitionCache.refresh();
  expect(await countRows()).toEqual({ stored: 2 * laterRows, sealed: 2 * rowCount });
  await inspector.client.query(`update models.tenant_retention set dropped_at = dropped_at - interval '11 minutes'`);
  await lanes.partitionCache.refresh();
  expect(await countRows()).toEqual({ stored: 2 * laterRows, sealed: rowCount });

  await inspector.client.query(
    `insert into control.tenant (id, name, plan, digest, closed_at, erased_at) values ('${neighbor}', 'n', 'none', '', now(), now())`,
  );
  const erase = async () => {
    const { rows } = await admin.query<{ done: boolean }>('select models.erase_tenant($1, 100) as done', [neighbor]);
    return rows[0]?.done === true;
  };
  // While its rows are sealed they are not erased.
  const sealing = await lanes.ledger.pool.connect();
  try {
    await sealing.query('begin');
    await sealing.query(`select pg_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || $1, 0))`, [
      neighbor,
    ]);
    await admin.query('set statement_timeout = 300');
    await expect(erase()).rejects.toThrow('statement timeout');
  } finally {
    await sealing.query('rollback');
    sealing.release();
  }
  await admin.query('set statement_timeout = 0');
  while (!(await erase()));
  expect(await tablesWith(neighbor)).toEqual(['tenant_erasure']);
  expect(await countRows()).toEqual({ stored: laterRows, sealed: 0 });
});
