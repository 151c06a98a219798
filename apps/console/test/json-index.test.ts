// @module-tag exhaustive
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeInvisible } from '../api/escape-invisible.ts';
import { indexJson, type JsonIndex } from '../web/screens/playground/json/json-index.ts';
import { cellText, children, findMember, memberName, rawValue } from '../web/screens/playground/json/json-members.ts';
import { searchLines } from '../web/screens/playground/json/search-lines.ts';

const shown = ({ text, starts, values, ends, depths }: JsonIndex, line: number): string => {
  const name = text.slice(starts[line], values[line]).trimEnd();
  return '  '.repeat(depths[line] ?? 0) + (name === '' ? '' : `${name} `) + text.slice(values[line], ends[line]);
};
const linesOf = (document: JsonIndex): string[] =>
  Array.from({ length: document.count }, (_, line) => shown(document, line));

test('a document has the lines of JSON.stringify with an indent of two', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(linesOf(await indexJson(JSON.stringify(value)))).toEqual(JSON.stringify(value, null, 2).split('\n'));
    }),
  );
});

test('members are found by name, with their raw values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
      const document = await indexJson(JSON.stringify(value));
      expect([...children(document, 0)].map((line) => memberName(document, line))).toEqual(Object.keys(value));
      for (const [name, member] of Object.entries(value))
        expect(rawValue(document, findMember(document, 0, name))).toBe(JSON.stringify(member));
    }),
  );
});

test('numbers retain every digit at any depth', async () => {
  const document = await indexJson('{"data":[{"rawData":{"n":[12345678901234567890,1.10,1e400]}}]}');
  expect(linesOf(document).map((line) => line.trim())).toContain('12345678901234567890,');
  const row = [...children(document, findMember(document, 0, 'data'))][0] ?? -1;
  expect(cellText(document, findMember(document, row, 'rawData'))).toBe('n: (12345678901234567890, 1.10, 1e400)');
});

test('a cell shows what is in an object or a list, without what is null or empty', async () => {
  const cell = async (value: string, max?: number) => cellText(await indexJson(value), 0, max);
  const targets = [
    { id: 'u-1', name: 'Ada, "the first"', type: 'User' },
    { id: null, name: 'Payroll', type: null },
  ];
  expect(await cell(JSON.stringify(targets))).toBe('name: Ada, "the first", id: u-1, type: User; name: Payroll');
  expect(await cell('{"city":"Łódź","latitude":51.70,"asn":null,"tags":[],"more":{}}')).toBe(
    'city: Łódź, latitude: 51.70',
  );
  expect(await cell('{"a":{"b":true,"c":["x","y"]},"d":0}')).toBe('a: (b: true, c: (x, y)), d: 0');
  expect(await cell('["a","b"]')).toBe('a, b');
  for (const empty of ['{}', '[]', '[ ]', '{"a":null}', '[[],{}]', 'null']) expect(await cell(empty), empty).toBe('');
  // Bounded by the first value that exceeds the limit, not by the size of the object.
  const many = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ name: `n${index}` })));
  expect((await cell(many, 50)).length).toBeLessThan(80);
  expect(await cell(`${'['.repeat(300)}1${']'.repeat(300)}`)).toBe('…');
});

test('invalid JSON is split into a finite number of lines', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', ' ', 'a', '1') }),
      async (text) => {
        const document = await indexJson(text);
        for (let line = 0; line < document.count; line += 1)
          expect([...children(document, line)].length).toBeLessThan(1e6);
      },
    ),
  );
});

test('a long document is indexed in slices and can be aborted', { tags: 'exhaustive' }, async () => {
  const row = { id: 'a'.repeat(36), actorName: 'Mara', numbers: [1, 2, 3], nothing: null };
  const text = JSON.stringify({ data: Array.from({ length: 60_000 }, () => row) });
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 0);
  const { count } = await indexJson(text);
  clearInterval(ticking);
  expect(count).toBe(60_000 * 10 + 4);
  expect(ticks).toBeGreaterThan(1);
  await expect(indexJson(text, AbortSignal.abort())).rejects.toThrow();
});

test('a search finds every matching line, ignoring case, and finds invisible characters by their escape sequence', async () => {
  const document = await indexJson('{"Name":"MARA","other":"mara\u202e","lines":["x","Mara"]}');
  expect(searchLines(document, 'mara')).toEqual([1, 2, 5]);
  expect(searchLines(document, '"name": "mara"')).toEqual([1]);
  expect(searchLines(document, 'mara\\u202e')).toEqual([2]);
  expect(searchLines(document, '[')).toEqual([3]);
  expect(searchLines(document, '')).toEqual([]);
});

test('invisible characters and characters that change other text are escaped', { tags: 'exhaustive' }, () => {
  expect(escapeInvisible('a\u202eb\u0000c\u00add\u{e0041}e')).toBe('a\\u202eb\\u0000c\\u00add\\udb40\\udc41e');
  expect(escapeInvisible('Zażółć 日本 ✔\ufe0f')).toBe('Zażółć 日本 ✔\ufe0f');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeInvisible(text)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b]/u);
    }),
  );
});
