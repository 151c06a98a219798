import { randomUUID } from 'node:crypto';
import { connectReadModels, type LogsPageQuery, type ReadModels, readLogsPage } from '@tenantscope/store/read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { logRow } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

const tenantId = randomUUID();
const atMs = Date.now() - 60_000;
let database: TestDatabase;
let inspector: DatabaseInspector;
let models: ReadModels;
let inOrder: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  const rows = [...many(5_000, atMs), ...many(3, atMs - 1), ...many(3, atMs + 1)];
  await inspector.client.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
     select $1, to_timestamp(ms / 1000), id, to_timestamp(ms / 1000), 'fileaccessed', 1, '"FileAccessed"'
       from unnest($2::float8[], $3::uuid[]) as given (ms, id)`,
    [tenantId, rows.map(({ ms }) => ms), rows.map(({ id }) => id)],
  );
  inOrder = rows.toSorted((a, b) => a.ms - b.ms || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
});
afterAll(async () => {
  await models?.[Symbol.asyncDispose]();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

function many(count: number, ms: number): { ms: number; id: string }[] {
  return Array.from({ length: count }, () => ({ ms, id: logRow(tenantId).id }));
}

test.each([1, 7, 1_000])(
  'pages of %i rows return each of 5,000 rows of one millisecond once in both directions',
  async (limit) => {
    for (const sort of ['discoveredAtAsc', 'discoveredAtDesc'] as const) {
      expect(await walk(sort, limit), sort).toEqual(sort === 'discoveredAtAsc' ? inOrder : inOrder.toReversed());
    }
  },
  300_000,
);

test('the order of equal timestamps comes from the statement, not from the index that it uses', async () => {
  // The role's own settings rule out a sort.
  const name = new URL(database.superuser).pathname.slice(1);
  await inspector.client.query(`alter role tenantscope_api in database "${name}" set enable_sort = on`);
  await inspector.client.query('drop index models.audit_log_page');
  await using unindexed = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  for (const sort of ['discoveredAtAsc', 'discoveredAtDesc'] as const) {
    const ids = await walk(sort, 1_000, unindexed);
    expect(ids, sort).toEqual(sort === 'discoveredAtAsc' ? inOrder : inOrder.toReversed());
  }
});

async function walk(sort: LogsPageQuery['sort'], limit: number, from: ReadModels = models): Promise<string[]> {
  const ids: string[] = [];
  const window = { discovered: { fromMs: atMs - 1, toMs: atMs + 1 }, occurred: { fromMs: null, toMs: null } };
  for (let after: LogsPageQuery['after'] = null; ; ) {
    const page = await readLogsPage(from, { tenantId, sort, ...window, filters: {}, after, limit, timeoutMs: 5_000 });
    const { data } = JSON.parse(page.close('}').toString()) as { data: { id: string }[] };
    ids.push(...data.map(({ id }) => id));
    if (!page.hasMore) return ids;
    expect(page.count).toBe(limit);
    after = page.last;
  }
}
