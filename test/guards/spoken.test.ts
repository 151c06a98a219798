import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spokenIn } from './spoken.ts';

const web = join(import.meta.dirname, '..', '..', 'apps', 'console', 'web');
const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));

test('there are screens to be read', () => {
  expect(files).toContain('shell.tsx');
  expect(files.length).toBeGreaterThan(30);
});

test.each(files)('%s says nothing that is in one language only', (name) => {
  expect(spokenIn(readFileSync(join(web, name), 'utf8'))).toEqual([]);
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: code that is read, not run
const planted: readonly (readonly [string, readonly string[]])[] = [
  ['<p>Try again</p>', ['Try again']],
  ['<p>{words.again} or leave</p>', ['or leave']],
  ['<p>{isOpen ? "Close" : words.open}</p>', ['Close']],
  ['<p>{isOpen && `Closed ${count} times`}</p>', ['Closed', 'times']],
  ['<p>{"Rows: " + count}</p>', ['Rows:']],
  ['<button aria-label="Close" className="plain" />', ['Close']],
  ['<input placeholder={`Find ${what}`} type="search" />', ['Find']],
  ['<img alt={isBad ? "Broken" : ""} />', ['Broken']],
  ['<List render={() => <td title="Last seen">{at}</td>} />', ['Last seen']],
  ['<Dialog title="New key">{words.a}</Dialog>', ['New key']],
  ['<option>Every tenant</option>', ['Every tenant']],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: until here

test.each(planted)('catches %s', (code, texts) => {
  expect(spokenIn(`export const Planted = () => ${code};`).map(({ text }) => text)).toEqual(texts);
});

test.each([
  '<p className="note">{words.again}</p>',
  '<code>npx tenantscope keys create --name … </code>',
  '<kbd>Ctrl K</kbd>',
  '<p>{a} · {b} ▲</p>',
  '<td className={isOpen ? "open" : "shut"} data-name={words.time}>{utc(at)} UTC</td>',
  '<Link to="/feeds" search={{ state: "all" }}>{words.screens.feeds}</Link>',
  '<p>{ask("/keys")}</p>',
])('leaves %s alone', (code) => {
  expect(spokenIn(`export const Planted = () => ${code};`)).toEqual([]);
});
