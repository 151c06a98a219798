import { beforeEach, expect, test } from 'vitest';
import { type Comparison, createComparison } from '../src/canary/comparison.ts';

let found: string[];
let comparison: Comparison;
beforeEach(() => {
  found = [];
  comparison = createComparison({
    missed: (poller, ids) => found.push(`missed by ${poller}: ${ids}`),
    repeated: (ids) => found.push(`repeated: ${ids}`),
    windowChanged: ({ fromMs, toMs }) => found.push(`changed: ${fromMs}–${toMs}`),
  });
});

const row = (id: string, discoveredAtMs: number, sentAtMs: number | null = null) => ({ id, discoveredAtMs, sentAtMs });
const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** Follows and reads windows of 10 s with a row a second, through this time. */
function pollThrough(endMs: number): void {
  for (let toMs = 10 * secondMs; toMs <= endMs; toMs += 10 * secondMs) {
    const rows = Array.from({ length: 10 }, (_, n) => row(`row-${toMs - n * secondMs}`, toMs - n * secondMs));
    comparison.follow(rows, toMs);
    comparison.addWindow(toMs - 10 * secondMs, toMs, rows);
  }
}

/** Reads the next due window again, with its rows and these changes. */
function repeat(change: (ids: string[]) => string[] = (ids) => ids, sentAtMs: readonly number[] = []): void {
  const window = comparison.findDueWindow();
  if (window === null) throw new Error('no window is due');
  const ids = change([...window.ids]);
  comparison.repeatWindow(
    window,
    ids.map((id, index) => row(id, window.toMs, sentAtMs[index] ?? null)),
  );
}

test('equal windows contradict nothing, and each is read again twice', () => {
  pollThrough(20 * minuteMs);
  let repeats = 0;
  for (; comparison.findDueWindow() !== null; repeats += 1) repeat();
  // 120 windows; the last minute is not due, of the last ten minutes only the first repetition is.
  expect(repeats).toBe(114 + 60);
  expect(found).toEqual([]);
});

test('a window is due after a minute, and only when the cursor has passed it', () => {
  pollThrough(10 * secondMs);
  expect(comparison.findDueWindow()).toBeNull();
  comparison.follow([], 70 * secondMs - 1);
  expect(comparison.findDueWindow()).toBeNull();
  comparison.follow([], null);
  expect(comparison.findDueWindow()).toBeNull();
  comparison.follow([], 70 * secondMs);
  expect(comparison.findDueWindow()).toMatchObject({ fromMs: 0, toMs: 10 * secondMs });
});

test('a row that appears in a closed window was missed by both pollers, once', () => {
  pollThrough(11 * minuteMs);
  repeat((ids) => [...ids, 'late']);
  expect(found).toEqual(['missed by window: late', 'changed: 0–10000', 'missed by cursor: late']);
  while (comparison.findDueWindow() !== null) repeat();
  expect(found).toHaveLength(3);
});

test('a row that the cursor returned and the window did not was missed by the window alone', () => {
  pollThrough(2 * minuteMs);
  comparison.follow([row('late', 5 * secondMs)], null);
  repeat((ids) => [...ids, 'late']);
  expect(found).toEqual(['missed by window: late', 'changed: 0–10000']);
});

test('a row that disappears changes its window', () => {
  pollThrough(2 * minuteMs);
  repeat((ids) => ids.slice(1));
  expect(found).toEqual(['changed: 0–10000']);
});

test('a row that the cursor returns again is repeated, each time', () => {
  pollThrough(2 * minuteMs);
  comparison.follow([row('row-5000', 5 * secondMs), row('new', 2 * minuteMs)], null);
  comparison.follow([row('row-5000', 5 * secondMs)], null);
  expect(found).toEqual(['repeated: row-5000', 'repeated: row-5000']);
});

test('a record without a row is missed when a record of a minute later has one, once', () => {
  for (const at of [1_000, 2_000, 61_000, 62_001]) comparison.acknowledge(at);
  pollThrough(2 * minuteMs);
  repeat((ids) => ids, [1_000]);
  repeat((ids) => ids, [61_000]);
  expect(found).toEqual([]);
  repeat((ids) => ids, [62_001]);
  repeat((ids) => ids, [62_001]);
  expect(found).toEqual(['missed by repeat: 2000']);
});

test('ids are forgotten when their windows have been read for the last time', () => {
  pollThrough(minuteMs);
  comparison.follow([], 40 * minuteMs);
  comparison.follow([row('row-5000', 39 * minuteMs)], null);
  expect(found).toEqual([]);
});
