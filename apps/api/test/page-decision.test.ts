import type { PagePosition, RowPosition } from '@tenantscope/store/read';
import { expect, test } from 'vitest';
import { decidePage, type PageDecision, type PageResult, resolveUpperBound } from '../src/records/page-decision.ts';

const now = 1_000_000;
const settled = now - 100;
const watermark = { throughMs: settled, databaseNowMs: now };

test.each([
  ['that is missing is set to the watermark', null, true, settled],
  ['that is missing on resumption is set to the watermark', null, false, settled],
  ['in the past is used unchanged', settled - 500, true, settled - 500],
  ['at the watermark is used unchanged', settled, true, settled],
  ['just after the watermark is used unchanged', settled + 1, true, settled + 1],
  ['60 s ahead is used unchanged', now + 60_000, true, now + 60_000],
  ['further ahead is set to the watermark', now + 60_001, true, settled],
  ['of an earlier page is used unchanged', now + 60_001, false, now + 60_001],
])('an upper bound %s', (_, toMs, firstPage, bound) => {
  expect(resolveUpperBound({ toMs, firstPage }, watermark)).toBe(bound);
});

const row = (atMs: number, id = 'a'): RowPosition => ({ atMs, id });
const empty = { count: 0, hasMore: false, last: null };
const some = { count: 2, hasMore: false, last: row(500) };
const full = { count: 2, hasMore: true, last: row(500) };
const end = (atMs: number): PagePosition => ({ atMs, id: null });
const page = (next: PagePosition | null, resume: PagePosition | null): PageDecision => ({ kind: 'page', next, resume });
const unsettled: PageDecision = { kind: 'unsettled' };

const asc = { ascending: true, after: null };
const desc = { ascending: false, after: null };

test.each<[string, PageResult, PageDecision]>([
  // The window is settled.
  ['ascending, a full page', { ...asc, boundMs: 900, throughMs: 900, rows: full }, page(row(500), row(500))],
  ['ascending, the last page', { ...asc, boundMs: 900, throughMs: 950, rows: some }, page(null, end(900))],
  ['ascending, nothing', { ...asc, boundMs: 900, throughMs: 950, rows: empty }, page(null, end(900))],
  ['descending, a full page', { ...desc, boundMs: 900, throughMs: 900, rows: full }, page(row(500), null)],
  ['descending, the last page', { ...desc, boundMs: 900, throughMs: 950, rows: some }, page(null, null)],
  ['descending, nothing', { ...desc, boundMs: 900, throughMs: 950, rows: empty }, page(null, null)],
  // The window reaches beyond the watermark.
  ['unsettled, a full page', { ...asc, boundMs: 901, throughMs: 900, rows: full }, page(row(500), row(500))],
  [
    'unsettled, some rows: there is more',
    { ...asc, boundMs: 901, throughMs: 900, rows: some },
    page(end(900), end(900)),
  ],
  ['unsettled, nothing: no response', { ...asc, boundMs: 901, throughMs: 900, rows: empty }, unsettled],
  ['unsettled descending, a full page: no response', { ...desc, boundMs: 901, throughMs: 900, rows: full }, unsettled],
  ['unsettled descending, some rows: no response', { ...desc, boundMs: 901, throughMs: 900, rows: some }, unsettled],
  ['unsettled descending, nothing: no response', { ...desc, boundMs: 901, throughMs: 900, rows: empty }, unsettled],
  // Another instance was further already.
  [
    'a watermark behind the cursor',
    { ...asc, after: end(950), boundMs: 900, throughMs: 900, rows: empty },
    page(null, end(950)),
  ],
  [
    "a cursor inside the bound's own millisecond",
    { ...asc, after: row(900, 'f'), boundMs: 900, throughMs: 900, rows: empty },
    page(null, end(900)),
  ],
])('the page decision is correct: %s', (_, outcome, decision) => {
  expect(decidePage(outcome)).toEqual(decision);
});

test('no page is the last one while its window is unsettled, and no page with hasMore is empty', () => {
  for (const ascending of [true, false])
    for (const rows of [empty, some, full])
      for (const boundMs of [899, 900, 901]) {
        const decision = decidePage({ ascending, boundMs, throughMs: 900, after: null, rows });
        if (decision.kind === 'unsettled') continue;
        if (decision.next === null) expect(boundMs).toBeLessThanOrEqual(900);
        else expect(rows.count).toBeGreaterThan(0);
        expect(decision.resume === null).toBe(!ascending);
      }
});
