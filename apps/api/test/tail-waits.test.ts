import { connect } from 'node:net';
import { ApiError } from '@tenantscope/contract';
import { makeSecret } from '@tenantscope/store/api-key';
import { feedKey, type TenantFeed } from '@tenantscope/store/read';
import { expect, test, vi } from 'vitest';
import { readPreferredWait } from '../src/http/prefer-header.ts';
import { tailWaitsMax } from '../src/limits.ts';
import { createTailWaits, type TailWait, type TailWaits } from '../src/records/tail-waits.ts';
import { startTestApp, testKey } from './test-app.ts';

const feed: TenantFeed = { tenantId: 'one', feed: 'logs' };
const tail = { ...feed, throughMs: 1_000 };
const never = new AbortController().signal;
const key = { keyId: 'key', organizationId: null };
const later = () => performance.now() + 20_000;

/** Rows of a feed at a stamp, and a watermark that the test moves. */
function scene() {
  const newest = new Map<string, number>();
  const settling: { atMs: number; wake: (reached: boolean) => void }[] = [];
  const lookUps: (readonly TenantFeed[])[] = [];
  const left = new Set<string>();
  let throughMs = 1_000;
  const waits = createTailWaits({
    readNewest: async (of) => {
      lookUps.push(of);
      return newest;
    },
    hasLeft: (tenantId) => left.has(tenantId),
    watermark: {
      settled: () => ({ throughMs, databaseNowMs: throughMs }),
      waitUntilSettled: (_, atMs) =>
        throughMs >= atMs ? Promise.resolve(true) : new Promise((resolve) => settling.push({ atMs, wake: resolve })),
    },
  });
  return {
    waits,
    lookUps,
    left,
    write: (at: TenantFeed, stampMs: number) => newest.set(feedKey(at), stampMs),
    settle(ms: number) {
      throughMs = ms;
      for (const { atMs, wake } of settling.splice(0)) wake(atMs <= ms);
    },
  };
}

test('a wait ends when a newer row of the feed is settled, and not before', async () => {
  await using stack = new AsyncDisposableStack();
  const { waits, lookUps, write, settle } = scene();
  stack.use(waits);
  using slot = waits.begin(key, feed, later());
  let woken: boolean | undefined;
  const waiting = slot?.wait(tail, 10_000, never).then((hasRows) => {
    woken = hasRows;
  });
  write({ tenantId: 'other', feed: 'logs' }, 5_000);
  write({ tenantId: 'one', feed: 'detections' }, 5_000);
  write(feed, 1_000);
  const lookedUpAgain = (before: number) =>
    vi.waitFor(() => expect(lookUps.length).toBeGreaterThan(before + 1), 10_000);
  await lookedUpAgain(lookUps.length);
  write(feed, 2_000);
  await lookedUpAgain(lookUps.length);
  expect(woken).toBeUndefined();
  settle(2_000);
  await waiting;
  expect(woken).toBe(true);
});

test('requests that wait are looked up together, however many they are', async () => {
  await using stack = new AsyncDisposableStack();
  const { waits, lookUps, write, settle } = scene();
  stack.use(waits);
  const tenants = Array.from({ length: 50 }, (_, index) => ({ tenantId: `t${index}`, feed: 'logs' as const }));
  const waiting = tenants.map(async (each) => {
    using slot = waits.begin(key, each, later());
    return slot?.wait({ ...each, throughMs: 1_000 }, 10_000, never);
  });
  await vi.waitFor(() => expect(lookUps.at(-1)).toHaveLength(50), 10_000);
  // The first wait is looked up alone, before the others began.
  expect(lookUps.length).toBeLessThanOrEqual(4);
  for (const each of tenants) write(each, 1_500);
  settle(1_500);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
  const before = lookUps.length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(lookUps.length).toBeLessThanOrEqual(before + 1);
});

