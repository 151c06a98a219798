import { describe, expect, test } from 'vitest';
import { computeRetryDelay } from '../src/collection/retry-delay.ts';
import { readErrorText } from '../src/http/error-text.ts';
import { parseJsonPage } from '../src/http/json-page.ts';
import { readNextLink } from '../src/http/next-link.ts';
import { readClockAheadMs, readWaitMs } from '../src/http/response-wait.ts';
import { ProviderFailure } from '../src/provider/provider-failure.ts';

const nowMs = Date.UTC(2026, 10, 20, 8);
const nowSeconds = nowMs / 1_000;

describe('the time that a response requests to wait', () => {
  test.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 08:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 07:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '99999999999' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'x-rate-limit-reset': String(nowSeconds + 12) }, 12_000],
    [{ 'x-rate-limit-reset': '12' }, null],
    [{ 'x-rate-limit-reset': String(nowSeconds - 12) }, 0],
    [{ 'retry-after': '3', 'x-rate-limit-reset': String(nowSeconds + 12) }, 12_000],
    // The provider's clock is an hour ahead.
    [{ date: 'Fri, 20 Nov 2026 09:00:00 GMT', 'x-rate-limit-reset': String(nowSeconds + 3_612) }, 12_000],
  ])('of the headers %j is %s ms', (headers, expected) => {
    expect(readWaitMs(new Headers(headers), nowMs, true)).toBe(expected);
  });

  test('does not follow from the reset of a limit that is not used up', () => {
    const headers = new Headers({ 'x-rate-limit-reset': String(nowSeconds + 12) });
    expect(readWaitMs(headers, nowMs, false)).toBeNull();
  });
});

test.each<[string | undefined, number, number | null]>([
  [undefined, 0, null],
  ['soon', 0, null],
  ['Fri, 20 Nov 2026 08:00:00 GMT', 0, 0],
  ['Fri, 20 Nov 2026 08:00:20 GMT', 60_000, 0],
  ['Fri, 20 Nov 2026 08:00:59 GMT', 0, 0],
  ['Fri, 20 Nov 2026 07:59:01 GMT', 0, 0],
  ['Fri, 20 Nov 2026 08:01:00 GMT', 0, 60_000],
  ['Fri, 20 Nov 2026 10:00:00 GMT', 500, 7_199_500],
  ['Thu, 19 Nov 2026 08:00:00 GMT', 500, -86_399_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0, null],
])('the date %s of a response after %s ms proves a difference of clocks of %s ms', (date, tookMs, expected) => {
  const headers = new Headers(date === undefined ? {} : { date });
  expect(readClockAheadMs(headers, nowMs, nowMs + tookMs)).toBe(expected);
});

describe('the delay of a repeated run', () => {
  test('doubles from 2 s to 15 min, and a random half of it is waited', () => {
    const delays = (random: number) =>
      [0, 1, 2, 9, 1_000].map((failures) => computeRetryDelay({ waitMs: null }, failures, random));
    expect(delays(1)).toEqual([2_000, 4_000, 8_000, 900_000, 900_000]);
    expect(delays(0)).toEqual([1_000, 2_000, 4_000, 450_000, 450_000]);
  });

  test.each([
    [0, 0, 100],
    [5_000, 0, 5_100],
    [5_000, 1, 6_100],
    [60_000, 1, 66_100],
    [-5_000, 0, 100],
    [1e15, 0, 3_600_100],
    [Number.NaN, 0, 1_000],
  ])('of a requested wait of %s ms with the random number %s is %s ms', (waitMs, random, expected) => {
    expect(computeRetryDelay({ waitMs }, 0, random)).toBe(expected);
  });

  test.each([
    [0, 1, 4_000],
    [0, 9, 900_000],
    [60_000, 3, 66_100],
  ])(
    'of a requested wait of %s ms after %s failures in a row is at least the doubled one: %s ms',
    (waitMs, failures, expected) => {
      expect(computeRetryDelay({ waitMs }, failures, 1)).toBe(expected);
    },
  );
});

