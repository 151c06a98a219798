import { expect, test } from 'vitest';
import {
  decidePage,
  fixBound,
  lastId,
  type PageDecision,
  type PageOutcome,
  type Position,
} from '../src/page-decision.ts';

const now = 1_000_000;
const settled = now - 100;
const standing = { throughMs: settled, databaseNowMs: now };

test.each([
  ['absent: frozen at the watermark', null, true, settled],
  ['absent when resumed: frozen at the watermark', null, false, settled],
  ['in the past: as asked', settled - 500, true, settled - 500],
  ['at the watermark: as asked', settled, true, settled],
  ['just after the watermark: as asked', settled + 1, true, settled + 1],
  ['60 s ahead: as asked', now + 60_000, true, now + 60_000],
  ['further ahead: frozen at the watermark', now + 60_001, true, settled],
  ['fixed by an earlier page: as it was, whatever the clock says', now + 60_001, false, now + 60_001],
])('an upper bound %s', (_, toMs, firstPage, bound) => {
  expect(fixBound({ toMs, firstPage }, standing)).toBe(bound);
});

const row = (atMs: number, id = 'a'): Position => ({ atMs, id });
const none = { count: 0, hasMore: false, last: null };
const some = { count: 2, hasMore: false, last: row(500) };
const full = { count: 2, hasMore: true, last: row(500) };
const end = (atMs: number): Position => ({ atMs, id: lastId });
const page = (next: Position | null, resume: Position | null): PageDecision => ({ kind: 'page', next, resume });
const unsettled: PageDecision = { kind: 'unsettled' };

const asc = { ascending: true, after: null };
const desc = { ascending: false, after: null };

test.each<[string, PageOutcome, PageDecision]>([
  // The window is settled.
  ['ascending, a full page', { ...asc, boundMs: 900, throughMs: 900, rows: full }, page(row(500), row(500))],
  ['ascending, the last page', { ...asc, boundMs: 900, throughMs: 950, rows: some }, page(null, end(900))],
  ['ascending, nothing', { ...asc, boundMs: 900, throughMs: 950, rows: none }, page(null, end(900))],
  ['descending, a full page', { ...desc, boundMs: 900, throughMs: 900, rows: full }, page(row(500), null)],
  ['descending, the last page', { ...desc, boundMs: 900, throughMs: 950, rows: some }, page(null, null)],
  ['descending, nothing', { ...desc, boundMs: 900, throughMs: 950, rows: none }, page(null, null)],
  // The window reaches beyond the watermark.
  ['unsettled, a full page', { ...asc, boundMs: 901, throughMs: 900, rows: full }, page(row(500), row(500))],
  [
    'unsettled, some rows: there is more',
    { ...asc, boundMs: 901, throughMs: 900, rows: some },
    page(end(900), end(900)),
  ],
  ['unsettled, nothing: no answer', { ...asc, boundMs: 901, throughMs: 900, rows: none }, unsettled],
  ['unsettled descending, a full page: no answer', { ...desc, boundMs: 901, throughMs: 900, rows: full }, unsettled],
  ['unsettled descending, some rows: no answer', { ...desc, boundMs: 901, throughMs: 900, rows: some }, unsettled],
  ['unsettled descending, nothing: no answer', { ...desc, boundMs: 901, throughMs: 900, rows: none }, unsettled],
  // Another instance was further already.
  [
    'a watermark behind the cursor',
    { ...asc, after: end(950), boundMs: 900, throughMs: 900, rows: none },
    page(null, end(950)),
  ],
  [
    "a cursor inside the bound's own millisecond",
    { ...asc, after: row(900, 'f'), boundMs: 900, throughMs: 900, rows: none },
    page(null, end(900)),
  ],
])('%s', (_, outcome, decision) => {
  expect(decidePage(outcome)).toEqual(decision);
});

test('no page is called the last one while its window is unsettled, and none is empty that says there is more', () => {
  for (const ascending of [true, false])
    for (const rows of [none, some, full])
      for (const boundMs of [899, 900, 901]) {
        const decision = decidePage({ ascending, boundMs, throughMs: 900, after: null, rows });
        if (decision.kind === 'unsettled') continue;
        if (decision.next === null) expect(boundMs).toBeLessThanOrEqual(900);
        else expect(rows.count).toBeGreaterThan(0);
        expect(decision.resume === null).toBe(!ascending);
      }
});
