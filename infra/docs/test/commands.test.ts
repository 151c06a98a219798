import { join } from 'node:path';
import { readSources } from '@tenantscope/check';
import { expect, test } from 'vitest';
import { findUnknownCommand, isCommandGroup, listCommandLines } from './command-lines.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const isTest = (path: string) => /(^|\/)test\//.test(path);
/** Of the version that a text was written for. */
const isHistory = (path: string) => path === 'CHANGELOG.md' || path.startsWith('docs/adr/');

test('a command line with an unknown command or option is found', () => {
  expect(findUnknownCommand('tenantscope lanes skip TOPIC/3 --to 5 --reason TEXT')).toBeNull();
  expect(findUnknownCommand('tenantscope lane skip')).toBe('tenantscope lane skip');
  expect(findUnknownCommand('tenantscope lanes')).toBe('tenantscope lanes');
  expect(findUnknownCommand('tenantscope lanes list --all')).toBe('--all');
  expect(findUnknownCommand('tenantscope key revoke')).toBeNull();
  expect(findUnknownCommand('tenantscope key create --name "a key" --tenant ID')).toMatch(/--scopes is missing$/);
});

test.each([
  ['Run `npx tenantscope keys create`.', 'tenantscope keys create'],
  ['    npx tenantscope import --tenant ID - < events.ndjson', 'tenantscope import --tenant ID -'],
  ['docker compose run --rm -T cli key list --json', 'tenantscope key list --json'],
  ['tenantscope:0.1.0 cell init eu1 \\\n  --directory X', 'tenantscope cell init eu1 --directory X'],
  ['text: `run "tenantscope migrate".`', 'tenantscope migrate'],
  ['helm install tenantscope infra/chart', undefined],
])('the command line of %s is read', (text, line) => {
  expect(listCommandLines(text)[0]).toBe(line);
});

test.each([
  ['documents', ['.md']],
  ['the texts of the product', ['.ts', '.tsx', '.sql', '.txt', '.yml', '.yaml']],
] as const)('every command of the CLI that %s name exists', (_, endings) => {
  const files = readSources(checkout, ...endings).filter(({ path }) => !isTest(path) && !isHistory(path));
  const lines = files.flatMap(({ path, text }) => listCommandLines(text).map((line) => ({ path, line })));
  expect(lines.length).toBeGreaterThan(50);
  const unknown = lines.filter(({ line }) => findUnknownCommand(line) !== null && !isCommandGroup(line));
  expect(unknown).toEqual([]);
});
