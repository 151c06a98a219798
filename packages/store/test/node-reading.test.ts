import { expect, test } from 'vitest';
import {
  isSuperseded,
  mergeReadings,
  type NodeReading,
  parseStandbyNames,
} from '../src/read/watermark/node-reading.ts';

test.for([
  ['', []],
  ['"pg-2"', ['pg-2']],
  ['PG_2, pg_3', ['pg_2', 'pg_3']],
  ['2 ("pg-2","pg-3")', ['pg-2', 'pg-3']],
  ['FIRST 1 (pg_2, "a ""name""")', ['pg_2', 'a "name"']],
  ['ANY 1 ("pg-2", pg_3)', ['pg-2', 'pg_3']],
  ['*', ['*']],
  ['ANY 1 (*)', ['*']],
] as const)('synchronous_standby_names %s names %j', ([setting, names]) => {
  expect([...parseStandbyNames(setting)]).toEqual(names);
});

const read = (changes: Partial<NodeReading> & { throughMs: Map<string, number> }): NodeReading => ({
  serverStartedMs: 1,
  hasOpenEpoch: true,
  clockMs: 0,
  epoch: { number: 1, timeline: '7/00000001' },
  awaited: null,
  moves: { version: '0', tenants: new Map() },
  readAtMs: 0,
  ...changes,
});
const through = (ms: number) => new Map([['raw.activity.v1', ms]]);
const merged = (before: NodeReading, now: NodeReading, isReadFrom: boolean) =>
  mergeReadings(before, now, isReadFrom).throughMs.get('raw.activity.v1');

test('a reading never goes back within a run of the server and an epoch', () => {
  const before = read({ throughMs: through(10) });
  expect(merged(before, read({ throughMs: through(5) }), true)).toBe(10);
  expect(merged(before, read({ throughMs: through(5), serverStartedMs: 2 }), true)).toBe(5);
  expect(merged(before, read({ throughMs: through(5), serverStartedMs: 2 }), false)).toBe(10);
  const other = { number: 2, timeline: '7/00000002' };
  expect(merged(before, read({ throughMs: through(5), epoch: other }), false)).toBe(5);
});

test('of two polls that overtake each other, the later list of moving tenants counts', () => {
  const moved = (version: string, servedThroughMs: number) => ({
    version,
    tenants: new Map([['tenant', { isArriving: false, servedThroughMs }]]),
  });
  const before = read({ throughMs: through(10), moves: moved('10', 9) });
  expect(mergeReadings(before, read({ throughMs: through(5), moves: moved('9', 4) }), true).moves).toEqual(
    moved('10', 9),
  );
  expect(mergeReadings(before, read({ throughMs: through(15), moves: moved('11', 12) }), true).moves).toEqual(
    moved('11', 12),
  );
});

test('a server is superseded by one with a newer epoch that is open', () => {
  const own = read({ throughMs: through(10) });
  const newer = { number: 2, timeline: '7/00000002' };
  expect(isSuperseded(own, [null, read({ throughMs: through(10) })])).toBe(false);
  expect(isSuperseded(own, [read({ throughMs: through(10), epoch: newer })])).toBe(true);
  expect(isSuperseded(read({ throughMs: through(10), epoch: newer }), [own])).toBe(false);
  // Two servers that were promoted from one: the later timeline replaces the other.
  const sibling = read({ throughMs: through(10), epoch: { number: 2, timeline: '7/00000003' } });
  expect(isSuperseded(read({ throughMs: through(10), epoch: newer }), [sibling])).toBe(true);
});
