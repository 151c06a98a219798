import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { completeSeal, findSealable, type SealablePartition, sealNext } from '@tenantscope/store/ingest';
import {
  connectReadModels,
  type LogsPageQuery,
  type ReadModels,
  readLogRecord,
  readLogsPage,
} from '@tenantscope/store/read';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { chooseQuery, insertRows, openPastPartition } from './sealed-log.ts';

const partitionMs = 20_000;
const rowsOfPartition = 2_000;
const sealed = 3;
const fromMs = Date.now() - 40 * 86_400_000;
const toMs = fromMs + (sealed + 1) * partitionMs;
const throughMs = toMs + 1;
const tenantId = randomUUID();
const neighborId = randomUUID();
const sealerName = `sealer ${tenantId.slice(0, 8)}`;
let database: TestDatabase;
let inspector: DatabaseInspector;
let models: ReadModels;
let sealer: pg.Pool;
const ids: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 4 });
  sealer = openTestPool(database.roles.ingest, { max: 3, application_name: sealerName });
  for (let number = 0; number <= sealed; number++) {
    const startMs = fromMs + number * partitionMs;
    await openPastPartition(inspector, { name: `past_${number}`, fromMs: startMs, toMs: startMs + partitionMs });
    ids.push(...(await insertRows(inspector, { tenantId, fromMs: startMs, count: rowsOfPartition })));
    // Too few rows for a full block.
    await insertRows(inspector, { tenantId: neighborId, fromMs: startMs, count: 40 });
  }
  await inspector.client.query(
    `insert into models.log_identity (tenant_id, id, discovered_at) select tenant_id, id, discovered_at from models.audit_log;
     analyze models.audit_log`,
  );
});
afterAll(async () => {
  await sealer?.end();
  await models?.[Symbol.asyncDispose]();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** The whole result of a page; of a gzip body also what a client decodes. */
async function readPage(query: LogsPageQuery) {
  const page = await readLogsPage(models, query);
  const body = page.close(',"pagination":{"ü":1}}');
  if (Buffer.isBuffer(body)) return { ...describe(page), text: body.toString() };
  const text = body.text().toString();
  expect(gunzipSync(await body.gzip()).toString()).toBe(text);
  expect(body.length).toBe(Buffer.byteLength(text));
  return { ...describe(page), text };
}

const describe = ({ count, hasMore, last }: Awaited<ReturnType<typeof readLogsPage>>) => ({ count, hasMore, last });

async function requireSealable(): Promise<SealablePartition> {
  const partition = await retry(() => findSealable(sealer, throughMs));
  if (partition === null) throw new Error('no partition is left to seal');
  return partition;
}

/** Until it succeeds: its connections are killed. */
async function retry<Value>(work: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (String(error).includes('differs')) throw error;
      await sleep(5);
    }
  }
}

async function sealAllBlocks(partition: SealablePartition): Promise<void> {
  for (const id of [tenantId, neighborId])
    while (!(await retry(() => sealNext(sealer, id, partition, throughMs))).isDone);
}

const sample = (count: number) => fc.sample(chooseQuery(tenantId, { fromMs, toMs }), count);

const flipBit = (column: string, at: number): string =>
  `new.${column} := set_byte(new.${column}, ${at}, get_byte(new.${column}, ${at}) # 1)`;
/** Changes of what is stored: the key, nothing at all, a value, compressed bytes, a CRC and an end. */
const damages = [
  'new.row_count := new.row_count - 1',
  `new.last_at := new.last_at + interval '1 ms'`,
  'new.member_count := new.member_count - 1',
  'return null',
  `new.action[3] := 'other'`,
  flipBit('documents', 200),
  flipBit('document_parts', 8),
  flipBit('document_ends', 4),
];

/** Only of what is stored first: other blocks of the same transaction are as they should be. */
const ofFirst = (damage: string) =>
  `if not exists (select from models.log_sealed where tenant_id = new.tenant_id) then ${damage}; end if`;

