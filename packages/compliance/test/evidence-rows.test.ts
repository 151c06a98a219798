import { canonicalize, type JsonObject } from '@tenantscope/proof';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paginateRows, toPosition } from '../src/evidence/section-reader.ts';
import { toCount, toEnumValue, toIsoTime, toJsonValue, toText } from '../src/evidence/values/reported-value.ts';

test('every reported value becomes a value that is valid in a pack', () => {
  expect(toJsonValue({ big: 2 ** 60, gone: undefined, list: [Number.NaN, 'a\ud83d'], deep: { no: null } })).toEqual({
    big: '1152921504606847000',
    gone: null,
    list: ['NaN', 'a\ufffd'],
    deep: { no: null },
  });
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (reported) => {
      expect(() => canonicalize(toJsonValue(reported))).not.toThrow();
    }),
  );
});

test('invalid enum values, counts and times are replaced', () => {
  expect(toEnumValue('high', ['low', 'high'], null)).toBe('high');
  expect([toEnumValue('High', ['low', 'high'], null), toEnumValue(1, ['low'], 'low')]).toEqual([null, 'low']);
  expect([toCount(3), toCount(3.5), toCount('3'), toCount(2 ** 53)]).toEqual([3, null, null, null]);
  expect([toText('a'), toText(1)]).toEqual(['a', null]);
  expect([toIsoTime('2026-01-02T03:04:05+02:00'), toIsoTime(0), toIsoTime('soon'), toIsoTime(8.64e15 + 1)]).toEqual([
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

const ids = (found: readonly JsonObject[]) => found.map((row) => toPosition(row, 'subject.id')[0]);

test('text sorts by bytes, numbers sort by value, and nulls come last in both directions', () => {
  const all = { after: null, limit: 10 };
  expect(ids(paginateRows(rows, 'name, subject.id', all).rows)).toEqual([9, 10, 1, 4, 5, 3]);
  expect(ids(paginateRows(rows, 'count desc, subject.id', all).rows)).toEqual([3, 1, 4, 5, 9, 10]);
});

test('pages of any size give all rows together, and each counts the remaining rows', () => {
  for (const orderBy of ['name, subject.id', 'count desc, subject.id'])
    for (const limit of [1, 2, 4]) {
      const joined: JsonObject[] = [];
      for (let page = paginateRows(rows, orderBy, { after: null, limit }); ; ) {
        expect(page.totalRowCount).toBe(rows.length - joined.length);
        joined.push(...page.rows);
        const last = joined.at(-1);
        if (joined.length === rows.length || last === undefined) break;
        page = paginateRows(rows, orderBy, { after: toPosition(last, orderBy), limit });
      }
      expect(joined).toEqual(paginateRows(rows, orderBy, { after: null, limit: 10 }).rows);
    }
});
