import { randomUUID } from 'node:crypto';
import { connectReadModels, type LogsPageQuery, type ReadModels, readLogsPage } from '@tenantscope/store/read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { insertRows, openPastPartition } from './sealed-log.ts';

const tenantId = randomUUID();
const fromMs = Date.now() - 40 * 86_400_000;
const partitionMs = 60_000;
const toMs = fromMs + 2 * partitionMs;
const count = 1_000;
let database: TestDatabase;
let inspector: DatabaseInspector;
let models: ReadModels;

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  // One connection, so that it is the one that has prepared the statements.
  models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 1 });
  await openPastPartition(inspector, { name: 'past', fromMs, toMs: fromMs + partitionMs });
  await insertRows(inspector, { tenantId, fromMs, count });
});
afterAll(async () => {
  await models?.[Symbol.asyncDispose]();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const ascending: LogsPageQuery = {
  tenantId,
  sort: 'discoveredAtAsc',
  discovered: { fromMs: null, toMs },
  occurred: { fromMs: null, toMs: null },
  filters: {},
  after: null,
  limit: 50,
  timeoutMs: 4_000,
};
const descending: LogsPageQuery = { ...ascending, sort: 'discoveredAtDesc' };

const readIds = async (query: LogsPageQuery): Promise<string[]> => {
  const page = await readLogsPage(models, query);
  return JSON.parse(page.close('}').toString()).data.map(({ id }: { id: string }) => id);
};

/** A query on the connection of the pages. */
const onConnection = async <Row>(statement: string): Promise<Row[]> =>
  (await models.poolFor(tenantId).query(statement)).rows as Row[];

/** What changes under prepared statements, and what puts it back. */
const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'a column has another type',
    () => inspector.client.query('alter table models.audit_log alter member_lines type varchar'),
  ],
  [
    'it has its former type again',
    () => inspector.client.query('alter table models.audit_log alter member_lines type text'),
  ],
  ['the session has no prepared statements any more', () => onConnection('deallocate all')],
  ['a partition is added', () => openPastPartition(inspector, { name: 'later', fromMs: fromMs + partitionMs, toMs })],
  ['a partition is dropped', () => inspector.client.query('drop table models.audit_log_later')],
  ['an index is built again', () => inspector.client.query('reindex table models.audit_log_past')],
];

test('a connection returns the same pages after its prepared statements have become invalid', async () => {
  const before = [await readIds(ascending), await readIds(descending)];
  const [session] = await onConnection('select pg_backend_pid() as pid');
  for (const [what, change] of changes) {
    await change();
    expect([await readIds(ascending), await readIds(descending)], what).toEqual(before);
    expect(await onConnection('select pg_backend_pid() as pid'), what).toEqual([session]);
  }
});

test('pages of any window, position and limit are read by two statements', async () => {
  const all = await readIds({ ...ascending, limit: count });
  expect(all).toHaveLength(count);
  for (const limit of [1, 7, 50, 333, 1_000])
    for (const query of [ascending, descending]) {
      const found: string[] = [];
      let after: LogsPageQuery['after'] = null;
      for (let hasMore = true; hasMore; ) {
        const discovered = { fromMs: found.length % 2 === 0 ? null : fromMs, toMs };
        const page = await readLogsPage(models, { ...query, discovered, after, limit });
        for (const document of page.documents()) found.push(JSON.parse(document.toString()).id);
        [after, hasMore] = [page.last, page.hasMore];
      }
      expect(found).toEqual(query === ascending ? all : all.toReversed());
    }
  const prepared = await onConnection<{ name: string; custom: string }>(
    'select name, custom_plans as custom from pg_prepared_statements where not name like $$watermark$$ order by name',
  );
  expect(prepared.map(({ name }) => name)).toEqual(['log ascending', 'log descending', 'log settings']);
  expect(prepared.filter(({ name }) => name !== 'log settings').map(({ custom }) => Number(custom))).toEqual([0, 0]);
});

test('a page begins after its position, and after all rows of an instant where that has no id', async () => {
  const { rows } = await inspector.client.query<{ id: string; at_ms: number }>(
    `select id, (extract(epoch from discovered_at) * 1000)::float8 as at_ms from models.audit_log where tenant_id = $1 order by discovered_at, id`,
    [tenantId],
  );
  // The first rows have one instant.
  for (const index of [0, 50, 99, 100, 250, count - 1]) {
    const { id, at_ms: atMs } = rows[index] as (typeof rows)[number];
    const ids = (some: typeof rows) => some.map((row) => row.id).slice(0, 50);
    const read = (query: LogsPageQuery, change: Partial<LogsPageQuery>) => readIds({ ...query, ...change });
    expect(await read(ascending, { after: { atMs, id } })).toEqual(ids(rows.slice(index + 1)));
    expect(await read(descending, { after: { atMs, id } })).toEqual(ids(rows.slice(0, index).toReversed()));
    const after = { atMs, id: null };
    expect(await read(ascending, { after })).toEqual(ids(rows.filter(({ at_ms }) => at_ms > atMs)));
    expect(await read(descending, { after })).toEqual(ids(rows.filter(({ at_ms }) => at_ms < atMs).toReversed()));
    const later = { discovered: { fromMs: atMs, toMs }, after: { atMs: fromMs - 1, id } };
    expect(await read(ascending, later)).toEqual(ids(rows.filter(({ at_ms }) => at_ms >= atMs)));
    const earlier = { discovered: { fromMs: null, toMs: atMs }, after: { atMs: toMs + 1, id } };
    expect(await read(descending, earlier)).toEqual(ids(rows.filter(({ at_ms }) => at_ms <= atMs).toReversed()));
  }
});

test('the time limit of a page ends its prepared statement, and the next page is read', async () => {
  // A superuser has no time limit of its own.
  const superuser = openTestPool(database.superuser, { max: 1 });
  const unlimited = { poolFor: () => superuser, sealedBeforeMs: Number.NEGATIVE_INFINITY };
  const before = await readIds(ascending);
  await inspector.client.query('begin; lock table models.audit_log_past in access exclusive mode');
  await expect(readLogsPage(unlimited, { ...ascending, timeoutMs: 100 })).rejects.toThrow('timed out');
  await inspector.client.query('rollback');
  await superuser.end();
  expect(await readIds(ascending)).toEqual(before);
});