test('a block that differs from its rows is not stored, and a partition with a missing block stays', async () => {
  const partition = await requireSealable();
  for (const damage of [...damages, ...damages.map(ofFirst)]) {
    await inspector.client.query(
      `create function models.damage() returns trigger language plpgsql as $$ begin ${damage}; return new; end $$;
       create trigger damage before insert on models.log_sealed for each row execute function models.damage()`,
    );
    await expect(sealAllBlocks(partition), damage).rejects.toThrow('differs from the rows of the log');
    await inspector.client.query('drop function models.damage cascade');
    const stored = await inspector.client.query('select from models.log_sealed where first_at < $1', [partition.to_at]);
    expect(stored.rowCount, damage).toBe(0);
  }
  await sealAllBlocks(partition);
  await inspector.client.query('delete from models.log_sealed where tenant_id = $1', [neighborId]);
  expect(await completeSeal(sealer, partition, throughMs)).toBe(false);
  const { rows } = await inspector.client.query(
    `select count(*)::int as rows from models.audit_log where discovered_at < $1`,
    [partition.to_at],
  );
  expect(rows).toEqual([{ rows: rowsOfPartition + 40 }]);
});

test('pages are the same bytes before, while and after history is sealed and sealers are killed', async () => {
  const queries = sample(80);
  const before = new Map<LogsPageQuery, Awaited<ReturnType<typeof readPage>>>();
  for (const query of queries) before.set(query, await readPage(query));
  const record = { tenantId, timeoutMs: 5_000 };
  const someIds = ids.filter((_, index) => index % 401 === 0);
  const records = await Promise.all(someIds.map((id) => readLogRecord(models, { ...record, id })));
  const compare = async (query: LogsPageQuery) =>
    expect(await readPage(query), JSON.stringify(query)).toEqual(before.get(query));

  let [isSealing, killed, read] = [true, 0, 0];
  const kill = async () => {
    while (isSealing) {
      // The interval doubles, so that a fast machine is interrupted and a slow one still finishes its blocks.
      await sleep(Math.min(10 * 2 ** killed, 2_500));
      const { rowCount } = await inspector.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and state <> 'idle' limit 1`,
        [sealerName],
      );
      killed += rowCount ?? 0;
    }
  };
  const poll = async (start: number) => {
    for (let index = start; isSealing; index++, read++) {
      await compare(queries[index % queries.length] as LogsPageQuery);
      await sleep(50);
    }
  };
  const seal = async () => {
    for (let number = 0; number < sealed; number++) {
      const partition = await requireSealable();
      await sealAllBlocks(partition);
      // A connection that was killed after its commit has completed the partition too.
      while ((await requireSealable()).name === partition.name)
        await retry(() => completeSeal(sealer, partition, throughMs));
    }
  };
  await Promise.all([seal().finally(() => (isSealing = false)), kill(), poll(0), poll(40)]);
  expect(killed).toBeGreaterThan(0);
  expect(read).toBeGreaterThan(0);
  const { rows } = await inspector.client.query(
    `select count(*)::int as left, (select sum(row_count)::int from models.log_sealed where tenant_id = $1) as sealed
       from models.audit_log where tenant_id = $1`,
    [tenantId],
  );
  expect(rows).toEqual([{ left: rowsOfPartition, sealed: sealed * rowsOfPartition }]);

  for (const query of queries) await compare(query);
  expect(await Promise.all(someIds.map((id) => readLogRecord(models, { ...record, id })))).toEqual(records);
  expect(records.every((one) => one !== null)).toBe(true);
}, 120_000);

test('every row is in one page, once, across sealed and other history, in both directions', async () => {
  for (const sort of ['discoveredAtAsc', 'discoveredAtDesc'] as const) {
    const found: string[] = [];
    let after: LogsPageQuery['after'] = null;
    for (let hasMore = true; hasMore; ) {
      const query: LogsPageQuery = {
        tenantId,
        sort,
        after,
        limit: 730,
        timeoutMs: 10_000,
        filters: {},
        discovered: { fromMs: null, toMs },
        occurred: { fromMs: null, toMs: null },
      };
      const page = await readPage(query);
      found.push(...JSON.parse(page.text).data.map(({ id }: { id: string }) => id));
      [after, hasMore] = [page.last, page.hasMore];
    }
    expect(found.length).toBe(ids.length);
    expect(new Set(found)).toEqual(new Set(ids));
  }
});

test('bounds and cursors at the ends of blocks and of sealed history lose and repeat no row', async () => {
  const { rows: stored } = await inspector.client.query<{ id: string; at_ms: number; is_managed_device: boolean }>(
    `select id, extract(epoch from discovered_at)::float8 * 1000 as at_ms, is_managed_device
       from (select id, discovered_at, is_managed_device from models.audit_log where tenant_id = $1
             union all
             select id, discovered_at, is_managed_device from models.sealed_log_rows($1, '-infinity', 'infinity')) r
      order by discovered_at, id`,
    [tenantId],
  );
  expect(stored.length).toBe(ids.length);
  // Instants that a block ends within, and the first one that is not sealed.
  const { rows: shared } = await inspector.client.query<{ at_ms: number }>(
    `select distinct extract(epoch from b.last_at)::float8 * 1000 as at_ms from models.log_block b
       join models.log_block n on n.tenant_id = b.tenant_id and n.first_at = b.last_at and n.number = b.number + 1
      where b.tenant_id = $1`,
    [tenantId],
  );
  expect(shared.length).toBeGreaterThan(3);
  const limit = 60;
  for (const atMs of [...shared.map((row) => row.at_ms), fromMs + sealed * partitionMs])
    for (const sort of ['discoveredAtAsc', 'discoveredAtDesc'] as const)
      for (const filters of [{}, { isManagedDevice: [true] }]) {
        const matching = stored.filter((row) => !('isManagedDevice' in filters) || row.is_managed_device);
        const inOrder = sort === 'discoveredAtAsc' ? matching : matching.toReversed();
        const middle = inOrder.filter((row) => row.at_ms === atMs)[3]?.id as string;
        const windows: Pick<LogsPageQuery, 'discovered' | 'after'>[] = [
          { discovered: { fromMs: atMs, toMs: atMs }, after: null },
          { discovered: { fromMs: null, toMs: atMs }, after: null },
          { discovered: { fromMs: atMs, toMs }, after: null },
          ...[middle, null].map((id) => ({ discovered: { fromMs: null, toMs }, after: { atMs, id } })),
        ];
        for (const window of windows) {
          const { discovered, after } = window;
          const isBeyond = (row: { id: string; at_ms: number }) => {
            if (after === null) return true;
            const order =
              row.at_ms - after.atMs || (after.id === null ? 0 : row.id < after.id ? -1 : row.id > after.id ? 1 : 0);
            return sort === 'discoveredAtAsc' ? order > 0 : order < 0;
          };
          const expected = inOrder
            .filter((row) => row.at_ms >= (discovered.fromMs ?? 0) && row.at_ms <= discovered.toMs && isBeyond(row))
            .slice(0, limit)
            .map(({ id }) => id);
          const occurred = { fromMs: null, toMs: null };
          const query = { tenantId, sort, filters, occurred, limit, timeoutMs: 10_000, ...window };
          const page = JSON.parse((await readPage(query)).text) as { data: { id: string }[] };
          expect(
            page.data.map(({ id }) => id),
            JSON.stringify(query),
          ).toEqual(expected);
        }
      }
});

test('no tenant reads sealed rows of another one', async () => {
  const { rows } = await (async () => {
    const client = await models.poolFor(neighborId).connect();
    try {
      await client.query('begin');
      await client.query(`select set_config('tenantscope.tenant', $1, true)`, [neighborId]);
      return await client.query(
        `select (select count(*)::int from models.log_sealed where tenant_id <> $1) as foreign_blocks,
                (select count(*)::int from models.sealed_log_rows($2, '-infinity', 'infinity')) as foreign_rows,
                (select count(*)::int from models.sealed_log_rows($1, '-infinity', 'infinity')) as own_rows`,
        [neighborId, tenantId],
      );
    } finally {
      await client.query('rollback');
      client.release();
    }
  })();
  expect(rows).toEqual([{ foreign_blocks: 0, foreign_rows: 0, own_rows: sealed * 40 }]);
});

test('sealed days are dropped with one statement when their retention ends', async () => {
  const at = new Date(fromMs + partitionMs);
  await inspector.client.query('alter table models.retention drop constraint retention_floor');
  await inspector.client.query('update models.retention set retention_days = 1');
  await inspector.client.query('select models.maintain_log_partitions()');
  const { rows } = await inspector.client.query(
    `select (select count(*)::int from models.log_sealed) as sealed, (select count(*)::int from models.log_block) as blocks,
            (select count(*)::int from models.audit_log) as stored, dropped_before > $1 as dropped from models.retention where feed = 'logs'`,
    [at],
  );
  expect(rows).toEqual([{ sealed: 0, blocks: 0, stored: 0, dropped: true }]);
});
