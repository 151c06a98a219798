import { randomUUID } from 'node:crypto';
import { connectReadModels, watchWatermark } from '@tenantscope/store/read';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { comparePolled, type Polled, pollStore } from './pollers.ts';
import { createRandom, tortureDurationMs } from './random.ts';
import { startTicker, type Written, writeWithFailures } from './writers.ts';

let database: TestDatabase;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await database[Symbol.asyncDispose]();
});

async function run(
  name: string,
  options: { gated: boolean; forMs: number },
): Promise<ReturnType<typeof comparePolled> & Written> {
  const tenantId = randomUUID();
  await superuser.query('truncate models.ingest_lane');
  await using _ticker = startTicker(database);
  await using models = await connectReadModels(database.roles.api, { name: 'torture poller', maxConnections: 8 });
  await using watermark = await watchWatermark(models.pools(), { intervalMs: 20 });
  let polling: Promise<Polled> | undefined;
  let running = true;
  const { forMs, gated } = options;
  const began = () => {
    polling = pollStore({ models, watermark, tenantId, gated }, () => running);
  };
  const written = await writeWithFailures(database, superuser, { tenantId, lots: createRandom(name), forMs, began });
  running = false;
  const polled = (await polling) ?? { windows: [], followed: [] };
  const { rows: stored } = await superuser.query<{ id: string; atMs: number }>(
    `select id, (extract(epoch from discovered_at) * 1000)::float8 as "atMs" from models.audit_log where tenant_id = $1 order by discovered_at, id`,
    [tenantId],
  );
  const judged = { ...comparePolled(polled, stored), ...written };
  console.log(`${name}:`, JSON.stringify({ ...judged, windows: polled.windows.length }));
  return judged;
}

test('pollers by window and by cursor miss no row of eight writers that commit late and die', {
  timeout: 600_000,
}, async () => {
  const { killed, rows, ...judged } = await run('settled', {
    gated: true,
    forMs: tortureDurationMs({ short: 8, long: 60 }),
  });
  expect(judged).toMatchObject({ missedInWindows: 0, missedByCursor: 0, readTwiceByCursor: 0, changedWindows: 0 });
  expect(rows).toBeGreaterThan(1_000);
  expect(killed).toBeGreaterThan(5);
});

test('pollers without the watermark lose rows of the same writers', {
  timeout: 600_000,
}, async () => {
  const judged = await run('unsettled', { gated: false, forMs: tortureDurationMs({ short: 3, long: 15 }) });
  expect(judged.missedInWindows).toBeGreaterThan(0);
  expect(judged.missedByCursor).toBeGreaterThan(0);
  expect(judged.changedWindows).toBeGreaterThan(0);
});
