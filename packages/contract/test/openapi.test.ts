import { buildOpenApi, describeParameter, errors, listLogs, operations } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { parameterSchema } from '../src/parameter/parameter-schema.ts';

const description = buildOpenApi(operations, 'https://tenantscope.example.test/api/v1');

test('the OpenAPI document matches the snapshot', async () => {
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('./openapi.snap');
});

test('every $ref resolves', () => {
  for (const reference of JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    let target: unknown = description;
    for (const part of (reference[1] ?? '').split('/')) target = (target as Record<string, unknown>)[part];
    expect(target, reference[1]).toBeTypeOf('object');
  }
});

test('response schemas allow new fields', () => {
  expect(JSON.stringify(description)).not.toContain('"additionalProperties":false');
});

test('every parameter has a description with allowed values and an example', () => {
  for (const operation of operations)
    for (const [name, parameter] of Object.entries(operation.parameters))
      expect(describeParameter(parameter), name).toMatch(/^[A-Z].+\. .+ Example: \S/);
});

test('a value that the schema of a parameter rejects is never accepted', () => {
  const patternOf = (name: string) => {
    const parameter = listLogs.parameters[name];
    if (!parameter) throw new Error(`there is no parameter ${name}`);
    return new RegExp(String(parameterSchema(parameter).pattern), 'u');
  };
  expect(patternOf('severity').test('high, critical')).toBe(true);
  expect(patternOf('severity').test('')).toBe(true);
  expect(patternOf('severity').test('high,sideways')).toBe(false);
  expect(patternOf('discoveredFrom').test('2026-01-02T03:04:05 02:00')).toBe(true);
  expect(patternOf('discoveredFrom').test('now')).toBe(false);
  expect(patternOf('cursor').test('a+b')).toBe(false);
});

test('the log operation declares every filter of the contract', () => {
  expect(Object.keys(listLogs.parameters)).toEqual([
    'severity',
    'action',
    'actorId',
    'user',
    'actorType',
    'actorIp',
    'resourceId',
    'resourceType',
    'workload',
    'sourceType',
    'clientApp',
    'deviceId',
    'isManagedDevice',
    'applicationId',
    'externalEventId',
    'outcome',
    'errorCode',
    'sessionId',
    'correlationId',
    'targetId',
    'discoveredFrom',
    'discoveredTo',
    'occurredFrom',
    'occurredTo',
    'sort',
    'limit',
    'cursor',
  ]);
});

test('every error code is in the description', () => {
  for (const code of Object.keys(errors)) expect(JSON.stringify(description)).toContain(`"${code}"`);
});
