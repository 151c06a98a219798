import { expect, test } from 'vitest';
import { type Admission, admitBatch, type BatchStart } from '../src/lane/batch-admission.ts';

const start = (more: Partial<BatchStart>): BatchStart => ({
  fetched: 100n,
  expected: 100n,
  earliest: 0n,
  highWatermark: 1_000n,
  sameLog: true,
  accepted: false,
  ...more,
});

test.each<[what: string, more: Partial<BatchStart>, kind: Admission['kind']]>([
  ['begins at the position of its lane', {}, 'pass'],
  ['begins at the position of its lane in another log', { sameLog: false }, 'reassign'],
  ['follows an aborted transaction or a compacted range', { fetched: 150n }, 'skip'],
  ['follows such a gap in a log that begins at the lane position', { fetched: 150n, earliest: 100n }, 'skip'],
  ['follows lost records', { fetched: 150n, earliest: 101n }, 'stop'],
  ['follows lost records whose loss an operator accepted', { fetched: 150n, earliest: 150n, accepted: true }, 'skip'],
  ['is the first of a new lane whose log does not begin at 0', { fetched: 150n, expected: 0n, earliest: 150n }, 'skip'],
  ['begins below the lane position', { fetched: 50n }, 'reassign'],
  ['begins below the lane position in a log that ends at it', { fetched: 50n, highWatermark: 100n }, 'reassign'],
  ['begins below the lane position in a log that ends below it', { fetched: 50n, highWatermark: 99n }, 'truncated'],
])('a batch that %s: %o → %s', (_, more, kind) => {
  expect(admitBatch(start(more)).kind).toBe(kind);
});
