import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeLogBlocks } from '@tenantscope/store/ingest';
import {
  connectReadModels,
  type LogsPageQuery,
  logFilterColumns,
  type ReadModels,
  readLogsPage,
} from '@tenantscope/store/read';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

/** Some 30 blocks, and a tail without one. */
const rowCount = 6_000;
const startMs = Date.now() - 3_600_000;
const tenantId = randomUUID();
const neighborId = randomUUID();
let database: TestDatabase;
let inspector: DatabaseInspector;
let models: ReadModels;
let ingest: pg.Pool;
let rows: readonly StoredRow[];
/** The ends of blocks, and the milliseconds next to them: bounds at which a row is lost or repeated first. */
let edgesMs: readonly number[];

interface StoredRow {
  readonly id: string;
  readonly atMs: number;
  readonly occurredMs: number;
  readonly columns: Readonly<Record<string, unknown>>;
}

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  ingest = openTestPool(database.roles.ingest, { max: 2 });
  rows = createRows();
  await insert(tenantId, rows);
  // A neighbour has other rows at the same times.
  await insert(neighborId, createRows());
  // Blocks end at the bounds of filters, at watermarks, and in the middle of an instant that many rows share.
  for (const share of [0.2, 0.21, 0.55, 0.9]) {
    await writeAllBlocks(tenantId, startMs + Math.floor(share * rowCount) * 10);
    await writeAllBlocks(neighborId, startMs + Math.floor(share * rowCount) * 10);
  }
  await ingest.end();

  const { rows: blocks } = await inspector.client.query<{ first_ms: number; last_ms: number }>(
    `select extract(epoch from first_at)::float8 * 1000 as first_ms, extract(epoch from last_at)::float8 * 1000 as last_ms
       from models.log_block where tenant_id = $1 order by first_at, first_id`,
    [tenantId],
  );
  // The newest block ends within an instant: a row of it is in no block.
  const tie = {
    ...(rows[0] as StoredRow),
    id: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
    atMs: blocks.at(-1)?.last_ms ?? 0,
  };
  await insert(tenantId, [tie]);
  rows = [...rows, tie].toSorted((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
  edgesMs = blocks.flatMap(({ first_ms, last_ms }) => [first_ms, last_ms].flatMap((ms) => [ms - 1, ms, ms + 1]));
});
afterAll(async () => {
  await models?.[Symbol.asyncDispose]();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const texts = Object.values(logFilterColumns).filter((column) => column !== 'is_managed_device');

function createRows(): StoredRow[] {
  return Array.from({ length: rowCount }, (_, number) => {
    // Every 500th row has an instant in common with the next 99.
    const atMs = startMs + (number % 500 < 100 ? number - (number % 500) : number) * 10;
    const columns: Record<string, unknown> = {};
    for (const column of texts) columns[column] = number % 7 === 0 ? null : `${column} ${number % 11}`;
    return {
      id: randomUUID(),
      atMs,
      occurredMs: atMs - (number % 13) * 100_000,
      columns: {
        ...columns,
        action: `action ${number % 11}`,
        actor_id: number % 5 === 0 ? null : `Actor-Ż${number % 300}@Contoso.example`,
        actor_user_id: `USER-${number % 1_000}`,
        external_event_id: `event ${number}`,
        session_id: `session ${Math.floor(number / 40)}`,
        resource_id: `file-${number % 1_500}`,
        target_ids: number % 4 === 0 ? null : [`file-${number % 900}`, `group ä ${number % 2_000}`],
        is_managed_device: [true, false, null][number % 3],
      },
    };
  }).toSorted((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
}

async function insert(tenant: string, written: readonly StoredRow[]): Promise<void> {
  const records = written.map(({ id, atMs, occurredMs, columns }) => ({
    ...columns,
    tenant_id: tenant,
    id,
    discovered_at: new Date(atMs).toISOString(),
    occurred_at: new Date(occurredMs).toISOString(),
    normaliser_version: 1,
    member_lines: '"x"',
  }));
  await inspector.client.query(
    'insert into models.audit_log select * from jsonb_populate_recordset(null::models.audit_log, $1::jsonb)',
    [JSON.stringify(records)],
  );
}

async function writeAllBlocks(tenant: string, throughMs: number): Promise<void> {
  for (let slice = await writeLogBlocks(ingest, tenant, throughMs); slice; ) {
    if (slice.isComplete || slice.rows === 0) return;
    slice = await writeLogBlocks(ingest, tenant, throughMs);
  }
}

/** What the contract says of each filter, over the rows as they were written. */
function matches({ columns }: StoredRow, name: string, values: readonly (string | boolean)[]): boolean {
  const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);
  // The collation of the column leaves letters beyond ASCII as they are.
  const lowerAscii = (value: unknown) =>
    typeof value === 'string' ? value.replace(/[A-Z]/g, (capital) => capital.toLowerCase()) : value;
  if (name === 'user')
    return values.some((value) => [columns.actor_id, columns.actor_user_id].map(lowerAscii).includes(value));
  const own = columns[logFilterColumns[name as 'severity']];
  if (name === 'targetId')
    return values.some((value) => own === value || ((columns.target_ids ?? []) as unknown[]).includes(value));
  return values.some((value) => own === (name === 'action' ? lower(value) : value));
}

const chooseValue = (name: string): fc.Arbitrary<string | boolean> => {
  const number = (max: number, format: (number: number) => string) => fc.nat({ max }).map(format);
  switch (name) {
    case 'isManagedDevice':
      return fc.boolean();
    case 'user':
      return fc.oneof(
        number(320, (n) => `actor-Ż${n}@contoso.example`),
        number(1_100, (n) => `user-${n}`),
      );
    case 'actorId':
      return number(320, (n) => `Actor-Ż${n}@Contoso.example`);
    case 'externalEventId':
      return number(rowCount + 500, (n) => `event ${n}`);
    case 'sessionId':
      return number(160, (n) => `session ${n}`);
    case 'resourceId':
      return number(1_600, (n) => `file-${n}`);
    case 'targetId':
      return fc.oneof(
        number(1_600, (n) => `file-${n}`),
        number(2_100, (n) => `group ä ${n}`),
      );
    case 'action':
      return number(12, (n) => `ACTION ${n}`);
    default:
      return number(12, (n) => `${logFilterColumns[name as 'severity']} ${n}`);
  }
};

/** Few values, or of users more than blocks are searched for. */
const chooseValues = (name: string): fc.Arbitrary<(string | boolean)[]> => {
  const few = fc.array(chooseValue(name), { minLength: 1, maxLength: 3 });
  if (name !== 'user') return few;
  const many = fc.nat({ max: 700 }).map((from) => Array.from({ length: 301 }, (_, number) => `user-${from + number}`));
  return fc.oneof({ weight: 4, arbitrary: few }, { weight: 1, arbitrary: many });
};

const filterNames = Object.keys(logFilterColumns);
const filters = fc
  .uniqueArray(fc.constantFrom(...filterNames), { maxLength: 2 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, chooseValues(name)] as const))));
