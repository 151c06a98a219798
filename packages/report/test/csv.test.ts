import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvCell, writeCsv } from '../src/index.ts';

const write = (...cells: readonly CsvCell[]): string =>
  writeCsv(
    cells.map((_, index) => [`c${index}`, (row: readonly CsvCell[]) => row[index] ?? null]),
    [cells],
  )
    .split('\r\n')
    .slice(1)
    .join('\r\n');

/** A reader of RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [cell, quoted, plain, end] of [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)].map(
    ([all, ...groups]) => [all, ...groups],
  )) {
    expect(cell).toBeDefined();
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

test('cells are quoted where RFC 4180 demands it, and null is empty', () => {
  expect(write('plain', 'a,b', 'say "x"', 'two\nlines', null, '', 1.5, -3, true)).toBe(
    'plain,"a,b","say ""x""","two\nlines",,,1.5,-3,true\r\n',
  );
});

test('without rows there is a header line', () => {
  expect(writeCsv([['a,b', () => null]], [])).toBe('"a,b"\r\n');
});

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  ' =1',
  '\u00a0=1',
  '\ufeff=1',
  '＝1',
  '|cmd',
  '%x',
  '=HYPERLINK("https://evil.example","x")',
  '\0=1',
  '\n=1',
])('the text %j is no formula', (text) => {
  const [[cell = ''] = []] = parse(write(text));
  expect(cell.startsWith("'")).toBe(true);
});

test('any cells are read again as they were, but for the guard and NUL', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
      const [read] = parse(write(...cells));
      expect(read?.map((cell) => cell.replace(/^'/, ''))).toEqual(
        cells.map((cell) => cell.replaceAll('\0', '').replace(/^'/, '')),
      );
    }),
  );
});
