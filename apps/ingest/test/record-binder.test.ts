import { expect, test } from 'vitest';
import { createRecordBinder } from '../src/binding/record-binder.ts';
import { encodeHeaders, listHeaders } from '../src/kafka/record-headers.ts';

const headers = (pairs: readonly (readonly [string, string])[]) =>
  listHeaders(encodeHeaders(pairs)).map(([name, value]) => [name, value?.toString('utf8')]);

test('headers are encoded as the log has them, also long, empty and non-ASCII ones', () => {
  const pairs = [
    ['a', ''],
    ['długa', 'ż'.repeat(20_000)],
    ['x'.repeat(63), 'y'.repeat(64)],
    ['', 'z'],
  ] as const;
  expect(headers(pairs)).toEqual(pairs);
  expect(headers([])).toEqual([]);
});

const tenantId = '00000000-0000-4000-8000-000000000001';
const binding = {
  id: 'b',
  cluster: 'main',
  topic: 't',
  tenantId,
  tenantPath: null,
  isRemoved: false,
  isElsewhere: false,
};
const record = {
  offset: 7n,
  producedAtMs: Date.UTC(2026, 10, 1),
  key: Buffer.from('k'),
  value: Buffer.from('{}'),
  headers: encodeHeaders([['ce_tenantid', 'another']]),
};

test('a record gets the envelope of its binding and retains what arrived', () => {
  const bound = createRecordBinder({ ...binding, format: 'okta.system-log' })(record);
  expect(bound).toMatchObject({ offset: 7n, key: null, value: record.value });
  expect(Object.fromEntries(listHeaders(bound.headers).map(([name, value]) => [name, String(value)]))).toEqual({
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_type: 'tenantscope.raw.okta-system-log.v1',
    ce_tenantid: tenantId,
  });
  expect(bound.bound).toEqual({ bindingId: 'b', key: record.key, headers: record.headers });
});

test('an object of a directory has the time of its message', () => {
  const bind = createRecordBinder({ ...binding, format: 'graph.user' });
  const timeOf = (producedAtMs: number | null) =>
    new Map(listHeaders(bind({ ...record, producedAtMs }).headers)).get('ce_time')?.toString();
  expect(timeOf(record.producedAtMs)).toBe('2026-11-01T00:00:00.000Z');
  expect(timeOf(null)).toBeUndefined();
});