const time = (fromMs: number, toMs: number) => fc.oneof(fc.constant(null), fc.integer({ min: fromMs, max: toMs }));
const edge = fc.nat().map((number) => edgesMs[number % edgesMs.length] as number);
const endMs = startMs + rowCount * 10;
const queries = fc.record({
  filters,
  sort: fc.constantFrom('discoveredAtAsc', 'discoveredAtDesc'),
  discovered: fc.tuple(
    fc.oneof(time(startMs - 10, endMs), edge),
    fc.oneof(fc.integer({ min: startMs, max: endMs + 10 }), edge),
  ),
  occurred: fc.tuple(time(startMs - 1_300_000, endMs), time(startMs - 1_300_000, endMs)),
  limit: fc.constantFrom(1, 3, 50, 1_000),
  examinedRowsMax: fc.constantFrom(1, 1_000, 250_000),
});

type Query = typeof queries extends fc.Arbitrary<infer Value> ? Value : never;

const expectedIds = ({ filters: given, sort, discovered, occurred }: Query): string[] => {
  const within = (ms: number, [from, to]: readonly [number | null, number | null]) =>
    (from === null || ms >= from) && (to === null || ms <= to);
  const found = rows
    .filter((row) => within(row.atMs, discovered) && within(row.occurredMs, occurred))
    .filter((row) => Object.entries(given).every(([name, values]) => matches(row, name, values)))
    .map(({ id }) => id);
  return sort === 'discoveredAtAsc' ? found : found.toReversed();
};

async function walk(
  { filters: given, sort, discovered, occurred, limit, examinedRowsMax }: Query,
  from: ReadModels = models,
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: LogsPageQuery['after'] = null; ; ) {
    const page = await readLogsPage(from, {
      tenantId,
      sort: sort as LogsPageQuery['sort'],
      discovered: { fromMs: discovered[0], toMs: discovered[1] },
      occurred: { fromMs: occurred[0], toMs: occurred[1] },
      filters: given as LogsPageQuery['filters'],
      after,
      limit,
      examinedRowsMax,
      timeoutMs: 20_000,
    });
    const { data } = JSON.parse(page.close('}').toString()) as { data: { id: string }[] };
    ids.push(...data.map(({ id }) => id));
    expect(page.count).toBe(data.length);
    expect(page.count).toBeLessThanOrEqual(limit);
    if (!page.hasMore) return ids;
    expect(page.count, 'a page that is not the last one has rows').toBeGreaterThan(0);
    after = page.last;
  }
}

/** Rows of the log that were read. The statistics of a connection are complete when it has ended. */
async function countRead(): Promise<number> {
  await inspector.client.query('select pg_stat_force_next_flush()');
  await sleep(200);
  const { rows: counts } = await inspector.client.query<{ read: number }>(
    "select sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::float8 as read from pg_stat_all_tables where relname ~ '^audit_log_2'",
  );
  return counts[0]?.read ?? Number.NaN;
}

test('a page of a value that no row has reads no rows, and one of a rare value the rows of few blocks', async () => {
  const countOf = async (event: string): Promise<[found: number, read: number]> => {
    const before = await countRead();
    const reader = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 1 });
    const found = await walk(
      {
        filters: { externalEventId: [event] },
        sort: 'discoveredAtDesc',
        discovered: [null, startMs + rowCount * 8],
        occurred: [null, null],
        limit: 50,
        examinedRowsMax: 250_000,
      },
      reader,
    );
    await reader[Symbol.asyncDispose]();
    return [found.length, (await countRead()) - before];
  };
  // A block may look as if it had the value.
  const [absent, readForAbsent] = await countOf('no such event');
  expect(absent).toBe(0);
  expect(readForAbsent).toBeLessThanOrEqual(256);
  const [rare, readForRare] = await countOf('event 17');
  expect(rare).toBe(1);
  expect(readForRare).toBeGreaterThan(0);
  expect(readForRare).toBeLessThanOrEqual(512);
});

test('pages of any filters, window, order and limit return every row that matches once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      // Pages of one row over thousands of rows take minutes.
      const expected = expectedIds(query);
      fc.pre(expected.length / query.limit < 300);
      expect(await walk(query)).toEqual(expected);
    }),
    { numRuns: 250 },
  );
}, 240_000);
