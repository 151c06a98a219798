import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesWith } from '../web/screens/playground/find.ts';
import { type Indexed, indexed } from '../web/screens/playground/indexed.ts';
import { cellOf, childrenOf, memberOf, nameOf, rawOf } from '../web/screens/playground/members.ts';
import { visible } from '../web/screens/playground/visible.ts';

const shown = ({ text, starts, values, ends, depths }: Indexed, line: number): string => {
  const name = text.slice(starts[line], values[line]).trimEnd();
  return '  '.repeat(depths[line] ?? 0) + (name === '' ? '' : `${name} `) + text.slice(values[line], ends[line]);
};
const linesOf = (document: Indexed): string[] =>
  Array.from({ length: document.count }, (_, line) => shown(document, line));

test('a document comes out in the lines that it is usually printed in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(linesOf(await indexed(JSON.stringify(value)))).toEqual(JSON.stringify(value, null, 2).split('\n'));
    }),
  );
});

test('members are found by name, with their values as they came', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
      const document = await indexed(JSON.stringify(value));
      expect([...childrenOf(document, 0)].map((line) => nameOf(document, line))).toEqual(Object.keys(value));
      for (const [name, member] of Object.entries(value))
        expect(rawOf(document, memberOf(document, 0, name))).toBe(JSON.stringify(member));
    }),
  );
});

test('numbers keep their digits, in whatever they stand', async () => {
  const document = await indexed('{"data":[{"rawData":{"n":[12345678901234567890,1.10,1e400]}}]}');
  expect(linesOf(document).map((line) => line.trim())).toContain('12345678901234567890,');
  const row = [...childrenOf(document, memberOf(document, 0, 'data'))][0] ?? -1;
  expect(cellOf(document, memberOf(document, row, 'rawData'))).toBe('{"n":[12345678901234567890,1.10,1e400]}');
});

test('what is no JSON has lines too, and no end that is missed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', ' ', 'a', '1') }),
      async (text) => {
        const document = await indexed(text);
        for (let line = 0; line < document.count; line += 1)
          expect([...childrenOf(document, line)].length).toBeLessThan(1e6);
      },
    ),
  );
});

test('a long document is read in slices, and whoever gives up is heard', async () => {
  const row = { id: 'a'.repeat(36), actorName: 'Mara', numbers: [1, 2, 3], nothing: null };
  const text = JSON.stringify({ data: Array.from({ length: 60_000 }, () => row) });
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 0);
  const { count } = await indexed(text);
  clearInterval(turning);
  expect(count).toBe(60_000 * 10 + 4);
  expect(turns).toBeGreaterThan(1);
  await expect(indexed(text, AbortSignal.abort())).rejects.toThrow();
});

test('it is found on the lines that hold it, whatever its case, and hidden characters by their numbers', async () => {
  const document = await indexed('{"Name":"MARA","other":"mara\u202e","lines":["x","Mara"]}');
  expect(linesWith(document, 'mara')).toEqual([1, 2, 5]);
  expect(linesWith(document, '"name": "mara"')).toEqual([1]);
  expect(linesWith(document, 'mara\\u202e')).toEqual([2]);
  expect(linesWith(document, '[')).toEqual([3]);
  expect(linesWith(document, '')).toEqual([]);
});

test('nothing that acts on other text, or cannot be seen, is left in what is shown', () => {
  expect(visible('a\u202eb\u0000c\u00add\u{e0041}e')).toBe('a\\u202eb\\u0000c\\u00add\\udb40\\udc41e');
  expect(visible('Zażółć 日本 ✔\ufe0f')).toBe('Zażółć 日本 ✔\ufe0f');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b]/u);
    }),
  );
});
