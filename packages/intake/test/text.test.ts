import { formatLogRow } from '@tenantscope/intake';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeVisible, mayHideText, truncateText } from '../src/field/text.ts';
import { management, readDocument, readRow } from './message.ts';

test.each([
  ['NUL', 'a\u0000b', 'a\\u{0}b'],
  ['carriage return', 'a\rb', 'a\\u{D}b'],
  ['escape', '\u001b[31m', '\\u{1B}[31m'],
  ['delete', '\u007f', '\\u{7F}'],
  ['C1', '\u0085\u009f', '\\u{85}\\u{9F}'],
  ['right-to-left override', 'invoice\u202Efdp.exe', 'invoice\\u{202E}fdp.exe'],
  ['isolates', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
  ['marks of direction', '\u200e\u200f\u061c', '\\u{200E}\\u{200F}\\u{61C}'],
  ['zero-width', 'pay\u200bpal\u200c\u200d\u2060\ufeff', 'pay\\u{200B}pal\\u{200C}\\u{200D}\\u{2060}\\u{FEFF}'],
  ['tag characters', '\u{e0041}\u{e007f}', '\\u{E0041}\\u{E007F}'],
  ['unpaired surrogates', '\ud800x\udc00', '\\u{D800}x\\u{DC00}'],
  ['surrogates in reversed order', '\udc00\ud800', '\\u{DC00}\\u{D800}'],
])('%s become visible', (_name, text, visible) => {
  expect(makeVisible(text)).toBe(visible);
  expect(mayHideText(JSON.stringify(text))).toBe(true);
  const row = readRow('o365.management-activity', management({ SourceFileName: text, Operation: text }));
  const shown = JSON.parse(formatLogRow(row)) as Record<string, unknown>;
  expect(shown).toMatchObject({ action: makeVisible(text.trim()) });
  expect(row.columns.action).toBe(makeVisible(text.trim()).toLowerCase());
});

test.each(['tab\tand\nnewline', 'Ünïcödé – (brackets) 日本語', '👍🏽 emoji', 'C:\\users\\ada', '❤️'])(
  '%s is unchanged',
  (text) => {
    expect(makeVisible(text)).toBe(text);
  },
);

test('a document has no invisible characters, whatever the record contains', { tags: 'exhaustive' }, () => {
  const anyText = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(anyText, anyText, (name, user) => {
      const document = formatLogRow(
        readRow('o365.management-activity', management({ SourceFileName: name, UserId: user })),
      );
      const fields = JSON.parse(document) as Record<string, unknown>;
      for (const text of Object.values(fields)) if (typeof text === 'string') expect(makeVisible(text)).toBe(text);
      expect(document.isWellFormed()).toBe(true);
    }),
  );
});

test('the check of the whole document has no false negatives', { tags: 'exhaustive' }, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      if (makeVisible(text) !== text) expect(mayHideText(JSON.stringify({ text }))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('long texts end in an ellipsis and never in half a surrogate pair', () => {
  expect(truncateText('abcd', 4)).toBe('abcd');
  expect(truncateText('abcde', 4)).toBe('abc…');
  expect(truncateText('ab👍cd', 4)).toBe('ab…');
  const { SourceFileName, Operation } = { SourceFileName: 'n'.repeat(20_000), Operation: 'o'.repeat(20_000) };
  const row = readDocument('o365.management-activity', management({ SourceFileName, Operation, ItemType: 'File' }));
  expect((row.resourceName as string).length).toBe(8192);
  expect((row.description as string).length).toBe(8192);
  expect((row.action as string).length).toBe(800);
});