test('one request of a key waits for a feed, and another one after it', async () => {
  await using waits = scene().waits;
  {
    using first = waits.begin(key, feed, performance.now() + 4_500);
    expect(first).not.toBeNull();
    const refused = (() => {
      try {
        return waits.begin(key, feed, later());
      } catch (error) {
        return error as ApiError;
      }
    })();
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', headers: { 'Retry-After': '5' } });
    for (const [keyId, other] of [
      ['another key', feed],
      ['key', { ...feed, tenantId: 'two' }],
      ['key', { ...feed, feed: 'detections' }],
    ] as const) {
      using slot = waits.begin({ ...key, keyId }, other, later());
      expect(slot).not.toBeNull();
    }
  }
  using again = waits.begin(key, feed, later());
  expect(again).not.toBeNull();
});

test('a wait ends with its time, when the client disconnects, and at once when the process stops', async () => {
  const { waits } = scene();
  using slot = waits.begin(key, feed, later());
  expect(await slot?.wait(tail, 20, never)).toBe(false);
  const client = new AbortController();
  const abandoned = slot?.wait(tail, 10_000, client.signal);
  client.abort(new Error('disconnected'));
  await expect(abandoned).rejects.toThrow('disconnected');
  const stopped = slot?.wait(tail, 10_000, never);
  waits.stop();
  expect(await stopped).toBe(false);
  expect(await slot?.wait(tail, 10_000, never)).toBe(false);
  expect(waits.begin({ ...key, keyId: 'other' }, feed, later())).toBeNull();
  await waits[Symbol.asyncDispose]();
});

test('a wait ends when rows of its tenant are written to another cell', async () => {
  await using stack = new AsyncDisposableStack();
  const { waits, lookUps, left } = scene();
  stack.use(waits);
  using slot = waits.begin(key, feed, later());
  const waiting = slot?.wait(tail, 10_000, never);
  await vi.waitFor(() => expect(lookUps).not.toEqual([]), 10_000);
  left.add(feed.tenantId);
  expect(await waiting).toBe(true);
});

test('a key of many tenants that has all places gives up the oldest ones to another organization, up to half of them', async () => {
  await using stack = new AsyncDisposableStack();
  const { waits } = scene();
  stack.use(waits);
  const begin = (organizationId: string, index: number) => {
    const of = { tenantId: `${organizationId} ${index}`, feed: 'logs' as const };
    return waits.begin({ keyId: organizationId, organizationId }, of, later());
  };
  const woken: number[] = [];
  for (let index = 0; index < tailWaitsMax; index++) {
    const slot = begin('one', index);
    void slot?.wait({ ...tail, tenantId: `one ${index}` }, 60_000, never).then((hasRows) => {
      slot[Symbol.dispose]();
      if (!hasRows) woken.push(index);
    });
  }
  expect(begin('one', tailWaitsMax)).toBeNull();
  const others = Array.from({ length: tailWaitsMax }, (_, index) => begin('other', index));
  expect(others.filter((slot) => slot !== null)).toHaveLength(tailWaitsMax / 2);
  await vi.waitFor(() => expect(woken).toEqual(Array.from({ length: tailWaitsMax / 2 }, (_, index) => index)), 10_000);
  // The places that were given up are those of others now.
  expect(begin('third', 0)).not.toBeNull();
  expect(begin('one', 0)).toBeNull();
});

test('a request goes on waiting in the cell that its tenant was moved to', async () => {
  const began: string[] = [];
  const disposed: string[] = [];
  let cell = 'default';
  const beginIn =
    (name: string): TailWaits['begin'] =>
    () => {
      began.push(name);
      return {
        async wait() {
          cell = 'eu1';
          return name === 'default' || began.length > 2;
        },
        [Symbol.dispose]: () => void disposed.push(name),
      };
    };
  await using app = await startTestApp({
    lookUp: async () => ({ ...testKey, selected: testKey.selected && { ...testKey.selected, cell } }),
    findTailWaits: (name) => ({ begin: beginIn(name) }),
    handlers: { list_logs: async () => ({ body: '{}', tail: { ...tail, isEmpty: true } }) },
  });
  const headers = { authorization: `Bearer ${makeSecret()}`, prefer: 'wait=5' };
  const response = await fetch(`http://127.0.0.1:${app.port}/api/v1/logs?sort=discoveredAtAsc`, { headers });
  expect(response.status).toBe(200);
  expect(began).toEqual(['default', 'eu1']);
  expect(disposed.toSorted()).toEqual(['default', 'eu1']);
});