describe('the link to the next page', () => {
  const url = 'https://example.okta.com';
  test.each<[string | null, string | null]>([
    [null, null],
    ['', null],
    ['<https://example.okta.com/api/v1/logs?after=1>; rel="self"', null],
    ['<https://example.okta.com/a>; rel="self", <https://example.okta.com/b?after=1,2>; rel="next"', '/b?after=1,2'],
    ['<https://example.okta.com/b>; rel=next', '/b'],
    ['<https://example.okta.com/b>;title="a, <b>; c";rel="last next"', '/b'],
    ['<https://example.okta.com/b>; rel="nextpage"', null],
    ['</b?after=1>; rel="next"', '/b?after=1'],
    ['no link', null],
  ])('of %j is %j', (header, expected) => {
    expect(readNextLink(header, url)).toBe(expected);
  });

  test.each([
    '<https://evil.example.com/b>',
    '<http://example.okta.com/b>',
    '<//evil.example.com/b>',
    '<https://example.okta.com:8443/b>',
    '<https://example.okta.com//evil.example.com/b>',
    '</\\evil.example.com/b>',
    '<https://example.okta.com/.//evil.example.com/b>',
    '<http://[>',
  ])('%s is refused, since the credentials would go along', (target) => {
    expect(() => readNextLink(`${target}; rel="next"`, url)).toThrow(ProviderFailure);
  });
});

describe('a page', () => {
  const parse = (text: string, member: string | null = null) => {
    const { records, values } = parseJsonPage(Buffer.from(text), member, 'host');
    return [records.map(String), values.length];
  };
  test('has the unchanged text of its records', () => {
    expect(parse(' [ {"a": 1.0e400 , "a":"\\u0000]"} ,\n[1], 12345678901234567890 ] ')).toEqual([
      ['{"a": 1.0e400 , "a":"\\u0000]"}', '[1]', '12345678901234567890'],
      3,
    ]);
    expect(parse('{"next":"]","value":[{"b":[]},{}]}', 'value')).toEqual([['{"b":[]}', '{}'], 2]);
    expect(parse('[]')).toEqual([[], 0]);
    const { records } = parseJsonPage(Buffer.from('{"kind":"empty"}'), 'items', 'host', ({ kind }) => kind === 'empty');
    expect(records).toEqual([]);
  });

  test.each<[string, string | null]>([
    ['', null],
    ['[{"a":1}', null],
    ['{"errorCode":"E"}', null],
    ['null', null],
    ['{"value":{}}', 'value'],
    ['{"value":null}', 'value'],
    ['{"error":{"code":"UnknownError","message":"The service is busy."}}', 'value'],
    ['{}', 'value'],
    ['[]', 'value'],
  ])('that is %j is a failure', (text, member) => {
    expect(() => parse(text, member)).toThrow(ProviderFailure);
  });
});

test.each(['null', '"maintenance"', '0', '[]'])('a page that is %s has no list, and is not empty', (text) => {
  expect(() => parseJsonPage(Buffer.from(text), 'items', 'host', () => true)).toThrow(ProviderFailure);
});

describe('a page that would take too much memory is a failure', () => {
  test.each([
    ['records', `[${'{},'.repeat(100_000)}{}]`],
    ['values', `[{"list":[${'0,'.repeat(3_000_000)}0]}]`],
    ['values', `${'['.repeat(3_500_000)}${']'.repeat(3_500_000)}`],
  ])('of too many %s', (what, text) => {
    expect(() => parseJsonPage(Buffer.from(text), null, 'host')).toThrow(
      expect.objectContaining({ kind: 'tooLarge', message: expect.stringContaining(what) }),
    );
  });

  test('but not one of long texts', () => {
    const { records } = parseJsonPage(
      Buffer.from(`["${','.repeat(2_000_000)}${'x'.repeat(5_000_000)}"]`),
      null,
      'host',
    );
    expect(records).toHaveLength(1);
  });
});

test('an error that is not short has no text', () => {
  expect(readErrorText(Buffer.from(`{"error":"e","list":[${'0,'.repeat(40_000)}0]}`))).toBeNull();
});

test.each<[string, string | null]>([
  ['{"errorCode":"E0000011","errorSummary":"Invalid token"}', 'Invalid token'],
  ['{"error":{"code":"InvalidAuthenticationToken","message":"expired"}}', 'expired'],
  ['{"error":"invalid_client","error_description":"AADSTS7000215\\r\\n\\u202eTrace"}', 'AADSTS7000215 Trace'],
  ['{"error":"invalid_grant"}', 'invalid_grant'],
  [`{"errorSummary":"${'x'.repeat(1_000)}"}`, 'x'.repeat(200)],
  ['{"errorSummary":{}}', null],
  ['<html>', null],
  ['null', null],
])('the text of the error %j is %j', (body, expected) => {
  expect(readErrorText(Buffer.from(body))).toBe(expected);
});
