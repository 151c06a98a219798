import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compress } from '../src/http/compression.ts';
import { negotiateEncoding, negotiateMediaType } from '../src/http/content-negotiation.ts';

test.each([
  [undefined, true],
  ['', true],
  ['*/*', true],
  ['application/*', true],
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['text/html, application/json;q=0.5', true],
  ['text/html, */*;q=0.1', true],
  ['text/html', false],
  ['application/xml', false],
  ['application/json;q=0', false],
  ['application/json;q=0, */*', false],
  ['*/*;q=0', false],
])('the header "Accept: %s" accepts JSON: %s', (header, fine) => {
  expect(negotiateMediaType(header, ['application/json'])).toBe(fine ? 'application/json' : null);
});

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['zstd;q=0, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['*', 'gzip'],
  ['*;q=0', null],
])('the header "Accept-Encoding: %s" selects the coding %s', (header, encoding) => {
  expect(negotiateEncoding(header)).toBe(encoding);
});

test('long bodies decompress to the original, short ones are sent unchanged', async () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ id: n }))));
  const zstd = await compress(body, 'zstd');
  const gzip = await compress(body, 'gzip');
  expect(zstdDecompressSync(zstd.body as Buffer)).toEqual(body);
  expect(gunzipSync(gzip.body as Buffer)).toEqual(body);
  expect(await compress(body, undefined)).toEqual({ body, encoding: null });
  expect(await compress('{}', 'gzip')).toEqual({ body: '{}', encoding: null });
});

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['text/*', 'text/csv'],
  ['text/csv, application/json', 'application/json'],
  ['text/csv, application/json;q=0.9', 'text/csv'],
  ['text/csv;q=0', null],
  ['text/csv;q=0, */*;q=0.1', 'application/json'],
  ['application/json;q=0, */*', 'text/csv'],
  ['image/png', null],
])('the header "Accept: %s" selects %s of JSON and CSV', (header, type) => {
  expect(negotiateMediaType(header, ['application/json', 'text/csv'])).toBe(type);
});
