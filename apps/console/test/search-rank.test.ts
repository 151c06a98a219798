import { expect, test } from 'vitest';
import { rankMatches } from '../web/frame/palette/search-rank.ts';

const entries = [
  { label: 'API keys' },
  { label: 'Playground' },
  { label: 'GET /policy-scans', hint: 'list_policy_scans · Policy scans' },
  { label: 'GET /detections/{id}', hint: 'get_detection · One detection' },
  { label: 'Zażółć Gęślą Sp. z o.o.', hint: '0f3c8a55-1d2e-4c1b-9a53-2f6f5a0c7e11' },
  { label: 'Splunk bridge', hint: 'tscope_live_8fK2aQ9x… · Contoso Ltd' },
  { label: 'New key' },
];
const found = (typed: string) => rankMatches(typed, entries).map(({ label }) => label);

test('an empty query returns every entry in order', () => {
  expect(found('  ')).toEqual(entries.map(({ label }) => label));
});

test.each([
  ['ke', 'API keys'],
  ['new key', 'New key'],
  ['key new', 'New key'],
  ['plgr', 'Playground'],
  ['zazolc gesla', 'Zażółć Gęślą Sp. z o.o.'],
  ['0f3c8a55', 'Zażółć Gęślą Sp. z o.o.'],
  ['8fk2aq9x', 'Splunk bridge'],
  ['tscope_live_8fK2aQ9x', 'Splunk bridge'],
  ['splunk contoso', 'Splunk bridge'],
  ['get detection id', 'GET /detections/{id}'],
  ['list_policy_scans', 'GET /policy-scans'],
])('"%s" finds %s first', (typed, label) => {
  expect(found(typed)[0]).toBe(label);
});

test('an entry must match every term', () => {
  expect(found('splunk fabrikam')).toEqual([]);
  expect(found('xq')).toEqual([]);
});
