import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWindowParts, type TimeWindow } from '../src/read/log/window-parts.ts';

const dayMs = 86_400_000;

function listParts(window: TimeWindow, ascending: boolean, durationsMs: readonly number[]): TimeWindow[] {
  const parts = createWindowParts(window, ascending);
  const listed: TimeWindow[] = [];
  for (let part = parts.next(); part !== null; part = parts.next()) {
    listed.push(part);
    parts.adapt(durationsMs[listed.length % durationsMs.length] as number);
    if (listed.length > 20) throw new Error('more than 20 parts');
  }
  return listed;
}

test('the parts of a window cover each millisecond once, in the order of the sort', () => {
  const toMs = Date.parse('2026-11-23T12:00:00Z');
  const windows = fc.record({
    lengthMs: fc.option(fc.integer({ min: 0, max: 400 * dayMs }), { nil: null }),
    ascending: fc.boolean(),
    durationsMs: fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 6 }),
  });
  fc.assert(
    fc.property(windows, ({ lengthMs, ascending, durationsMs }) => {
      const fromMs = lengthMs === null ? null : toMs - lengthMs;
      const parts = listParts({ fromMs, toMs }, ascending, durationsMs);
      const inOrder = ascending ? parts : parts.toReversed();
      expect(inOrder[0]?.fromMs).toBe(fromMs);
      expect(inOrder.at(-1)?.toMs).toBe(toMs);
      for (const [index, part] of inOrder.entries())
        if (index > 0) expect(part.fromMs).toBe((inOrder[index - 1]?.toMs ?? Number.NaN) + 1);
    }),
  );
});

test('quick parts grow, so that half a year without a row takes a few statements', () => {
  const toMs = Date.parse('2026-11-23T12:00:00Z');
  expect(listParts({ fromMs: toMs - 183 * dayMs, toMs }, false, [2])).toHaveLength(8);
  expect(listParts({ fromMs: null, toMs }, false, [2])).toHaveLength(12);
});

test('slow parts have a day, and the twentieth has the rest', () => {
  const toMs = Date.parse('2026-11-23T12:00:00Z');
  for (const ascending of [true, false]) {
    const parts = listParts({ fromMs: toMs - 183 * dayMs, toMs }, ascending, [5_000]);
    const days = parts.map((part) => (part.toMs - Number(part.fromMs) + 1) / dayMs);
    expect(days.slice(0, -1)).toEqual(Array(19).fill(1));
    expect(days.at(-1)).toBeGreaterThan(163);
  }
});

test('an ascending window without a beginning is one part', () => {
  expect(listParts({ fromMs: null, toMs: 1 }, true, [1])).toEqual([{ fromMs: null, toMs: 1 }]);
});

test('an empty window is one part', () => {
  for (const ascending of [true, false]) expect(listParts({ fromMs: 10, toMs: 5 }, ascending, [1])).toHaveLength(1);
});
