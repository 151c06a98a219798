import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { shareCount } from '../src/console/shared-count.ts';

/** A count that takes some time of a clock; the first result is 1. */
function startCount(tookMs: number) {
  let [nowMs, runs] = [0, 0];
  const count = shareCount(
    async () => {
      runs += 1;
      nowMs += tookMs;
      return runs;
    },
    () => nowMs,
  );
  return { count, passMs: (ms: number) => (nowMs += ms) };
}

test('a quick count is repeated for each request', async () => {
  const { count } = startCount(499);
  expect([await count(), await count(), await count()]).toEqual([1, 2, 3]);
});

test('a slow count is used again for twenty times as long as it took', async () => {
  const { count, passMs } = startCount(7_000);
  expect(await count()).toBe(1);
  passMs(139_999);
  expect(await count()).toBe(1);
  passMs(1);
  expect(await count()).toBe(2);
});

test('requests share one count and get null after a second, and the count once it is there', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  let runs = 0;
  const count = shareCount(() => {
    runs += 1;
    return promise;
  });
  expect(await Promise.all([count(), count()])).toEqual([null, null]);
  const third = count();
  resolve(8);
  expect(await third).toBe(8);
  expect(runs).toBe(1);
  expect(await count(), 'it took more than half a second').toBe(8);
  expect(runs).toBe(1);
});

test('a slow failure is not repeated at once, and a quick one is', async () => {
  let [nowMs, runs] = [0, 0];
  let tookMs = 7_000;
  const count = shareCount(
    async () => {
      runs += 1;
      nowMs += tookMs;
      await sleep(0);
      throw new Error('canceling statement due to statement timeout');
    },
    () => nowMs,
  );
  expect([await count(), await count(), runs]).toEqual([null, null, 1]);
  nowMs += 140_000;
  tookMs = 5;
  expect([await count(), await count(), runs]).toEqual([null, null, 3]);
});
