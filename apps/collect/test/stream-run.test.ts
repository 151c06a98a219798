import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClaimedStream } from '@tenantscope/store/collect';
import type { Pool } from '@tenantscope/store/connection';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { SourceStatus } from '../src/collection/source-status.ts';
import { type RunSummary, runStream } from '../src/collection/stream-run.ts';
import type { Page, Provider } from '../src/provider/provider.ts';
import { ProviderFailure } from '../src/provider/provider-failure.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-run-'));
  await writeFile(join(directory, 'secret'), 'token');
});
afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(() => {
  vi.useRealTimers();
  isLeased = true;
});

/** A database that has the lease until it ends, and then accepts nothing. */
let isLeased = true;
let renewedAtMs = Number.NaN;
const createControl = (readPrefix: () => string | null) =>
  ({
    connect: async () => ({
      async query(text: string) {
        if (text.includes('leased_until =')) renewedAtMs = Date.now();
        const rows = text.includes('topic_prefix') ? [{ topicPrefix: readPrefix() }] : [];
        return { rowCount: isLeased ? 1 : 0, rows };
      },
      release() {},
    }),
  }) as unknown as Pool;

interface RunOptions {
  readonly publishing?: (status: SourceStatus) => void;
  /** Of the topics of the tenant's cell. */
  readonly readPrefix?: () => string | null;
  readonly url?: string;
}

/** Runs a stream whose pages the test gives. Requests are refused by the system at once, unless the test has a server: port 1 of this host. */
async function run(
  readPages: Provider['readPages'],
  { publishing = () => {}, readPrefix = () => null, url = 'http://127.0.0.1:1' }: RunOptions = {},
): Promise<{
  summary: RunSummary;
  statuses: SourceStatus[];
  published: { topicPrefix: string | null; atMs: number }[];
}> {
  const nowMs = Date.now();
  const stream = {
    ...{ leaseId: 'lease', collectorId: 'c', tenantId: 't', provider: 'okta', stream: 'system-log', state: 'active' },
    ...{ url, settings: {}, secretFile: join(directory, 'secret'), intervalMs: 60_000 },
    ...{ startAtMs: nowMs, createdAtMs: nowMs, position: null, gaps: [], completedAtMs: null, failureCount: 0 },
    ...{ failure: null, reported: null, reportedAtMs: null, reportedState: null },
  } as ClaimedStream;
  const statuses: SourceStatus[] = [];
  const published: { topicPrefix: string | null; atMs: number }[] = [];
  const summary = await runStream(
    stream,
    {
      control: createControl(readPrefix),
      publisher: {
        publish: async ({ topicPrefix }, _, atMs) => {
          published.push({ topicPrefix, atMs });
          return [];
        },
        async publishStatus(_, status) {
          publishing(status);
          statuses.push(status);
        },
      },
      providers: { okta: { completeAt: 'runStart', readPages } },
      limits: { timeoutMs: 20_000, maxBytes: 1_000 },
      leaseMs: 60_000,
    },
    new AbortController().signal,
  );
  return { summary, statuses, published };
}

const page: Page = { records: [], position: {} };
const request = { url: 'http://127.0.0.1:1/', headers: {} };

test('a run whose pages have no records ends at its next request after a minute, and is due again at once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let requests = 0;
  const { summary } = await run(async function* ({ send }) {
    for (;;) {
      requests += 1;
      await send(request).catch((error: Error) => {
        if (error.name === 'ShareUsed') throw error;
      });
      vi.setSystemTime(Date.now() + 7_000);
      yield page;
    }
  });
  expect(summary).toMatchObject({ outcome: { kind: 'interrupted' }, dueInMs: 0 });
  expect(requests).toBe(10);
});

test('a run that takes longer than a minute is complete if it needs no further request, and goes on without progress', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { summary } = await run(async function* ({ send }) {
    for (const isProgress of [false, true]) {
      await send(request).catch((error: Error) => {
        if (error.name === 'ShareUsed') throw error;
      });
      vi.setSystemTime(Date.now() + 70_000);
      yield { ...page, isProgress };
    }
  });
  expect(summary.outcome).toEqual({ kind: 'completed' });
});

test('of more than a hundred gaps the oldest are one that contains them', async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20) + minute * 60_000).toISOString();
  const gaps = Array.from({ length: 150 }, (_, minute) => ({ from: at(minute), to: at(minute), reason: `${minute}` }));
  const { summary, statuses } = await run(async function* () {
    yield { ...page, gaps: gaps.slice(0, 120) };
    yield { ...page, gaps: gaps.slice(120) };
  });
  expect(summary.gaps).toBe(150);
  const reported = statuses.at(-1)?.gaps ?? [];
  expect(reported).toHaveLength(100);
  expect(reported[0]).toMatchObject({ from: at(0), to: at(50), reason: expect.stringContaining('several gaps') });
  expect(reported.slice(1)).toEqual(gaps.slice(51));
});

test('a run that fails after its lease has ended publishes no status', async () => {
  const { summary, statuses } = await run(async function* () {
    yield page;
    isLeased = false;
    throw new ProviderFailure('unlicensed', 'status 403');
  });
  expect(summary.outcome).toEqual({ kind: 'lost' });
  expect(statuses.map(({ licensed }) => licensed)).toEqual([null]);
});

test('a status has a time at which the lease was still its own, however late it is published', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const gap = { from: '2026-11-20T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z', reason: 'expired' };
  const renewedMs: number[] = [];
  const { statuses } = await run(
    async function* () {
      vi.setSystemTime(Date.now() + 1_000);
      yield { ...page, gaps: [gap] };
    },
    { publishing: () => void renewedMs.push(renewedAtMs) },
  );
  expect(statuses.map(({ changedAt }) => Date.parse(changedAt))).toEqual(renewedMs);
  expect(statuses.map(({ version }) => version)).toEqual(renewedMs.map((ms) => ms * 1_000));
  expect(new Set(renewedMs).size).toBe(2);
});

test('records of a tenant that moves while its page is published are in the topics of its new cell', async () => {
  const prefixes = ['a', 'a', 'b'];
  const { published } = await run(
    async function* () {
      yield { ...page, records: [Buffer.from('{}')] };
      yield page;
      yield { ...page, records: [Buffer.from('{}')] };
    },
    // Of the status first.
    { readPrefix: () => prefixes.shift() ?? 'b' },
  );
  expect(published.map(({ topicPrefix }) => topicPrefix)).toEqual(['a', 'b', 'b']);
});

test('records have the time of their request by the clock of the provider', async () => {
  const aheadMs = 3 * 86_400_000;
  await using server = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString()).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const startedMs = Date.now();
  const { published } = await run(
    async function* (input) {
      await input.send({ url: input.url, headers: {} });
      yield { ...page, records: [Buffer.from('{}')] };
    },
    { url },
  );
  const differenceMs = (published[0]?.atMs ?? 0) - startedMs - aheadMs;
  expect(Math.abs(differenceMs)).toBeLessThan(30_000);
});