test('the duration of a request in the metrics is without its wait, also of one whose client disconnects', async () => {
  const waitMs = 500;
  const beganAtMs: number[] = [];
  const wait: TailWait['wait'] = (_tail, _timeoutMs, signal) =>
    new Promise((resolve, reject) => {
      beganAtMs.push(performance.now());
      if (beganAtMs.length === 1) setTimeout(() => resolve(false), waitMs);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  await using app = await startTestApp({
    handlers: { list_logs: async () => ({ body: '{}', tail: { ...tail, isEmpty: true } }) },
    tailWaits: { begin: () => ({ wait, [Symbol.dispose]() {} }) },
  });
  const headers = { Authorization: `Bearer ${makeSecret()}`, Prefer: 'wait=20' };
  const name = 'tenantscope_http_request_duration_seconds';
  const observed = async (requests: number) => {
    const text = await app.metrics.registry.getSingleMetricAsString(name);
    const find = (part: string) => Number(new RegExp(`^${name}${part}.* (.*)$`, 'm').exec(text)?.[1] ?? 0);
    expect(find('_count')).toBe(requests);
    return find('_sum') * 1_000;
  };

  const startedAtMs = performance.now();
  expect(await (await fetch(`http://127.0.0.1:${app.port}/api/v1/logs`, { headers })).text()).toBe('{}');
  const firstMs = await vi.waitFor(() => observed(1), 10_000);
  const untilMs = performance.now();
  expect(firstMs).toBeLessThanOrEqual(untilMs - startedAtMs - waitMs + 1);

  const client = connect(app.port, '127.0.0.1');
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([key, value]) => `${key}: ${value}\r\n`);
  client.write(`GET /api/v1/logs HTTP/1.1\r\n${lines.join('')}\r\n`);
  await vi.waitFor(() => expect(beganAtMs).toHaveLength(2), 10_000);
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  const waitedMs = performance.now() - (beganAtMs[1] ?? 0);
  client.destroy();
  const secondMs = (await vi.waitFor(() => observed(2), 10_000)) - firstMs;
  expect(secondMs).toBeLessThanOrEqual(performance.now() - untilMs - waitedMs + 1);
});

test.each([
  ['wait=20', 20],
  ['respond-async, Wait = "5"; x=y', 5],
  ['wait=86400', 30],
  ['wait=0', null],
  ['wait=-1', null],
  ['wait=1.5', null],
  ['await=5', null],
  ['', null],
  [undefined, null],
])('Prefer: %s is %s seconds', (header, seconds) => {
  expect(readPreferredWait(header)).toBe(seconds);
});

test('why a page is empty is looked up before a request waits and at its end', async () => {
  const woken = [true, true, false];
  const slot = { wait: async () => woken.shift() ?? false, [Symbol.dispose]: () => {} };
  const explained: boolean[] = [];
  await using app = await startTestApp({
    tailWaits: { begin: () => slot },
    handlers: {
      async list_logs({ goesOnWaiting }) {
        explained.push(!goesOnWaiting);
        return { body: JSON.stringify({ explained }), tail: { ...tail, isEmpty: true } };
      },
    },
  });
  const headers = { authorization: `Bearer ${makeSecret()}`, prefer: 'wait=5' };
  const response = await fetch(`http://127.0.0.1:${app.port}/api/v1/logs?sort=discoveredAtAsc`, { headers });
  expect(await response.json()).toEqual({ explained: [true, false, false, true] });
});
