import { randomUUID } from 'node:crypto';
import { blockSearchStatement, type LogsPageQuery } from '@tenantscope/store/read';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { listNodes, type Plan, readPlan, readPreparedPlan } from './log-page-plan.ts';

const limit = 50;
let database: TestDatabase;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await superuser?.end();
  await database?.[Symbol.asyncDispose]();
});

const connect = (url: string) => openTestPool(url, { max: 1 });
const removedOf = (plan: Plan) => listNodes(plan).reduce((sum, node) => sum + (node['Subplans Removed'] ?? 0), 0);
const countBuffers = (plan: Plan) => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);

const createQuery = (tenantId: string, query: Partial<LogsPageQuery>): LogsPageQuery => ({
  tenantId,
  sort: 'discoveredAtAsc',
  discovered: { fromMs: null, toMs: Date.now() },
  occurred: { fromMs: null, toMs: null },
  filters: {},
  after: null,
  limit,
  timeoutMs: 20_000,
  ...query,
});

const sorts = ['discoveredAtAsc', 'discoveredAtDesc'] as const;

/** Rows of the log in the past hour, so that several partitions have none, of a tenant with many of them and one with few. */
async function insertRows({
  from,
  to,
  fromMs,
  tenants,
}: {
  from: number;
  to: number;
  fromMs: number;
  tenants: string[];
}) {
  await superuser.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
     select case when n % 100 = 0 then $2::uuid else $1::uuid end, to_timestamp($3 / 1000.0) + n * interval '20 ms', gen_random_uuid(),
            now(), 'a', 1, repeat('d', 900) from generate_series($4::int, $5::int) n`,
    [...tenants, fromMs, from, to],
  );
}

test.each(['api', 'jobs'] as const)(
  'the prepared page of the login %s is read by its index, without sorting, from one row to 10 million, whatever the statistics were and are',
  { timeout: 60_000 },
  async (login) => {
    const tenants = [randomUUID(), randomUUID()];
    const [count, fromMs] = [100_000, Date.now() - 3_600_000];
    await superuser.query('truncate models.audit_log');
    // Its statements are prepared at one row; those of the other connections at each number of rows.
    const oldest = connect(database.roles[login]);
    const expectPlans = async (rows: number, statistics: string) => {
      const newest = connect(database.roles[login]);
      const middle = { atMs: fromMs + rows * 10, id: randomUUID() };
      for (const pool of [oldest, newest])
        for (const sort of sorts)
          for (const after of [null, middle])
            for (const tenantId of tenants) {
              const plan = await readPreparedPlan(pool, createQuery(tenantId, { sort, after }));
              const nodes = listNodes(plan);
              const kinds = [...new Set(nodes.map((node) => node['Node Type']))]
                .filter((kind) => kind !== 'Append')
                .sort();
              expect(kinds, `${rows} rows, ${statistics}, ${sort}`).toEqual(['Index Scan', 'Limit', 'Result']);
              // A row of an index page and one of the table at most, and the way down the index of each partition.
              expect(countBuffers(plan), `${rows} rows, ${statistics}, ${sort}`).toBeLessThan(2 * limit + 60);
              // Partitions that end before the window are not opened.
              if (sort === 'discoveredAtAsc' && after !== null) expect(removedOf(plan)).toBeGreaterThan(0);
            }
      await newest.end();
    };
    await insertRows({ from: 1, to: 1, fromMs, tenants });
    await superuser.query('analyze models.audit_log');
    await expectPlans(1, 'of one row');
    await insertRows({ from: 2, to: count, fromMs, tenants });
    await expectPlans(count, 'of one row');
    await superuser.query('vacuum analyze models.audit_log');
    await expectPlans(count, 'of all rows');
    // The planner takes the rows per page from the catalog, and those of the tenants from their shares.
    await superuser.query(
      `update pg_class set reltuples = reltuples * 100 where oid in (select inhrelid from pg_inherits where inhparent = 'models.audit_log'::regclass)`,
    );
    await expectPlans(count, 'of 10 million rows');
    await oldest.end();
  },
);

test('a search for blocks in the middle of the history does not read those before', async () => {
  const tenantId = randomUUID();
  const [blocks, stepMs] = [20_000, 60_000];
  const fromMs = Date.now() - blocks * stepMs;
  await superuser.query(
    `insert into models.log_block (tenant_id, number, first_at, first_id, last_at, last_id, row_count, earliest_occurred_at, latest_occurred_at, tokens)
     select $1, n, at, gen_random_uuid(), at + interval '59 s', gen_random_uuid(), 150, at, at, '\\x00'
       from generate_series(1, $2::int) n, lateral (select to_timestamp(($3::float8 + n * $4::float8) / 1000.0) as at) t`,
    [tenantId, blocks, fromMs, stepMs],
  );
  await superuser.query('vacuum analyze models.log_block');
  const middleMs = fromMs + (blocks / 2) * stepMs;
  const search = { upTo: { atMs: Date.now(), id: tenantId }, beyond: null, limit: 8 };
  const windows: Partial<LogsPageQuery>[] = [
    { discovered: { fromMs: middleMs, toMs: Date.now() } },
    { after: { atMs: middleMs, id: tenantId } },
    { sort: 'discoveredAtDesc', discovered: { fromMs: middleMs, toMs: middleMs + 3_600_000 } },
    { sort: 'discoveredAtDesc', after: { atMs: middleMs, id: tenantId } },
  ];
  const api = connect(database.roles.api);
  for (const window of windows) {
    const plan = await readPlan(api, blockSearchStatement(createQuery(tenantId, window), search));
    expect(countBuffers(plan), JSON.stringify(plan)).toBeLessThan(30);
    expect(Math.max(...listNodes(plan).map((node) => node['Rows Removed by Filter'] ?? 0))).toBeLessThan(5);
  }
  await api.end();
});
