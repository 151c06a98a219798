import { expect, test } from 'vitest';
import { checkAsvs } from '../src/index.ts';

const tests = new Map([['test/a.test.ts', "test('a key is refused', () => {}); test('a cookie is bound', () => {});"]]);
const documents = [{ path: 'docs/a.md', text: '# A\n\n## Keys\n\n**Cookies.** They are bound.\n' }];
const counted = (met: number, others: readonly string[]) =>
  ['partly', 'not met', 'operator', 'not applicable']
    .map((status) => `| ${status} | x | ${others.filter((one) => one === status).length} |`)
    .concat(`| met | x | ${met} |`);

const check = (rows: readonly string[], counts: readonly string[]) =>
  checkAsvs({ path: 'docs/security/asvs.md', text: [...counts, ...rows].join('\n') }, { tests, documents }).map(
    ({ line, message }) => `${line - counts.length} ${message}`,
  );

test('a met requirement names a test, or a heading or bold subject of a document', () => {
  const rows = [
    '| 1.1.1 | 1 | keys | met | `test/a.test.ts` |',
    '| 1.1.2 | 2 | keys | met | refused: `test/a.test.ts` "a key is refused", "a cookie is bound" |',
    '| 1.1.3 | 2 | keys | met | `docs/a.md`, "Keys"; `docs/a.md`, "Cookies" |',
    '| 1.1.4 | 2 | keys | operator | their decision |',
  ];
  expect(check(rows, counted(3, ['operator']))).toEqual([]);
});

test('a requirement that nothing shows, and a reference to nothing, are found', () => {
  const rows = [
    '| 1.1.1 | 1 | keys | met | they are random, `apps/a.ts` |',
    '| 1.1.2 | 1 | keys | met | `docs/a.md` |',
    '| 1.1.3 | 1 | keys | met | `test/b.test.ts` |',
    '| 1.1.4 | 1 | keys | met | `test/a.test.ts` "a key is refused", "a key is accepted" |',
    '| 1.1.5 | 1 | keys | met | `docs/a.md`, "Secrets" |',
    '| 1.1.6 | 1 | keys | not applicable |  |',
  ];
  expect(check(rows, counted(5, ['not applicable']))).toEqual([
    '1 1.1.1 is met but names no test and no section of a document',
    '2 1.1.2 is met but names no test and no section of a document',
    '3 1.1.3: no such test file: test/b.test.ts',
    '4 1.1.4: no such test in test/a.test.ts: a key is accepted',
    '5 1.1.5: no section "Secrets" in docs/a.md',
    '6 1.1.6 has no reason',
  ]);
});

test('wrong and missing counts, repeated requirements, unknown statuses and rows that cannot be read are found', () => {
  const rows = [
    '| 1.1.1 | 1 | keys | met | `test/a.test.ts` |',
    '| 1.1.1 | 1 | keys | done | `test/a.test.ts` |',
    '| 1.1.2 | 3 | keys | met | `test/a.test.ts` |',
  ];
  const [, ...fewer] = counted(2, []);
  expect(check(rows, fewer)).toEqual([
    '2 1.1.1 is listed twice',
    '2 1.1.1 has the unknown status done',
    '3 not a row of a requirement',
    '0 met: 2 stated, 1 listed',
    '-3 no count of partly',
  ]);
});
