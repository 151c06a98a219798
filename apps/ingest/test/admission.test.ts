import { expect, test } from 'vitest';
import { type Admission, admit, type BatchStart } from '../src/admission.ts';

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
  ['begins where its lane stands', {}, 'pass'],
  ['begins there, but in another log', { sameLog: false }, 'rejoin'],
  ['begins behind an aborted transaction or a compacted range', { fetched: 150n }, 'skip'],
  [
    'begins behind such a hole, and the log begins just where the lane stands',
    { fetched: 150n, earliest: 100n },
    'skip',
  ],
  ['begins behind records that are gone', { fetched: 150n, earliest: 101n }, 'stop'],
  [
    'begins behind records that are gone, and the operator has accepted that',
    { fetched: 150n, earliest: 150n, accepted: true },
    'skip',
  ],
  ['is the first of a new lane whose log does not begin at 0', { fetched: 150n, expected: 0n, earliest: 150n }, 'skip'],
  ['begins below its lane', { fetched: 50n }, 'rejoin'],
  ['begins below its lane, at whose place the log ends', { fetched: 50n, highWatermark: 100n }, 'rejoin'],
  ['begins below its lane, in a log that ends below it', { fetched: 50n, highWatermark: 99n }, 'stop'],
])('a batch that %s: %o → %s', (_, more, kind) => {
  expect(admit(start(more)).kind).toBe(kind);
});
