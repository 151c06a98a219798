import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createHttpPoller } from './http-poller.ts';
import { comparePolled, type Polled } from './pollers.ts';
import { createRandom, tortureDurationMs } from './random.ts';
import { startTicker, writeWithFailures } from './writers.ts';

let installation: Installation;
let superuser: pg.Client;

beforeAll(async () => {
  installation = await startInstallation();
  superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await installation[Symbol.asyncDispose]();
});

test('HTTP pollers by window and by resumeCursor miss no row while eight writers commit late and die', {
  timeout: 600_000,
}, async () => {
  const { id: tenantId, secret } = await installation.createTenant();
  const others = await Promise.all(
    Array.from({ length: 11 }, () =>
      installation.admin.keys.create({ name: 'more', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null }),
    ),
  );
  await using _ticker = startTicker(installation.database);
  await using api = await installation.startApi();
  const poller = createHttpPoller(api.baseUrl, [secret, ...others.map((key) => key.secret)]);

  let polling: Promise<Polled> = Promise.reject(new Error('no poll began'));
  polling.catch(() => {});
  const lots = createRandom('over HTTP');
  const written = await writeWithFailures(installation.database, superuser, {
    tenantId,
    lots,
    forMs: tortureDurationMs({ short: 8, long: 60 }),
    began: () => {
      polling = poller.poll();
      polling.catch(() => {});
    },
  });
  poller.end();
  const polled = await polling;
  const { rows: stored } = await superuser.query<{ id: string; atMs: number }>(
    `select id, (extract(epoch from discovered_at) * 1000)::float8 as "atMs" from models.audit_log where tenant_id = $1 order by discovered_at, id`,
    [tenantId],
  );
  const judged = comparePolled(polled, stored);
  console.log('over HTTP:', JSON.stringify({ ...judged, ...written, windows: polled.windows.length }));
  expect(judged).toEqual({ missedInWindows: 0, missedByCursor: 0, readTwiceByCursor: 0, changedWindows: 0 });
  expect(written.rows).toBeGreaterThan(1_000);
  expect(written.killed).toBeGreaterThan(5);
});
