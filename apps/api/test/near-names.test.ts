import { operations } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { unknownName } from '../src/mcp/json-rpc-error.ts';
import { findNearNames } from '../src/near-names.ts';

const tools = operations.map(({ name }) => name);

test('a misspelled name has the meant one first, and at most three are named', () => {
  for (const name of tools) {
    const misspelled = name.replace('_', '-').replace(/s$/, '');
    expect(findNearNames(misspelled, tools)[0], misspelled).toBe(name);
    expect(findNearNames(misspelled, tools).length).toBeLessThanOrEqual(3);
  }
});

test('a name that resembles nothing has no similar ones, whatever its length', () => {
  expect(findNearNames('x', tools)).toEqual([]);
  expect(findNearNames('%'.repeat(100_000), tools)).toEqual([]);
});

test('the error of an unknown tool names similar ones, or how to list all', () => {
  expect(unknownName('tool', 'list_log', tools).message).toMatch(/^Unknown tool "list_log"\. Similar: list_logs/);
  expect(unknownName('prompt', 'zzzzzzzzzz', tools).message).toBe(
    'Unknown prompt "zzzzzzzzzz". prompts/list lists all.',
  );
});
