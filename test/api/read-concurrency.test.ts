import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';

let product: ControlledInstallation;
let blocker: pg.PoolClient;

beforeAll(async () => {
  product = await startControlledInstallation();
}, 60_000);
afterAll(() => product?.[Symbol.asyncDispose]());

// Lists of detections read this table, pages of the log do not: while the lock lasts, every such list runs.
const lock = () => blocker.query('begin; lock table models.detection in access exclusive mode');
beforeEach(async () => {
  blocker = await product.superuser.connect();
  await lock();
});
afterEach(async () => {
  await blocker.query('rollback');
  blocker.release();
});

async function countRunning(): Promise<number> {
  const { rows } = await product.superuser.query(
    `select from pg_stat_activity where datname = current_database() and usename <> current_user and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

const untilRunning = (count: number) =>
  eventually(`${count} lists run`, 30_000, async () => (await countRunning()) === count);

async function createSecrets(tenantId: string, count: number): Promise<string[]> {
  const owner = { tenantId };
  const key = { name: 'reader', scopes: ['logs:read', 'detections:read'], owner, expiresAt: null };
  const created = await Promise.all(Array.from({ length: count }, () => product.admin.keys.create(key)));
  return created.map(({ secret }) => secret);
}

const createReaders = async (tenantId: string, count: number) =>
  (await createSecrets(tenantId, count)).map((secret) => createApiClient(product.baseUrl, secret));

test('a list whose statement an administrator cancels is refused with 503 and Retry-After, not as a query that took too long', async () => {
  const [reader] = await createReaders(await product.createTenant(), 1);
  const pending = reader?.get('/detections');
  await untilRunning(1);
  await product.superuser.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and usename <> current_user and wait_event_type = 'Lock'`,
  );
  const response = await pending;
  expect([response?.status, response?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(response?.headers.get('retry-after')).toBe('1');
});

test('slow lists of one tenant run one at a time after its budget, and the polling of another tenant is not delayed', async () => {
  const noisy = await createReaders(await product.createTenant(), 3);
  const [neighbor] = await createReaders(await product.createTenant(), 1);
  const sendAll = () => noisy.flatMap((client) => Array.from({ length: 4 }, () => client.get('/detections')));
  const poll = () => Promise.all(Array.from({ length: 8 }, () => neighbor?.get('/logs', { limit: '1000' })));

  const first = sendAll();
  await untilRunning(8);
  // Spends seven seconds above the average, which are not earned back before the end of the test.
  await sleep(1_000);
  expect((await poll()).map((one) => one?.status)).toEqual(Array(8).fill(200));
  await blocker.query('rollback');
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(Array(12).fill(200));

  await lock();
  const second = sendAll();
  await untilRunning(1);
  for (let round = 0; round < 3; round++) {
    expect((await poll()).map((one) => one?.status)).toEqual(Array(8).fill(200));
    expect(await countRunning()).toBe(1);
  }
  await blocker.query('rollback');
  expect((await Promise.all(second)).map(({ status }) => status)).toEqual(Array(12).fill(200));
}, 180_000);

test('statements of the api run without parallel workers', async () => {
  const client = new pg.Client({ connectionString: product.database.roles.api });
  await client.connect();
  const { rows } = await client.query('show max_parallel_workers_per_gather');
  await client.end();
  expect(rows).toEqual([{ max_parallel_workers_per_gather: '0' }]);
});

test('a client that disconnects from a list cancels its statement and frees its place', async () => {
  const [secret] = await createSecrets(await product.createTenant(), 1);
  const get = (path: string) => {
    const disconnect = new AbortController();
    const headers = { Authorization: `Bearer ${secret}` };
    const response = fetch(`${product.baseUrl}${path}`, { headers, signal: disconnect.signal });
    response.catch(() => {});
    return { disconnect, response };
  };
  const paths = ['/detections?limit=10', '/detections/one', '/logs?limit=10'];
  await blocker.query('lock table models.audit_log in access exclusive mode');
  const started = paths.map(get);
  await untilRunning(paths.length);
  for (const { disconnect } of started) disconnect.abort();
  // Waits for 3 s on a slow machine; their time limit would end them after 5 s.
  await eventually('no list runs', 1_000, async () => (await countRunning()) === 0);
  await blocker.query('rollback');
  expect(await Promise.all(paths.map((path) => get(path).response.then(({ status }) => status)))).toEqual([
    200, 404, 200,
  ]);
}, 60_000);
