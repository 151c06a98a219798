import { expect, test } from 'vitest';
import { spreadStamps } from '../src/ingest/lane/lane-step.ts';

const list = (count: number, beforeMs: number, stampMs: number) => {
  const stampOf = spreadStamps(count, { beforeMs, stampMs });
  return Array.from({ length: count }, (_, rank) => stampOf(rank));
};

test('a batch of more rows than milliseconds has no row at the time through which the lane was settled', () => {
  expect(list(7, 1_000, 1_003)).toEqual([1_001, 1_001, 1_002, 1_002, 1_003, 1_003, 1_003]);
  expect(list(2, 1_000, 1_001)).toEqual([1_001, 1_001]);
});

test('the rows of a batch lie in the last second before its stamp, the last one at the stamp', () => {
  expect(list(4, 0, 10_000)).toEqual([9_250, 9_500, 9_750, 10_000]);
  expect(list(1, 0, 10_000)).toEqual([10_000]);
});
