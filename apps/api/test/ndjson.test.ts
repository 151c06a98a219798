import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toNdjson } from '../src/http/ndjson.ts';

const pagination = { nextCursor: null, hasMore: false, limit: 50 };
const list = (rows: readonly string[]) => `{"data":[${rows.join()}],"pagination":${JSON.stringify(pagination)}}`;

test('every row is a line with its own bytes, and the last line is the pagination', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 8 }), (values) => {
      const rows = values.map((value) => JSON.stringify(value));
      const expected = [...rows, JSON.stringify({ pagination })].map((line) => `${line}\n`).join('');
      expect(toNdjson(list(rows)).toString()).toBe(expected);
    }),
    { numRuns: 40 },
  );
});

test('quotes, escapes and brackets in strings do not end a row', () => {
  const rows = ['{"a":"\\\\"}', '{"b":"\\"],[}{,\\\\\\""}', '{"c":["]",{"d":"},{"}]}', '{"e":1.0e5,"f":"ż„"}'];
  expect(
    toNdjson(Buffer.from(list(rows)))
      .toString()
      .split('\n')
      .slice(0, -2),
  ).toEqual(rows);
});

test('line breaks between tokens do not break a row', () => {
  expect(toNdjson(list(['{"a":\r\n1}', '{}'])).toString()).toBe(`{"a":  1}\n{}\n${JSON.stringify({ pagination })}\n`);
});

test('a list without rows is the line of the pagination, and the body of the list is left as it is', () => {
  expect(toNdjson(list([])).toString()).toBe(`${JSON.stringify({ pagination })}\n`);
  const body = Buffer.from(list(['{}', '{}']));
  toNdjson(body);
  expect(body.toString()).toBe(list(['{}', '{}']));
});

test.each(['{"data":{}}', '{"data":[{}', '{"data":[{}]}', '{"data":["'])('%s is not taken for a list', (body) => {
  expect(() => toNdjson(body)).toThrow(TypeError);
});
