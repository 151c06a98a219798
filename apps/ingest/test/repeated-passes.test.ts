import { expect, test } from 'vitest';
import { chooseRestFactor } from '../src/maintenance/log-seals.ts';
import { repeatPasses } from '../src/maintenance/repeated-passes.ts';

const workMs = 30;
const work = () => new Promise<void>((resolve) => setTimeout(resolve, workMs));

test.each([
  ['twice as long as it took', undefined, 2],
  ['half as long as it took', 0.5, 0.5],
])('a step is followed by a rest %s', async (_, restFactor, times) => {
  const rests: number[] = [];
  const durations: number[] = [];
  const done = Promise.withResolvers<void>();
  await using _passes = repeatPasses(
    60_000,
    async ({ runStep, signal }) => {
      for (let step = 0; step < 3; step += 1) {
        const startedMs = performance.now();
        await runStep(work, restFactor);
        durations.push(performance.now() - startedMs);
      }
      done.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    async (ms) => void rests.push(ms),
  );
  await done.promise;
  expect(rests).toHaveLength(3);
  for (const [step, rest] of rests.entries()) {
    expect(rest).toBeGreaterThanOrEqual(times * (workMs - 2));
    expect(rest).toBeLessThanOrEqual(times * (durations[step] ?? 0));
  }
});

test('sealing rests less while more than a day waits to be sealed', () => {
  expect([0, 86_400, 86_401, 100 * 86_400].map(chooseRestFactor)).toEqual([undefined, undefined, 0.5, 0.5]);
});
