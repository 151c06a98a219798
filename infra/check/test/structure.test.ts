import { expect, test } from 'vitest';
import {
  checkCircles,
  checkDocumentReferences,
  checkFunctionLength,
  checkTables,
  checkTestTitles,
  collectNames,
  parse,
} from '../src/index.ts';

const files = (sources: Record<string, string>) => Object.entries(sources).map(([path, text]) => parse({ path, text }));

test.each([
  ['static', `import { b } from './b.ts';`],
  ['type-only', `import type { B } from './b.ts';`],
  ['dynamic', `const load = () => import('./b.ts');`],
  ['re-exporting', `export { b } from './b.ts';`],
])('a circle closed by a %s import is found', (_, source) => {
  const circles = checkCircles(
    files({ 'a/a.ts': source, 'a/b.ts': `import '../c.ts';`, 'c.ts': `import './a/a.ts';` }),
  );
  expect(circles).toEqual([{ path: 'a/a.ts', line: 1, message: 'import circle: a/a.ts ↔ a/b.ts ↔ c.ts' }]);
});

test('files that import each other in one direction form no circle', () => {
  expect(
    checkCircles(files({ 'a.ts': `import './b.ts'; import './c.ts';`, 'b.ts': `import './c.ts';`, 'c.ts': '' })),
  ).toEqual([]);
});

test('a function of 101 lines is found, one of 100 and a group of tests are not', () => {
  const lines = (count: number) => '\n'.repeat(count - 1);
  const [file] = files({
    'a.ts': `const a = () => {${lines(101)}};\nfunction b() {${lines(100)}}\ndescribe.each([1])('c', () => {${lines(300)}});`,
  });
  expect(file && checkFunctionLength(file)).toEqual([
    { path: 'a.ts', line: 1, message: 'a function of 101 lines; at most 100' },
  ]);
});

test('paths, links, identifiers and tests that exist nowhere are found in documents', () => {
  const names = collectNames(
    [
      { path: 'apps/api/src/a.ts', text: 'const readPage = 1' },
      { path: 'test/a.test.ts', text: "test('a page has rows', () => {})" },
    ],
    ['apps/api/src/a.ts', 'test/a.test.ts', 'LICENSE'],
  );
  const document = {
    path: 'docs/a.md',
    text: [
      '`readPage` in `apps/api/src/a.ts`, also `a.ts` and [the license](../LICENSE), `npm test` and [a site](https://example.org)',
      '`readRow` in `apps/api/src/b.ts`, [gone](b.md)',
      '`test/a.test.ts` "a page has rows", `test/a.test.ts` "a page has columns"',
    ].join('\n'),
  };
  expect(checkDocumentReferences(document, names).map(({ line, message }) => [line, message])).toEqual([
    [2, 'broken link: b.md'],
    [2, 'no such identifier: readRow'],
    [2, 'no such file: apps/api/src/b.ts'],
    [3, 'no such test in test/a.test.ts: a page has columns'],
  ]);
});

test('a row of a table with a cell too few or too many is found, a pipe in code or escaped is not', () => {
  const text = ['| a | b |', '|---|---|', '| `x \\| y` | 2 |', '| 1 |', '', '```', '| 1 |', '| 1 | 2 |', '```'].join(
    '\n',
  );
  expect(checkTables({ path: 'a.md', text })).toEqual([
    { path: 'a.md', line: 4, message: 'a row of 1 cells in a table of 2' },
  ]);
});

test('a title of a test that consists of placeholders alone is found, one with a text or of a group is not', () => {
  const [file] = files({
    'a.test.ts': `test.each([1])('%s', () => {});
      it.skipIf(true).each([1])('$name: %.5s', () => {});
      test.each(['1', '{}'])('is refused: %s', () => {});
      describe.each([1])('%s', () => {});
      expect(format('%s')).toBe('1');`,
  });
  expect(file && checkTestTitles(file)).toEqual([
    { path: 'a.test.ts', line: 1, message: 'test title: "%s" is not a sentence' },
    { path: 'a.test.ts', line: 2, message: 'test title: "$name: %.5s" is not a sentence' },
  ]);
});
