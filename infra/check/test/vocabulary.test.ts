import { describe, expect, test } from 'vitest';
import { checkDocument, checkFileName, checkSql, checkSyntax, parse } from '../src/index.ts';
import { forbiddenTerms } from '../src/vocabulary/forbidden-terms.ts';

const terms = forbiddenTerms.flatMap((row) => row.terms);
const camelCase = (term: string) => term.replace(/ (\w)/g, (_, initial: string) => initial.toUpperCase());
const messages = (path: string, text: string) => checkSyntax(parse({ path, text })).map(({ message }) => message);
const finds = (term: string) => expect.arrayContaining([expect.stringContaining(`"${term}"`)]);

describe.each(terms)('the term "%s" is refused', { tags: 'exhaustive' }, (term) => {
  test.each([
    ['a variable', `const ${camelCase(`my ${term}`)} = 1;`],
    ['a function', `export function ${camelCase(`read ${term}`)}() {}`],
    ['a parameter', `const read = (${camelCase(`the ${term}`)}: string) => 1;`],
    ['a type', `interface ${camelCase(`an ${term}`)} {}`],
    ['a member of a type', `interface Row { ${camelCase(`last ${term}`)}: string }`],
    ['a member of an object', `const row = { ${camelCase(`last ${term}`)}: 1 };`],
    ['a destructured name', `const { id: ${camelCase(`the ${term}`)} } = row;`],
  ])('as %s', (_, source) => {
    expect(messages('apps/api/src/a.ts', source)).toEqual(finds(term));
  });

  test.each([
    ['a log message', `log.info({ id }, 'lane stopped; ${term} it now');`],
    ['a template', `log.info(\`lane \${id} stopped; ${term} it now\`);`],
    ['an error', `throw new Error('the ${term} is wrong');`],
    ['a text of a page', `const a = <p>${term}</p>;`],
    ['an attribute of a page', `const a = <p title="the ${term} of it">x</p>;`],
  ])('in %s', (_, source) => {
    expect(messages('apps/api/src/a.tsx', source)).toEqual(finds(term));
  });

  test('as a label of the console', () => {
    expect(messages('apps/console/web/labels/en/keys.ts', `export const keys = { title: '${term}' };`)).toEqual(
      finds(term),
    );
  });

  test.each(['test', 'it', 'describe', 'test.skipIf(true)', 'test.each([1])'])('in a title of %s', (call) => {
    expect(messages('test/a.test.ts', `${call}('a lane ${term} now', () => {});`)).toEqual(finds(term));
  });

  test('in a file name and in SQL', () => {
    const path = `apps/api/src/${term.replaceAll(' ', '-')}.ts`;
    expect(checkFileName({ path, text: '' }).map(({ message }) => message)).toEqual(finds(term));
    const sql = `create table a (${term.replaceAll(' ', '_')} text);`;
    expect(checkSql({ path: 'migrations/0001_a.sql', text: sql }).map(({ message }) => message)).toEqual(finds(term));
  });
});

test('in comments and documents only the rows marked inProse are refused', () => {
  const prose = forbiddenTerms.filter((row) => row.inProse).flatMap((row) => row.terms);
  for (const term of prose) {
    expect(messages('a.ts', `// a lane ${term} now`)).toEqual(finds(term));
    expect(checkDocument({ path: 'README.md', text: `a lane ${term} now` }).map(({ message }) => message)).toEqual(
      finds(term),
    );
  }
});

test('standard terms, references to names of others and data of tests are accepted', () => {
  const source = `
    import { held } from 'a-library';
    const deadLetterRequest = library.tell('none');
    export const keepAliveMs = 1, state = held ? 'none' : 'told';
    log.warn('dead letter written; HTTP keep-alive ended');`;
  expect(messages('apps/api/src/a.ts', source)).toEqual([]);
  expect(messages('test/a.test.ts', `expect(read('nobody was asked')).toBe(1);`)).toEqual([]);
});

const quotedTexts = ['\u00abrow\u00bb', '\u201crow\u201d', 'a tenant\u2019s row'];
test.each(quotedTexts)('curly quotes are refused, as in case %#', (text) => {
  const message = expect.arrayContaining([expect.stringContaining('curly quotes')]);
  expect(messages('apps/api/src/a.ts', `log.info(\`${text} read\`);`)).toEqual(message);
  expect(checkDocument({ path: 'README.md', text }).map((finding) => finding.message)).toEqual(message);
});
