import { type PolledPage, type Requester, RequestTimeout } from '@tenantscope/client';
import { expect, test } from 'vitest';
import { type Polling, tailAllTenants } from '../src/commands/polling/tail-tenants.ts';

interface Service {
  /** Requests of a window of a minute, as the rate limit of a key. */
  readonly perWindow?: number;
  readonly isDown?: (tenant: number) => boolean;
}

/** A service of many tenants with one row each, at a virtual time: requests take none, waiting for a limit or for a database that is down does. */
function startService(tenants: number, { perWindow = Number.POSITIVE_INFINITY, isDown = () => false }: Service) {
  let nowMs = 0;
  let windowMs = 0;
  let used = 0;
  const consume = (waitMs: number): void => {
    if (nowMs >= windowMs + 60_000) [windowMs, used] = [nowMs, 0];
    if (used < perWindow) {
      used += 1;
      return;
    }
    const retryAfterMs = windowMs + 60_000 - nowMs;
    if (retryAfterMs > waitMs) throw new RequestTimeout('status 429');
    nowMs += retryAfterMs;
    consume(waitMs);
  };
  const request: Requester = async (path, { tenantId, retryForMs = Number.POSITIVE_INFINITY, throttledForMs } = {}) => {
    consume(throttledForMs ?? retryForMs);
    if (path === '/tenants') return { data: Array.from({ length: tenants }, (_, index) => ({ id: String(index) })) };
    if (isDown(Number(tenantId))) {
      nowMs += retryForMs;
      throw new RequestTimeout('status 503');
    }
    return { data: [{ id: tenantId }], pagination: { hasMore: false, resumeCursor: 'c', completeThrough: null } };
  };
  const rows: unknown[] = [];
  const polling: Polling = {
    request,
    path: '/logs',
    parameters: {},
    cursors: { get: () => null, set: async () => {}, async [Symbol.asyncDispose]() {} },
    once: true,
    intervalMs: 1,
    signal: new AbortController().signal,
    write: async (page: PolledPage) => void rows.push(...page.rows.map(({ id }) => Number(id))),
    report() {},
  };
  return { polling, rows, now: () => nowMs };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test('with more tenants than requests of a minute the rows of the last ones are read too', async () => {
  const { polling, rows } = startService(1_500, { perWindow: 600 });
  expect(await tailAllTenants(polling)).toEqual([]);
  expect(rows).toEqual(range(0, 1_500));
});

test('tenants whose database is down delay the others by half a minute, however many they are', async () => {
  const { polling, rows, now } = startService(200, { isDown: (tenant) => tenant < 100 });
  const problems = await tailAllTenants(polling);
  expect(problems).toHaveLength(100);
  expect(problems[99]).toBe('tenant 99: status 503');
  expect(rows).toEqual(range(100, 200));
  expect(now()).toBe(30_000);
});
