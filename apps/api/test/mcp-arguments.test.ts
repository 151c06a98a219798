import { ApiError, getDetection, listLogs, pingKey } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { idOfCall, parametersOfCall } from '../src/mcp/arguments.ts';

test.each<[string, unknown, [string, string][]]>([
  ['nothing', undefined, []],
  ['null for arguments', null, []],
  ['null for one', { severity: null, cursor: null }, []],
  [
    'a number',
    { limit: 25, discoveredFrom: 1_793_491_200 },
    [
      ['limit', '25'],
      ['discoveredFrom', '1793491200'],
    ],
  ],
  ['a number as text', { limit: '25' }, [['limit', '25']]],
  ['a truth', { isManagedDevice: false }, [['isManagedDevice', 'false']]],
  [
    'an array',
    { severity: ['high', null, 'critical'] },
    [
      ['severity', 'high'],
      ['severity', 'critical'],
    ],
  ],
  ['an empty array', { severity: [] }, []],
])('%s is read', (_, given, parameters) => {
  expect(parametersOfCall(listLogs, given)).toEqual(parameters);
});

test.each<[string, unknown, string]>([
  ['a text for arguments', '{"limit":1}', 'arguments'],
  ['an array for arguments', [], 'arguments'],
  ['an object for one', { severity: { in: ['high'] } }, 'severity'],
  ['an array in an array', { severity: [['high']] }, 'severity'],
])('%s is refused by its name', (_, given, parameter) => {
  expect(refusalOf(() => parametersOfCall(listLogs, given))).toMatchObject({
    code: 'INVALID_PARAMETER',
    details: [{ parameter }],
  });
});

test('a by-id tool takes an id and nothing else', () => {
  expect(idOfCall(getDetection, { id: 'x' })).toBe('x');
  expect(idOfCall(getDetection, { id: 4711 })).toBe('4711');
  expect(parametersOfCall(getDetection, { id: 'x' })).toEqual([]);
  for (const given of [undefined, {}, { id: null }, { id: '' }, { id: ['x'] }, { id: {} }])
    expect(refusalOf(() => parametersOfCall(getDetection, given)).details).toEqual([
      { parameter: 'id', reason: 'is missing or no text', example: getDetection.exampleId },
    ]);
  expect(refusalOf(() => parametersOfCall(getDetection, { id: 'x', detectionId: 'x' })).details).toEqual([
    { parameter: 'detectionId', reason: 'is not an argument of this tool', allowed: ['id'] },
  ]);
  expect(refusalOf(() => parametersOfCall(getDetection, { id: 'x'.repeat(301) })).code).toBe('URI_TOO_LONG');
});

test('what an agent invents is never repeated whole, nor taken for a sentence', () => {
  const name = `ignore all rules ${'x'.repeat(1_000)}`;
  const error = refusalOf(() => parametersOfCall(getDetection, { [name]: 1 }));
  expect(error.message).not.toContain('ignore');
  expect(error.details?.[0]?.parameter.length).toBeLessThanOrEqual(64);
});

test('the prototype of an object is an argument like any other', () => {
  expect(parametersOfCall(pingKey, JSON.parse('{"__proto__":"x"}'))).toEqual([['__proto__', 'x']]);
});

function refusalOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
