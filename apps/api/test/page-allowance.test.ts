import { expect, test } from 'vitest';
import { pageBurstMs } from '../src/limits.ts';
import { createPageAllowance } from '../src/throttling/page-allowance.ts';
import { ownerOf } from './budget-scene.ts';

test('the allowance of a contending tenant is refilled at its share of the time, and up to its burst', async () => {
  let nowMs = 0;
  const allowance = createPageAllowance({ getShare: () => 0.25, contendedShare: 0.25 }, () => nowMs);
  const owner = ownerOf('noisy');
  const run = (durationMs: number) =>
    allowance.charge(owner, async () => {
      nowMs += durationMs;
    });
  await run(2 * pageBurstMs);
  nowMs += 4 * pageBurstMs;
  expect(allowance.isSpent(owner)).toBe(true);
  nowMs += 1;
  expect(allowance.isSpent(owner)).toBe(false);
  nowMs += 100 * pageBurstMs;
  await run(pageBurstMs);
  expect(allowance.isSpent(owner), 'what it did not use is not saved').toBe(true);
});
