import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findUntranslatedText } from './untranslated-text.ts';

const web = join(import.meta.dirname, '..', '..', 'apps', 'console', 'web');
const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));

test('the console has screens to check', () => {
  expect(files).toContain('main.tsx');
  expect(files.length).toBeGreaterThan(30);
});

test.each(files)('%s contains no untranslated text', (name) => {
  expect(findUntranslatedText(readFileSync(join(web, name), 'utf8'))).toEqual([]);
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: code that is read, not run
const planted: readonly (readonly [string, readonly string[]])[] = [
  ['<p>Try again</p>', ['Try again']],
  ['<p>{labels.again} or leave</p>', ['or leave']],
  ['<p>{isOpen ? "Close" : labels.open}</p>', ['Close']],
  ['<p>{isOpen && `Closed ${count} times`}</p>', ['Closed', 'times']],
  ['<p>{"Rows: " + count}</p>', ['Rows:']],
  ['<button aria-label="Close" className="plain" />', ['Close']],
  ['<input placeholder={`Find ${what}`} type="search" />', ['Find']],
  ['<img alt={isBad ? "Broken" : ""} />', ['Broken']],
  ['<List render={() => <td title="Last seen">{at}</td>} />', ['Last seen']],
  ['<Dialog title="New key">{labels.a}</Dialog>', ['New key']],
  ['<option>Every tenant</option>', ['Every tenant']],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: until here

test.each(planted)('the check finds untranslated text in %s', (code, texts) => {
  expect(findUntranslatedText(`export const Planted = () => ${code};`).map(({ text }) => text)).toEqual(texts);
});

test.each([
  '<p className="note">{labels.again}</p>',
  '<code>npx tenantscope key create --name … </code>',
  '<kbd>Ctrl K</kbd>',
  '<p>{a} · {b} ▲</p>',
  '<td className={isOpen ? "open" : "shut"} data-name={labels.time}>{utc(at)} UTC</td>',
  '<Link to="/feeds" search={{ state: "all" }}>{labels.screens.feeds}</Link>',
  '<p>{request("/keys")}</p>',
])('the check accepts %s', (code) => {
  expect(findUntranslatedText(`export const Planted = () => ${code};`)).toEqual([]);
});
