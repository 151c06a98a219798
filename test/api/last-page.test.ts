import { randomUUID } from 'node:crypto';
import { logsPageStatement } from '@tenantscope/store/read';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { listNodes, readPlan, readPreparedPlan } from './log-page-plan.ts';

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

test('the last pages of a log read only the returned rows and do not sort', async () => {
  const tenantId = randomUUID();
  const fromMs = Date.now() - 60 * 60_000;
  // The planner assumes that the two bounds of a cursor are independent and expects a tenth of the rows in the last tenth.
  await superuser.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
     select case when n % 4 = 0 then $1::uuid else md5((n % 20)::text)::uuid end, to_timestamp($2 / 1000.0) + n * interval '50 ms', gen_random_uuid(),
            now(), 'a', 1, repeat('d', 900)
       from generate_series(1, 40000) n order by n / 1000, 1`,
    [tenantId, fromMs],
  );
  await superuser.query('vacuum analyze models.audit_log');

  const api = openTestPool(database.roles.api, { max: 1 });
  for (const sort of ['discoveredAtAsc', 'discoveredAtDesc'] as const) {
    const query = {
      tenantId,
      sort,
      discovered: { fromMs: null, toMs: Date.now() },
      occurred: { fromMs: null, toMs: null },
      filters: {},
      after: { atMs: fromMs + (sort === 'discoveredAtAsc' ? 36_000 : 4_000) * 50, id: tenantId },
      limit: 100,
      timeoutMs: 5_000,
    };
    const filtered = logsPageStatement({ ...query, filters: { action: ['a'] } });
    for (const plan of [await readPreparedPlan(api, query), await readPlan(api, filtered)]) {
      const nodes = listNodes(plan);
      const kinds = nodes.map((node) => node['Node Type']);
      expect(kinds).toContain('Index Scan');
      expect(kinds).not.toContain('Sort');
      expect(Math.max(...nodes.map((node) => node['Actual Rows'] ?? 0))).toBe(101);
    }
  }
  await api.end();
});
