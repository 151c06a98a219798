import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { grantableScopes } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';

let product: ControlledInstallation;

beforeAll(async () => {
  product = await startControlledInstallation({ TENANTSCOPE_CONTENDED_SHARE: '0.25' });
}, 60_000);
afterAll(() => product?.[Symbol.asyncDispose]());

/** Statements that wait for a lock on the table. */
async function countWaiting(table: string): Promise<number> {
  const { rows } = await product.superuser.query('select from pg_locks where not granted and relation = $1::regclass', [
    table,
  ]);
  return rows.length;
}

/** Locks the table until disposed. */
async function lock(table: string): Promise<AsyncDisposable> {
  const client = await product.superuser.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback');
      client.release();
    },
  };
}

/** Delays every poll of the watermark, as saturated processors do. */
async function delayRoundTrips(durationMs: number): Promise<void> {
  for (const endAt = Date.now() + durationMs; Date.now() < endAt; await sleep(5)) {
    await using _lanes = await lock('models.ingest_lane');
    await sleep(100);
  }
}

test('slow lists run eight at once for a tenant alone, and one at a time while round trips are slow and another tenant polls', async () => {
  const neighbor = product.reader(await product.createTenant());
  const startLists = async () => {
    const noisy = product.reader(await product.createTenant());
    return Promise.all(Array.from({ length: 8 }, () => noisy.get('/detections')));
  };
  // The usual round trip is known after a second.
  await sleep(1_500);
  await delayRoundTrips(2_500);

  const statusesOf = async (responses: ReturnType<typeof startLists>) => (await responses).map(({ status }) => status);
  let responses: ReturnType<typeof startLists>;
  {
    await using _detections = await lock('models.detection');
    responses = startLists();
    await eventually('eight lists run', 10_000, async () => (await countWaiting('models.detection')) === 8);
  }
  expect(await statusesOf(responses)).toEqual(Array(8).fill(200));

  const poll = () => neighbor.get('/logs', { limit: '1000' });
  {
    await using _detections = await lock('models.detection');
    expect((await poll()).status).toBe(200);
    // Of another tenant: on a busy machine the first one has spent its budget, and waits longer than a request may.
    responses = startLists();
    await eventually('a list runs', 10_000, async () => (await countWaiting('models.detection')) > 0);
    for (let n = 0; n < 5; n++) {
      expect((await poll()).status).toBe(200);
      expect(await countWaiting('models.detection')).toBe(1);
    }
  }
  for (const status of await statusesOf(responses)) expect([200, 503]).toContain(status);
}, 60_000);

/** The metric of the api: whether it counts as saturated. */
async function readSaturated(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${product.healthPort}/metrics`)).text();
  return Number(/^tenantscope_database_saturated\{cell="default"\} (\d+)$/m.exec(text)?.[1]);
}

/** Polls once a second until disposed, as an ordinary client does. */
function startPoller(tenantId: string) {
  const reader = product.reader(tenantId);
  const statuses: number[] = [];
  let stopped = false;
  const polling = (async () => {
    for (; !stopped; await sleep(1_000)) statuses.push((await reader.get('/logs', { limit: '1000' })).status);
  })();
  return {
    statuses,
    async [Symbol.asyncDispose]() {
      stopped = true;
      await polling;
    },
  };
}

test('a sweep of one organization key over 50 tenants, one after the other and eight at once, and a poller are served while the service is saturated', async () => {
  const { id: organizationId } = await product.admin.organizations.create({ name: 'A provider' });
  const tenants: string[] = [];
  while (tenants.length < 50)
    tenants.push(
      (await product.admin.tenants.create({ name: 'A customer', organizationId, azureTenantId: randomUUID() })).id,
    );
  const key = { name: 'sweep', scopes: [...grantableScopes], owner: { organizationId }, expiresAt: null };
  const client = createApiClient(product.baseUrl, (await product.admin.keys.create(key)).secret);
  await using poller = startPoller(await product.createTenant());
  await sleep(1_500);
  await delayRoundTrips(2_500);

  const sweep = async (path: string, of: readonly string[], atOnce: number): Promise<number[]> => {
    const left = [...of];
    const statuses: number[] = [];
    const run = async () => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        const response = await client.get(path, {}, { 'X-Tenant-Id': id });
        if (response.status === 429) {
          // More than four documents of an organization at once: on a busy machine one may wait longer than 5 s.
          left.push(id);
          await sleep(1_000 * Number(response.headers.get('retry-after')));
        } else statuses.push(response.status);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, run));
    return statuses;
  };
  expect(await sweep('/logs', tenants, 1)).toEqual(Array(50).fill(200));
  expect(await sweep('/logs', tenants, 8)).toEqual(Array(50).fill(200));
  expect(await sweep('/compliance/status', tenants.slice(0, 16), 8)).toEqual(Array(16).fill(200));
  expect(await readSaturated()).toBe(1);
  expect(poller.statuses.length).toBeGreaterThan(0);
  expect(new Set(poller.statuses)).toEqual(new Set([200]));
}, 120_000);
