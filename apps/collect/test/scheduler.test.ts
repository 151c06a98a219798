import { createLog } from '@tenantscope/runtime';
import type { ClaimedStream } from '@tenantscope/store/collect';
import type { Pool } from '@tenantscope/store/connection';
import { expect, test, vi } from 'vitest';
import { startScheduler } from '../src/collection/scheduler.ts';
import type { StreamInput } from '../src/provider/provider.ts';

const createStream = (name: string, failureCount: number) =>
  ({
    ...{ leaseId: name, collectorId: name, tenantId: 't', provider: 'okta', stream: 'system-log', state: 'active' },
    ...{ url: 'http://127.0.0.1:1', settings: { name }, secretFile: import.meta.filename, intervalMs: 60_000 },
    ...{ startAtMs: 0, createdAtMs: 0, position: null, gaps: [], completedAtMs: null, failureCount },
    ...{ failure: null, reported: null, reportedAtMs: null, reportedState: null },
  }) as ClaimedStream;

/** A database with these streams, of which each is due once, in this order. */
function createControl(due: ClaimedStream[]): Pool {
  const query = async (text: string, values: readonly unknown[]) => {
    if (!text.includes('with due as')) return { rowCount: 1, rows: [] };
    const index = due.findIndex(({ failureCount }) => failureCount === 0 || values[3] === false);
    return { rows: index === -1 ? [] : due.splice(index, 1) };
  };
  return { connect: async () => ({ query, release() {} }) } as unknown as Pool;
}

test('streams of a provider that does not respond leave half of the runs to the others', async () => {
  const due = [
    ...Array.from({ length: 10 }, (_, index) => createStream(`silent ${index}`, 3)),
    ...Array.from({ length: 5 }, (_, index) => createStream(`other ${index}`, 0)),
  ];
  const stop = new AbortController();
  const running: string[] = [];
  const completed: string[] = [];
  async function* readPages({ settings }: StreamInput) {
    const name = String(settings.name);
    running.push(name);
    if (name.startsWith('other')) completed.push(name);
    else if (!stop.signal.aborted)
      await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  }
  {
    await using _ = startScheduler({
      control: createControl(due),
      publisher: { publish: async () => [], publishStatus: async () => {} },
      providers: { okta: { completeAt: 'runStart', readPages } },
      limits: { timeoutMs: 1_000, maxBytes: 1_000 },
      leaseMs: 60_000,
      concurrency: 4,
      worker: 'test',
      log: createLog({ name: 'collect', level: 'silent' }),
      metrics: { recordRun() {} },
    });
    await vi.waitFor(() => expect(completed).toHaveLength(5), 20_000);
    expect(running.filter((name) => name.startsWith('silent'))).toHaveLength(2);
    stop.abort();
  }
});
