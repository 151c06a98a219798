import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
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
  const noisy = product.reader(await product.createTenant());
  const neighbor = product.reader(await product.createTenant());
  const sendAll = () => Array.from({ length: 8 }, () => noisy.get('/detections'));
  // The usual round trip is known after a second.
  await sleep(1_500);
  await delayRoundTrips(2_500);

  const alone = await lock('models.detection');
  const first = sendAll();
  await eventually('eight lists run', 10_000, async () => (await countWaiting('models.detection')) === 8);
  await alone[Symbol.asyncDispose]();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(Array(8).fill(200));

  const contended = await lock('models.detection');
  const poll = () => neighbor.get('/logs', { limit: '1000' });
  expect((await poll()).status).toBe(200);
  const second = sendAll();
  await eventually('a list runs', 10_000, async () => (await countWaiting('models.detection')) > 0);
  for (let n = 0; n < 5; n++) {
    expect((await poll()).status).toBe(200);
    expect(await countWaiting('models.detection')).toBe(1);
  }
  await contended[Symbol.asyncDispose]();
  for (const { status } of await Promise.all(second)) expect([200, 503]).toContain(status);
}, 60_000);
