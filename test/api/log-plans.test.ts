import { randomUUID } from 'node:crypto';
import { blockSearchStatement, type LogsPageQuery, logsPageStatement } from '@tenantscope/store/read';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

const limit = 50;
let database: TestDatabase;
let superuser: pg.Client;
let api: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  api = new pg.Client(database.roles.api);
  await Promise.all([superuser.connect(), api.connect()]);
});
afterAll(async () => {
  await Promise.all([superuser?.end(), api?.end()]);
  await database?.[Symbol.asyncDispose]();
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Cond'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

/** The plan of the statement, run as the api runs it. */
async function readPlan(statement: string): Promise<Plan> {
  const [settings = '', query = ''] = statement.split(/;(.+)/s);
  await api.query('begin');
  try {
    await api.query(settings);
    const select = query.replace(/^copy \((.+)\) to stdout.*$/s, '$1');
    const { rows } = await api.query(`explain (analyze, buffers, format json) ${select}`);
    return rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await api.query('rollback');
  }
}

const listNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
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

test('a page of the log is read by its index, without sorting, from one row to 100,000, whatever the statistics', async () => {
  const [tenantId, smallTenant] = [randomUUID(), randomUUID()];
  const [count, fromMs] = [100_000, Date.now() - 3_600_000];
  const insert = (from: number, to: number) =>
    superuser.query(
      `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
       select case when n % 100 = 0 then $2::uuid else $1::uuid end, to_timestamp($3 / 1000.0) + n * interval '20 ms', gen_random_uuid(),
              now(), 'a', 1, repeat('d', 900) from generate_series($4::int, $5::int) n`,
      [tenantId, smallTenant, fromMs, from, to],
    );
  const expectPlans = async (rows: number) => {
    const middle = { atMs: fromMs + rows * 10, id: tenantId };
    for (const sort of sorts)
      for (const after of [null, middle])
        for (const tenant of [tenantId, smallTenant]) {
          const plan = await readPlan(logsPageStatement(createQuery(tenant, { sort, after })));
          const nodes = listNodes(plan);
          const kinds = [...new Set(nodes.map((node) => node['Node Type']))].filter((kind) => kind !== 'Append').sort();
          expect(kinds, `${rows} rows, ${sort}`).toEqual(['Index Scan', 'Limit', 'Result']);
          // A row of an index page and one of the table at most, and the way down the index of each partition.
          expect(countBuffers(plan)).toBeLessThan(2 * limit + 60);
        }
  };
  await insert(1, 1);
  await superuser.query('analyze models.audit_log');
  await expectPlans(1);
  await insert(2, count);
  await expectPlans(count);
  await superuser.query('vacuum analyze models.audit_log');
  await expectPlans(count);
});

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
  for (const window of windows) {
    const plan = await readPlan(blockSearchStatement(createQuery(tenantId, window), search));
    expect(countBuffers(plan), JSON.stringify(plan)).toBeLessThan(30);
    expect(Math.max(...listNodes(plan).map((node) => node['Rows Removed by Filter'] ?? 0))).toBeLessThan(5);
  }
});
