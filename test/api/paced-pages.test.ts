import { randomUUID } from 'node:crypto';
import type { StatementRunner } from '@tenantscope/store/connection';
import { connectReadModels, type LogsPageQuery, type ReadModels, readLogsPage } from '@tenantscope/store/read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

const tenantId = randomUUID();
const dayMs = 86_400_000;
const toMs = Date.now();
let database: TestDatabase;
let log: ControlledLog;
let models: ReadModels;

beforeAll(async () => {
  database = await createTestDatabase();
  log = await openControlledLog(database.superuser);
  models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
  // Partitions exist for recent days: some of the parts are full, most are empty.
  const agesMs = [0, 1, 2, 60_000, ...Array.from({ length: 200 }, (_, n) => n * 30_000), 0.2 * dayMs, 0.4 * dayMs];
  const event = (ageMs: number, index: number) => ({
    discoveredAt: new Date(toMs - ageMs).toISOString(),
    occurredAt: new Date(toMs - ageMs).toISOString(),
    severity: index % 3 === 0 ? ('high' as const) : ('low' as const),
  });
  await log.write(tenantId, agesMs.map(event));
});
afterAll(async () => {
  await models?.[Symbol.asyncDispose]();
  await log?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** Statements that run in turns, counted. */
function createRunner(isPaced: boolean) {
  let count = 0;
  const run = async <Value>(statement: () => Promise<Value>): Promise<Value> => {
    count += 1;
    return statement();
  };
  return { runner: Object.assign(run, { isPaced: () => isPaced }) satisfies StatementRunner, count: () => count };
}

const sorts = ['discoveredAtAsc', 'discoveredAtDesc'] as const;

async function walk(query: Omit<LogsPageQuery, 'after' | 'timeoutMs'>): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let after: LogsPageQuery['after'] = null; ; ) {
    const page = await readLogsPage(models, { ...query, after, timeoutMs: 5_000 });
    const { data } = JSON.parse(page.close('}').toString()) as { data: { id: string }[] };
    pages.push({ ids: data.map(({ id }) => id), count: page.count, hasMore: page.hasMore, last: page.last });
    if (!page.hasMore) return pages;
    after = page.last;
  }
}

test('pages that are read in parts are the pages of one statement', async () => {
  for (const sort of sorts)
    for (const fromMs of [null, toMs - 183 * dayMs, toMs - 3_600_000])
      for (const limit of [1, 7, 206, 1_000])
        for (const filters of [{}, { severity: ['high'] }, { actorId: ['unknown'] }]) {
          const query = {
            tenantId,
            sort,
            discovered: { fromMs, toMs },
            occurred: { fromMs: null, toMs: null },
            filters,
            limit,
          };
          if (limit === 1 && fromMs === null) continue;
          const paced = await walk({ ...query, runStatement: createRunner(true).runner });
          expect(paced, `${sort} ${fromMs} ${limit}`).toEqual(await walk(query));
        }
}, 120_000);

test('half a year without a match is read by several statements while statements are paced, and by one after that on blocks otherwise', async () => {
  const query = {
    tenantId,
    sort: 'discoveredAtDesc' as const,
    discovered: { fromMs: toMs - 183 * dayMs, toMs },
    occurred: { fromMs: null, toMs: null },
    filters: { actorId: ['unknown'] },
    after: null,
    limit: 1_000,
    timeoutMs: 5_000,
  };
  const [paced, alone] = [createRunner(true), createRunner(false)];
  await readLogsPage(models, { ...query, runStatement: paced.runner });
  await readLogsPage(models, { ...query, runStatement: alone.runner });
  // Before the rows, each looks for the newest block.
  expect(paced.count()).toBeGreaterThan(3);
  expect(paced.count()).toBeLessThanOrEqual(21);
  expect(alone.count()).toBe(2);
});

test('a page whose first part has all rows takes one statement', async () => {
  const { runner, count } = createRunner(true);
  const discovered = { fromMs: null, toMs };
  const page = await readLogsPage(models, {
    tenantId,
    sort: 'discoveredAtDesc',
    discovered,
    occurred: { fromMs: null, toMs: null },
    filters: {},
    after: null,
    limit: 100,
    timeoutMs: 5_000,
    runStatement: runner,
  });
  expect([page.count, page.hasMore, count()]).toEqual([100, true, 1]);
});

test('the time limit bounds all parts together', async () => {
  const slow: StatementRunner = Object.assign(<Value>(statement: () => Promise<Value>) => statement(), {
    isPaced: () => true,
  });
  const query = { tenantId, sort: 'discoveredAtDesc' as const, discovered: { fromMs: null, toMs } };
  const read = readLogsPage(models, {
    ...query,
    occurred: { fromMs: null, toMs: null },
    filters: { actorId: ['unknown'] },
    after: null,
    limit: 1_000,
    timeoutMs: 0.001,
    runStatement: slow,
  });
  await expect(read).rejects.toThrow(/timed out/);
});
