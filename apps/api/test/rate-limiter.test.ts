import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { normalizeClientAddress } from '@tenantscope/runtime';
import { type EndedKey, type KeyRecord, makeSecret } from '@tenantscope/store/api-key';
import { StoreUnavailable } from '@tenantscope/store/connection';
import { expect, test } from 'vitest';
import { createFailedLoginLimit } from '../src/auth/failed-login-limit.ts';
import { createLocalRateLimit } from '../src/throttling/local-rate-limit.ts';
import { rateLimitExceeded, rateLimitHeaders } from '../src/throttling/rate-limit-status.ts';
import { createRateLimiter } from '../src/throttling/rate-limiter.ts';
import { startTestApp, testKey } from './test-app.ts';

test('without Redis a key still has exactly 600 requests', async () => {
  await using limit = createRateLimiter({ url: 'redis://127.0.0.1:1', options: {}, readLogin: () => ({}) });
  const started = performance.now();
  const budgets = [];
  for (let n = 0; n < 601; n += 1) budgets.push(await limit.consume('one'));
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(budgets[0]).toMatchObject({ limit: 600, remaining: 599, exceeded: false });
  expect(budgets[599]).toMatchObject({ remaining: 0, exceeded: false });
  expect(budgets[600]).toMatchObject({ remaining: 0, exceeded: true });
  expect(await limit.consume('two')).toMatchObject({ remaining: 599, exceeded: false });
  expect(limit.degraded()).toBe(true);
});

test('a request that is taken back may be sent again, and no window has more requests than its limit', async () => {
  await using limit = createRateLimiter({ url: 'redis://127.0.0.1:1', options: {}, readLogin: () => ({}) });
  expect(await limit.takeBack('one')).toMatchObject({ remaining: 600 });
  for (let n = 0; n < 600; n += 1) await limit.consume('one');
  expect(await limit.takeBack('one')).toMatchObject({ limit: 600, remaining: 1, exceeded: false });
  expect(await limit.consume('one')).toMatchObject({ remaining: 0, exceeded: false });
  expect(await limit.consume('one')).toMatchObject({ remaining: 0, exceeded: true });
});

test('a key that was found before is counted while it is looked up, and not at all if the directory does not respond', async () => {
  let lookUp: () => Promise<KeyRecord | EndedKey> = async () => testKey;
  let found: string | null = null;
  await using app = await startTestApp({
    lookUp: () => lookUp(),
    findId: () => found,
    handlers: { ping: async () => ({ body: '{}' }) },
  });
  const secret = makeSecret();
  const ping = async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${app.port}/api/v1/ping`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    return [status, headers.get('x-ratelimit-remaining')];
  };
  expect(await ping()).toEqual([200, '599']);
  found = testKey.keyId;
  expect(await ping()).toEqual([200, '598']);
  lookUp = () => Promise.reject(new StoreUnavailable('no directory'));
  expect(await ping()).toEqual([503, null]);
  lookUp = async () => ({ endedKeyId: testKey.keyId });
  expect(await ping()).toEqual([401, null]);
  lookUp = async () => testKey;
  expect(await ping(), 'the request that was rejected was counted').toEqual([200, '596']);
});

/** Takes connections and never says a word, as a stopped Redis does. */
async function mute() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a Redis that does not respond delays requests only briefly', async () => {
  await using redis = await mute();
  await using limit = createRateLimiter({ url: redis.url, options: {}, readLogin: () => ({}) });
  for (let n = 0; n < 10; n += 1) {
    const started = performance.now();
    await limit.consume('one');
    expect(performance.now() - started).toBeLessThan(100);
  }
});

test('local counting continues from the shared count and records unreported requests', () => {
  let now = 1_000;
  const own = createLocalRateLimit(
    10,
    60_000,
    () => 10,
    () => now,
  );
  own.synchronize('one', { limit: 10, remaining: 4, resetsInMs: 30_000, exceeded: false });
  expect(own.count('one', false)).toEqual({ limit: 10, remaining: 3, resetsInMs: 30_000, exceeded: false });
  for (let n = 0; n < 3; n += 1) own.count('one', true);
  expect(own.count('one', true)).toEqual({ limit: 10, remaining: 0, resetsInMs: 30_000, exceeded: true });
  expect([own.takeUnreported('one'), own.takeUnreported('one'), own.takeUnreported('two')]).toEqual([3, 0, 0]);
  now += 30_001;
  expect(own.count('one', true)).toEqual({ limit: 10, remaining: 9, resetsInMs: 60_000, exceeded: false });
});

test('without the shared counter the instances together accept one limit more than was counted', () => {
  const instances = Array.from({ length: 3 }, () => createLocalRateLimit(600, 60_000, () => 600 / 3));
  const accept = () =>
    instances
      .flatMap((instance) => Array.from({ length: 700 }, () => instance.count('one', true)))
      .filter((one) => !one.exceeded);
  instances[0]?.synchronize('one', { limit: 600, remaining: 250, resetsInMs: 60_000, exceeded: false });
  const accepted = accept();
  expect(accepted).toHaveLength(600);
  expect(accepted.map(({ remaining }) => remaining)).toEqual(
    Array.from({ length: 600 }, (_, index) => 199 - (index % 200)),
  );
  instances[0]?.synchronize('one', { limit: 600, remaining: 30, resetsInMs: 60_000, exceeded: false });
  expect(accept()).toHaveLength(30);
});

test('the rate limit headers are consistent integers', () => {
  const budget = { limit: 600, remaining: 0, resetsInMs: 12_345, exceeded: true };
  expect(rateLimitHeaders(budget, 1_790_000_000_000)).toEqual({
    'X-RateLimit-Limit': '600',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1790000013',
  });
  expect(rateLimitExceeded(budget, 'Too much.').headers['Retry-After']).toBe('13');
  expect(rateLimitExceeded({ ...budget, resetsInMs: 0 }, 'Too much.').headers['Retry-After']).toBe('1');
});

test('the 61st failure of an address in a minute exceeds the limit; another address is unaffected', async () => {
  const failures = createFailedLoginLimit();
  for (let n = 0; n < 60; n += 1) expect(await failures.count('192.0.2.1')).toMatchObject({ exceeded: false });
  expect(await failures.count('192.0.2.1')).toMatchObject({ exceeded: true, remaining: 0 });
  expect(await failures.count('192.0.2.2')).toMatchObject({ exceeded: false });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('failures of %s count for %s', (address, source) => {
  expect(normalizeClientAddress(address)).toBe(source);
});
