import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
const control = {
  connect: async () => ({
    async query(text: string) {
      if (text.includes('leased_until =')) renewedAtMs = Date.now();
      return { rowCount: isLeased ? 1 : 0, rows: [] };
    },
    release() {},
  }),
} as unknown as Pool;

/** Runs a stream whose pages the test gives. Their requests are refused by the system at once: port 1 of this host. */
async function run(
  readPages: Provider['readPages'],
  publishing: (status: SourceStatus) => void = () => {},
): Promise<{ summary: RunSummary; statuses: SourceStatus[] }> {
  const nowMs = Date.now();
  const stream = {
    ...{ leaseId: 'lease', collectorId: 'c', tenantId: 't', provider: 'okta', stream: 'system-log', state: 'active' },
    ...{ url: 'http://127.0.0.1:1', settings: {}, secretFile: join(directory, 'secret'), intervalMs: 60_000 },
    ...{ startAtMs: nowMs, createdAtMs: nowMs, position: null, gaps: [], completedAtMs: null, failureCount: 0 },
    ...{ failure: null, reported: null, reportedAtMs: null, reportedState: null, topicPrefix: null },
  } as ClaimedStream;
  const statuses: SourceStatus[] = [];
  const summary = await runStream(
    stream,
    {
      control,
      publisher: {
        publish: async () => [],
        async publishStatus(_, status) {
          publishing(status);
          statuses.push(status);
        },
      },
      providers: { okta: { completeAt: 'runStart', readPages } },
      limits: { timeoutMs: 1_000, maxBytes: 1_000 },
      leaseMs: 60_000,
    },
    new AbortController().signal,
  );
  return { summary, statuses };
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
    () => renewedMs.push(renewedAtMs),
  );
  expect(statuses.map(({ changedAt }) => Date.parse(changedAt))).toEqual(renewedMs);
  expect(statuses.map(({ version }) => version)).toEqual(renewedMs.map((ms) => ms * 1_000));
  expect(new Set(renewedMs).size).toBe(2);
});
