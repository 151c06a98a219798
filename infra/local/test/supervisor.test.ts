import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ProcessRun, superviseProcess } from '../src/start/supervisor.ts';

beforeEach(() => {
  vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const failed: ProcessRun = { pid: 1, ended: Promise.resolve('exited (status 1)') };

/** Runs the given runs one after another and records when each was started. */
function supervise(runs: ProcessRun[]) {
  const beganAtMs = performance.now();
  const startedAtMs: number[] = [];
  const start = async () => {
    startedAtMs.push(performance.now() - beganAtMs);
    return runs.shift() ?? failed;
  };
  return { startedAtMs, supervised: superviseProcess('api', runs.shift() ?? failed, start, async () => undefined) };
}

test('a process with short runs is restarted after a growing delay until it is released', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { startedAtMs, supervised } = supervise([failed, failed, { pid: 3, ended: promise }]);
  await vi.waitFor(() => expect(supervised.pid).toBe(3), 5_000);
  supervised.release();
  resolve('exited (SIGTERM)');
  await vi.waitFor(() => expect(supervised.pid).toBeNull());
  expect(startedAtMs.map((atMs) => Math.round(atMs / 500))).toEqual([1, 3]);
});

test('a requested restart has no delay, and ends the delay after a failure', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const never = new Promise<string>(() => {});
  const { startedAtMs, supervised } = supervise([{ pid: 1, ended: promise }, failed, { pid: 3, ended: never }]);
  supervised.requestRestart();
  resolve('exited (SIGTERM)');
  await vi.waitFor(() => expect(startedAtMs).toHaveLength(1));
  await vi.waitFor(() => expect(supervised.pid).toBeNull());
  supervised.requestRestart();
  await vi.waitFor(() => expect(supervised.pid).toBe(3));
  expect(startedAtMs.at(-1)).toBeLessThan(400);
  supervised.release();
});
