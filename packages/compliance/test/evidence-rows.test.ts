import { canonical, type JsonObject } from '@tenantscope/proof';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf, positionOf } from '../src/evidence/section.ts';
import { toldCount, toldText, toldTime, toldValue, toldWord } from '../src/evidence/told-value.ts';

test('whatever was told becomes a value that a pack may hold', () => {
  expect(toldValue({ big: 2 ** 60, gone: undefined, list: [Number.NaN, 'a\ud83d'], deep: { no: null } })).toEqual({
    big: '1152921504606847000',
    gone: null,
    list: ['NaN', 'a\ufffd'],
    deep: { no: null },
  });
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (told) => {
      expect(() => canonical(toldValue(told))).not.toThrow();
    }),
  );
});

test('values of a closed list, counts and times that are none are not shown as one', () => {
  expect(toldWord('high', ['low', 'high'], null)).toBe('high');
  expect([toldWord('High', ['low', 'high'], null), toldWord(1, ['low'], 'low')]).toEqual([null, 'low']);
  expect([toldCount(3), toldCount(3.5), toldCount('3'), toldCount(2 ** 53)]).toEqual([3, null, null, null]);
  expect([toldText('a'), toldText(1)]).toEqual(['a', null]);
  expect([toldTime('2026-01-02T03:04:05+02:00'), toldTime(0), toldTime('soon'), toldTime(8.64e15 + 1)]).toEqual([
    '2026-01-02T01:04:05.000Z',
    '1970-01-01T00:00:00.000Z',
    null,
    null,
  ]);
});

const rows: readonly JsonObject[] = [
  { name: 'b', subject: { id: 1 }, count: 2 },
  { name: 'a', subject: { id: 10 }, count: null },
  { name: 'a', subject: { id: 9 }, count: 2 },
  { name: null, subject: { id: 3 }, count: 5 },
  // After the other in UTF-16, before it by bytes.
  { name: '\uff01', subject: { id: 4 }, count: 2 },
  { name: '\u{1f916}', subject: { id: 5 }, count: 2 },
];

const ids = (found: readonly JsonObject[]) => found.map((row) => positionOf(row, 'subject.id')[0]);

test('text sorts by bytes, numbers by value, nulls come last in either direction', () => {
  const all = { after: null, limit: 10 };
  expect(ids(pageOf(rows, 'name, subject.id', all).rows)).toEqual([9, 10, 1, 4, 5, 3]);
  expect(ids(pageOf(rows, 'count desc, subject.id', all).rows)).toEqual([3, 1, 4, 5, 9, 10]);
});

test('pages of any size joined are the whole, and each counts what is left', () => {
  for (const orderBy of ['name, subject.id', 'count desc, subject.id'])
    for (const limit of [1, 2, 4]) {
      const joined: JsonObject[] = [];
      for (let page = pageOf(rows, orderBy, { after: null, limit }); ; ) {
        expect(page.totalRowCount).toBe(rows.length - joined.length);
        joined.push(...page.rows);
        const last = joined.at(-1);
        if (joined.length === rows.length || last === undefined) break;
        page = pageOf(rows, orderBy, { after: positionOf(last, orderBy), limit });
      }
      expect(joined).toEqual(pageOf(rows, orderBy, { after: null, limit: 10 }).rows);
    }
});
