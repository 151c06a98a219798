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
function supervise(runs: ProcessRun[], firstDelayMs?: number) {
  const beganAtMs = performance.now();
  const startedAtMs: number[] = [];
  const start = async () => {
    startedAtMs.push(performance.now() - beganAtMs);
    return runs.shift() ?? failed;
  };
  const first = runs.shift() ?? failed;
  return { startedAtMs, supervised: superviseProcess('api', first, start, async () => undefined, firstDelayMs) };
}

const announcedDelays = () =>
  vi.mocked(console.log).mock.calls.flatMap((line) => /restarting in ([\d.]+) s/.exec(line.join(' '))?.[1] ?? []);

test('a process with short runs is restarted after a growing delay until it is released', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { startedAtMs, supervised } = supervise([failed, failed, { pid: 3, ended: promise }]);
  await vi.waitFor(() => expect(supervised.pid).toBe(3), 20_000);
  supervised.release();
  resolve('exited (SIGTERM)');
  await vi.waitFor(() => expect(supervised.pid).toBeNull());
  expect(announcedDelays()).toEqual(['0.5', '1']);
  // Timers may be up to a millisecond early.
  expect(startedAtMs[0]).toBeGreaterThan(499);
  expect(startedAtMs[1]).toBeGreaterThan(1_498);
});

test('a requested restart has no delay, and ends the delay after a failure', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const never = new Promise<string>(() => {});
  // With a delay of a day, the test ends only if no delay is waited for.
  const runs = [{ pid: 1, ended: promise }, failed, { pid: 3, ended: never }];
  const { startedAtMs, supervised } = supervise(runs, 86_400_000);
  supervised.requestRestart();
  resolve('exited (SIGTERM)');
  await vi.waitFor(() => expect(startedAtMs).toHaveLength(1), 10_000);
  await vi.waitFor(() => expect(supervised.pid).toBeNull(), 10_000);
  supervised.requestRestart();
  await vi.waitFor(() => expect(supervised.pid).toBe(3), 10_000);
  supervised.release();
});
