import { expect, test } from 'vitest';
import { en } from '../web/labels/en.ts';
import { pl } from '../web/labels/pl.ts';

test('labels with a count have the singular for one', () => {
  const { audit, deadLetters, feeds, keys, newKey, playground } = en;
  expect([
    audit.chainSize(1, 'today'),
    deadLetters.bytes(1, 'UTF-8'),
    feeds.otherRows(1),
    feeds.otherTenants(1),
    keys.dayUsage('2026-11-30', 1),
    newKey.longest(1),
    playground.moreCharacters(1),
    playground.lines(1),
  ]).toEqual([
    '1 event of the organization, latest today; not verified yet',
    '1 byte, UTF-8',
    '1 further row is not listed. Select a tenant to see its own.',
    '1 further tenant is not listed. Select a tenant to see its sources.',
    '2026-11-30: 1 request',
    'Your organization allows at most 1 day.',
    ' … 1 more character',
    '1 line',
  ]);
});

test.each([
  [1, '1 wiersz'],
  [2, '2 wiersze'],
  [5, '5 wierszy'],
  [12, '12 wierszy'],
  [22, '22 wiersze'],
  [21, '21 wierszy'],
])('Polish labels have the plural of %d', (count, expected) => {
  expect(pl.playground.rows(count)).toBe(expected);
});
