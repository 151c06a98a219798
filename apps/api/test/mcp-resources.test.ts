import { operations, requiredScopes, type Scope, scopes } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { JsonRpcError } from '../src/mcp/json-rpc-error.ts';
import { serializeResource, serializeResourceList } from '../src/mcp/resources.ts';

const all = new Set(scopes);
const publicUrl = 'https://own.example/api/v1';
const list = (granted: ReadonlySet<Scope>): { uri: string; name: string }[] =>
  JSON.parse(serializeResourceList(granted));
const read = (uri: unknown, granted: ReadonlySet<Scope> = all) =>
  JSON.parse(`{${serializeResource(granted, uri, publicUrl)}}`).contents;

test('every operation that the key can call has a reference page as a resource', () => {
  expect(list(all).map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
  for (const scope of scopes)
    expect(list(new Set([scope])).map(({ name }) => name)).toEqual(
      operations.filter((one) => requiredScopes(one).every((required) => required === scope)).map(({ name }) => name),
    );
});

test('a page has the parameters, the examples with the address of the deployment, and the fields', () => {
  for (const { uri, name } of list(all)) {
    const [content, ...others] = read(uri);
    expect(others).toEqual([]);
    expect(content).toMatchObject({ uri, mimeType: 'text/markdown' });
    const operation = operations.find((one) => one.name === name);
    for (const parameter of Object.keys(operation?.parameters ?? {}))
      expect(content.text).toContain(`| \`${parameter}\` |`);
    expect(content.text).toContain('| Field | Type | Description |');
  }
  expect(read('tenantscope://reference/list_logs')[0].text).toContain(`${publicUrl}/logs?severity=high,critical`);
});

test('an unknown page, and one whose scope the key lacks, are the same error, which names similar ones', () => {
  for (const [uri, granted] of [
    ['tenantscope://reference/nonsense', all],
    ['file:///etc/passwd', all],
    [undefined, all],
    [{ a: 1 }, all],
    ['tenantscope://reference/list_logs', new Set<Scope>(['users:read'])],
  ] as const)
    expect(() => read(uri, granted), String(uri)).toThrow(JsonRpcError);
  expect(() => read('tenantscope://reference/list_log')).toThrow('tenantscope://reference/list_logs');
});
