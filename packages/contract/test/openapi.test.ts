import {
  buildOpenApi,
  describeParameter,
  errors,
  listLogs,
  type Operation,
  operations,
  severities,
} from '@tenantscope/contract';
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

type Members = { properties?: Record<string, unknown>; required?: string[]; allOf?: Members[]; $ref?: string };
const { schemas, parameters } = description.components as Record<string, Record<string, Members>>;

/** The members of a schema after references, with those that are required. */
function listMembers(schema: Members): { members: string[]; required: string[] } {
  if (schema.$ref) return listMembers(schemas?.[schema.$ref.replace('#/components/schemas/', '')] ?? {});
  const parts = (schema.allOf ?? []).map(listMembers);
  return {
    members: [...parts.flatMap(({ members }) => members), ...Object.keys(schema.properties ?? {})],
    required: [...parts.flatMap(({ required }) => required), ...(schema.required ?? [])],
  };
}

test('the schema of every record declares each of its members exactly once', () => {
  for (const { record } of operations as readonly Operation[]) {
    const name = String(record.meta()?.id);
    const { members, required } = listMembers(schemas?.[name] ?? {});
    expect(members, name).toEqual(Object.keys(record.shape));
    expect(required, name).toEqual(
      Object.entries(record.shape)
        .filter(([, member]) => member.def.type !== 'optional')
        .map(([member]) => member),
    );
  }
});

test('a record by id refers to the record of its list for the members that both have', () => {
  const details = Object.keys(schemas ?? {}).filter((name) => name.endsWith('Detail'));
  expect(details.length).toBeGreaterThan(10);
  for (const name of details)
    expect(schemas?.[name]?.allOf?.[0]).toEqual({ $ref: `#/components/schemas/${name.replace('Detail', '')}` });
});

test('no schema has properties next to allOf', () => {
  for (const [name, schema] of Object.entries(schemas ?? {}))
    if (schema.allOf) expect(Object.keys(schema).toSorted(), name).not.toContain('properties');
});

test('operations refer to the parameters that they declare alike', () => {
  const inline = Object.values(description.paths as Record<string, { get: { parameters?: object[] } }>)
    .flatMap(({ get }) => get.parameters ?? [])
    .filter((parameter) => !('$ref' in parameter))
    .map((parameter) => JSON.stringify(parameter));
  for (const parameter of Object.values(parameters ?? {})) expect(inline).not.toContain(JSON.stringify(parameter));
  expect(Object.keys(parameters ?? {})).toEqual(expect.arrayContaining(['XTenantId', 'Id', 'Limit', 'Cursor']));
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
  expect(patternOf('discoveredFrom').test('2026-01-02T03:04:05 02:00')).toBe(true);
  expect(patternOf('discoveredFrom').test('now')).toBe(false);
  expect(patternOf('cursor').test('a+b')).toBe(false);
});

test('a list of a closed vocabulary is an array of its values, separated by commas', () => {
  const { parameters } = description.components as { parameters: Record<string, unknown> };
  expect(parameters.Severity).toMatchObject({
    name: 'severity',
    style: 'form',
    explode: false,
    schema: { type: 'array', maxItems: 50, items: { type: 'string', enum: severities } },
    example: ['high', 'critical'],
  });
});

/** Every schema of the document, at any depth. */
function* listSchemas(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* listSchemas(inner);
}

test('an object that may be null is a union, which every generator of clients reads', () => {
  const unions = [...listSchemas(description)].filter(({ anyOf }) => JSON.stringify(anyOf)?.includes('"type":"null"'));
  expect(unions.length).toBeGreaterThan(20);
  for (const { type } of listSchemas(description))
    if (Array.isArray(type)) expect(type, JSON.stringify(type)).not.toContain('object');
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
    'view',
    'limit',
    'cursor',
  ]);
});

test('a row of a list with views has one of three forms, which differ in members that they require', () => {
  const { paths } = description as { paths: Record<string, { get: { responses: { 200: unknown } } }> };
  for (const [path, name] of [
    ['/logs', 'AuditLogEvent'],
    ['/detections', 'Detection'],
    ['/detections/{id}/logs', 'AuditLogEvent'],
    ['/security-alerts', 'SecurityAlert'],
  ]) {
    const items = { $ref: `#/components/schemas/${name}Row` };
    expect(paths[path ?? '']?.get.responses[200]).toMatchObject({
      content: { 'application/json': { schema: { properties: { data: { items } } } } },
    });
    const { oneOf } = (schemas?.[`${name}Row`] ?? {}) as { oneOf?: readonly Members[] };
    expect(oneOf?.map(({ $ref }) => $ref?.split('/').at(-1))).toEqual([name, 'OcsfEvent', 'EcsDocument']);
    const forms = oneOf?.map((form) => listMembers(form)) ?? [];
    for (const { required } of forms)
      for (const other of forms)
        if (other.required !== required) expect(required.some((member) => !other.members.includes(member))).toBe(true);
  }
});

test('every error code is in the description', () => {
  for (const code of Object.keys(errors)) expect(JSON.stringify(description)).toContain(`"${code}"`);
});
