import { expect, test } from 'vitest';
import { createTruncationWatch } from '../src/lane/truncation-watch.ts';

test('a log is truncated when it has ended below the position of its lane for a minute without interruption', () => {
  let nowMs = 0;
  const watch = createTruncationWatch(() => nowMs);
  const observe = (atMs: number, position = 674n, partition = 3) => {
    nowMs = atMs;
    return watch.isLasting('topic', partition, position);
  };
  for (let atMs = 0; atMs < 60_000; atMs += 1_000) expect(observe(atMs), String(atMs)).toBe(false);
  expect(observe(60_000, 674n, 4)).toBe(false);
  expect(observe(60_000)).toBe(true);
  // The lane has been read on.
  expect(observe(61_000, 675n)).toBe(false);
  // It was read for a while: the minute begins again.
  expect(observe(62_000, 675n)).toBe(false);
  expect(observe(130_000, 675n)).toBe(false);
  expect(observe(131_000, 675n)).toBe(false);
});
