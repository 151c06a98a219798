import { ApiError } from '@tenantscope/contract';
import { createMetrics } from '@tenantscope/runtime';
import { expect, test } from 'vitest';
import type { Handlers } from '../src/invoke.ts';
import { registerMetrics } from '../src/metrics.ts';
import { createReplicaRouting, type ReplicaNode } from '../src/replicas/replica-routing.ts';

/** A replica whose state the test sets; `read` stands for any operation. */
function createNode(name: string, read: () => Promise<string> = async () => name) {
  const state = {
    throughMs: 100_000,
    startedMs: 1,
    problem: null as string | null,
    failure: null as string | null,
    arriving: new Set<string>(),
  };
  const handlers = { ping: async () => ({ body: await read() }) } as unknown as Handlers;
  const node: ReplicaNode = {
    name,
    handlers,
    watermark: {
      settled: () => ({ throughMs: state.throughMs, databaseNowMs: 100_000 }),
      waitUntilSettled: async (_feed, atMs) => state.throughMs >= atMs,
      isArriving: (tenantId) => state.arriving.has(tenantId),
      problem: () => state.failure,
    },
    problem: () => state.problem,
    serverStartedMs: () => state.startedMs,
  };
  return Object.assign(state, { node });
}

function route(...replicas: ReturnType<typeof createNode>[]) {
  const primary = createNode('primary');
  const metrics = registerMetrics(createMetrics('api'));
  const nodes = replicas.map(({ node }) => node);
  const logged: unknown[] = [];
  const log = {
    info: (fields: object) => void logged.push(fields),
    warn: (fields: object) => void logged.push(fields),
  };
  const routing = createReplicaRouting(primary.node, nodes, { cell: 'default', metrics, log });
  const request = async () => (await routing.handlers.ping({} as never, {} as never)).body;
  return { primary, routing, request, logged };
}

test('requests are distributed over idle replicas, and a busy one gets the next request last', async () => {
  const release = Promise.withResolvers<string>();
  let isBusy = true;
  const busy = createNode('busy', () => (isBusy ? release.promise : Promise.resolve('busy')));
  const { request } = route(busy, createNode('free'));
  const waiting = [request(), request()];
  expect(await Promise.any(waiting)).toBe('free');
  expect([await request(), await request(), await request()]).toEqual(['free', 'free', 'free']);
  isBusy = false;
  release.resolve('busy');
  expect((await Promise.all(waiting)).toSorted()).toEqual(['busy', 'free']);
  expect([await request(), await request()].toSorted()).toEqual(['busy', 'free']);
});

test('a replica that lags or has a problem is left out, and the primary is read while no replica can be used', async () => {
  const [one, other] = [createNode('one'), createNode('other')];
  const { request, routing } = route(one, other);
  one.throughMs = 98_499;
  expect([await request(), await request()]).toEqual(['other', 'other']);
  other.problem = 'not a replica of the database';
  expect(await request()).toBe('primary');
  one.throughMs = 98_500;
  expect(await request()).toBe('one');
  expect(await routing.watermark.waitUntilSettled('logs', 99_000, 0), 'the page is read from a replica').toBe(false);
});

test('what a replica cannot serve is read from the primary, and other errors are those of the request', async () => {
  const conflict = Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' });
  for (const error of [new ApiError('NOT_FOUND', 'No such record.'), conflict])
    expect(await route(createNode('one', () => Promise.reject(error))).request()).toBe('primary');
  const invalid = new ApiError('INVALID_PARAMETER', 'A wrong parameter.');
  await expect(route(createNode('one', () => Promise.reject(invalid))).request()).rejects.toBe(invalid);
});

test('a request during which its replica was restarted is read from the primary', async () => {
  const restarted = createNode('restarted', async () => {
    restarted.startedMs += 1;
    return 'rows of an earlier state';
  });
  expect(await route(restarted).request()).toBe('primary');
});

test('a replica that is left out is logged once for each reason, and when it is read from', () => {
  const one = createNode('one');
  const { routing, logged } = route(one);
  for (const problem of ['not checked yet', 'not a replica of the database', null]) {
    one.problem = problem;
    routing.measure();
    routing.measure();
  }
  expect(logged).toMatchObject([
    { problem: 'not checked yet' },
    { problem: 'not a replica of the database' },
    { replica: 'one' },
  ]);
});

test('a replica that is left out because its server fails is logged with the failure', () => {
  const one = createNode('one');
  const { routing, logged } = route(one);
  routing.measure();
  one.failure = 'the database is unavailable';
  routing.measure();
  one.throughMs = 0;
  routing.measure();
  expect(logged).toMatchObject([{ replica: 'one' }, { replica: 'one', problem: 'the database is unavailable' }]);
});

test('a tenant whose rows are being copied is read from nodes that have all of them', async () => {
  const [behind, complete] = [createNode('behind'), createNode('complete')];
  const { routing } = route(behind, complete);
  const request = async (id: string) => (await routing.handlers.ping({ tenant: { id } } as never, {} as never)).body;
  behind.arriving.add('moved');
  expect([await request('moved'), await request('moved')]).toEqual(['complete', 'complete']);
  expect([await request('other'), await request('other')].toSorted()).toEqual(['behind', 'complete']);
  complete.arriving.add('moved');
  expect(await request('moved')).toBe('primary');
});
