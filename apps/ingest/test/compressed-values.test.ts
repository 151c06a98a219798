import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createAppCache } from '../src/activity/app-cache.ts';
import { prepareSlice } from '../src/activity/prepare-slice.ts';
import { createPrincipalCache } from '../src/activity/principal-cache.ts';
import { packRecords } from '../src/kafka/packed-records.ts';
import { encodeHeaders } from '../src/kafka/record-headers.ts';
import { splitByBytes } from '../src/lane/slice-size.ts';

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';
const headers = encodeHeaders([
  ['ce_specversion', '1.0'],
  ['ce_type', 'tenantscope.raw.o365-management-activity.v1'],
  ['ce_tenantid', tenantId],
]);
const mebibyte = 1_048_576;
const text = (number: number): string =>
  JSON.stringify({
    CreationTime: '2026-11-20T08:00:00',
    Id: String(number),
    Operation: 'FileAccessed',
    RecordType: 6,
    UserId: 'anna@example.com',
    Padding: 'x'.repeat(mebibyte - 500),
  });

/** The length at the end of a value of two archives is that of the second alone. */
const inTwoArchives = (number: number): Buffer =>
  Buffer.concat([gzipSync(text(number).slice(0, -1)), gzipSync(text(number).slice(-1))]);
const inBase64 = (number: number): Buffer =>
  Buffer.from(JSON.stringify({ data: gzipSync(text(number)).toString('base64') }));

const prepare = (values: readonly Buffer[]) => {
  const records = values.map((value, at) => ({ offset: BigInt(at), producedAtMs: null, key: null, headers, value }));
  const tenants = new Map([[tenantId, { azureTenantId: null }]]);
  const caches = { apps: createAppCache(), principals: createPrincipalCache() };
  return prepareSlice(packRecords(records), tenants, caches, { maxRecordBytes: mebibyte }, Date.now());
};
const list = <Value>(length: number, create: (number: number) => Value): Value[] =>
  Array.from({ length }, (_, number) => create(number));

test('records are split by the length of their decompressed values', () => {
  const lengths = (values: readonly (Buffer | null)[]) =>
    splitByBytes(values.map((value) => ({ value }))).map((slice) => slice.length);
  expect(lengths([])).toEqual([0]);
  expect(lengths(list(5_000, () => null))).toEqual([2_000, 2_000, 1_000]);
  expect(lengths(list(10, () => Buffer.alloc(mebibyte)))).toEqual([4, 4, 2]);
  expect(lengths(list(10, () => gzipSync(Buffer.alloc(mebibyte))))).toEqual([4, 4, 2]);
  expect(lengths(list(10, () => Buffer.of(0x1f, 0x8b)))).toEqual([10]);
});

test.each([
  ['archives in a row', inTwoArchives],
  ['an archive in base64', inBase64],
])('a slice whose values contain too much in %s is not prepared', (_, create) => {
  const few = prepare(list(10, create));
  expect([few.isTooLarge, few.rows.ordinals.length, few.rejected]).toEqual([false, 10, []]);
  const many = prepare(list(40, create));
  expect([many.isTooLarge, many.rows.ordinals.length, many.outcomes.length]).toEqual([true, 0, 0]);
});

test('a slice whose values have more elements than a transaction may write is not prepared', () => {
  const elements = () => Buffer.from(`[${list(10_000, () => '{}').join(',')}]`);
  const few = prepare(list(2, elements));
  expect([few.isTooLarge, few.rejected.length]).toEqual([false, 20_000]);
  const many = prepare(list(140, elements));
  expect([many.isTooLarge, many.rejected.length]).toEqual([true, 0]);
});
