// @module-tag exhaustive
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as records from './azure-records.ts';
import { listPaths, type Path } from './member-paths.ts';
import { ends, read } from './message.ts';

/** A sign-in and an audit with every member that the mappers look at. */
const signIn = {
  time: '2026-11-20T09:00:00Z',
  operationName: 'Sign-in activity',
  category: 'SignInLogs',
  properties: {
    userId: 'u-1',
    status: { errorCode: 0, failureReason: 'Other.', additionalDetails: 'MFA' },
    deviceDetail: { operatingSystem: 'Windows' },
    location: { city: 'K', geoCoordinates: { latitude: 1, longitude: 2 } },
    riskEventTypes_v2: ['x'],
    riskState: 'atRisk',
    riskLevelDuringSignIn: 'low',
    mfaDetail: { authDetail: 'x' },
    authenticationDetails: [{ authenticationMethod: 'x' }],
    appliedConditionalAccessPolicies: [{ displayName: 'x' }],
    authenticationProcessingDetails: [{ key: 'k', value: 'v' }],
    agent: { agentType: 'agenticApp' },
    autonomousSystemNumber: 1,
    userAgent: 'x',
    sessionId: 'x',
    uniqueTokenIdentifier: 'x',
    correlationId: 'x',
  },
};
const audit = {
  time: '2026-11-20T09:00:00Z',
  operationName: 'Update user',
  category: 'AuditLogs',
  properties: {
    activityDisplayName: 'Update user',
    initiatedBy: { user: { id: 'u-1' }, app: {} },
    targetResources: [{ id: 't', modifiedProperties: [{ displayName: 'x', oldValue: '"', newValue: '"x"' }] }],
    additionalDetails: [{ key: 'k', value: 'v' }],
    result: 'success',
  },
};
const all = Object.entries({ ...records, signIn, audit });

/** A copy of the value in which a member has another value or, without one, another name. */
function change(value: unknown, path: Path, replacement: readonly unknown[]): unknown {
  const copy = structuredClone(value);
  let parent = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string | number, unknown>;
  const name = path.at(-1) as string | number;
  const before = parent[name];
  if (replacement.length > 0) parent[name] = replacement[0];
  else {
    delete parent[name];
    parent[`${name}Renamed`] = before;
  }
  return copy;
}

/** Without these a record is none; the frame has both. */
const required: ReadonlySet<unknown> = new Set(['time', 'operationName', 'category']);
const awkward = [
  null,
  '',
  ' ',
  true,
  0,
  -1,
  1e300,
  '[',
  '{"a":1}',
  [],
  [null],
  [[]],
  {},
  { a: { b: [1] } },
  'x'.repeat(9_000),
];

describe.each(all)('%s', (_name, record) => {
  const paths = listPaths(record).filter((path) => !required.has(path[0]));

  test('is a row without each of its members', () => {
    for (const path of paths)
      expect([path, ends(read('azure.monitor', change(record, path, [])))]).toEqual([path, ['log']]);
  });

  test('is a row with any value in place of each of its members', () => {
    for (const path of paths) {
      for (const value of awkward) {
        const [end] = ends(read('azure.monitor', change(record, path, [value])));
        expect([path, value, end]).toEqual([path, value, 'log']);
      }
    }
  });
});

/** Records of Graph have no frame: only the time is required, and of an audit the activity. */
describe.each([
  ['entra.signin.graph', { ...signIn.properties, createdDateTime: '2026-11-20T09:00:00Z' }],
  ['entra.audit.graph', { ...audit.properties, activityDateTime: '2026-11-20T09:00:00Z' }],
  ['entra.risk.graph', { ...records.userRisk.properties, lastUpdatedDateTime: '2026-11-20T09:00:00Z' }],
] as const)('%s', (format, record) => {
  const needed = new Set<unknown>([
    'createdDateTime',
    'activityDateTime',
    'lastUpdatedDateTime',
    'activityDisplayName',
  ]);
  const paths = listPaths(record).filter((path) => !needed.has(path[0]));

  test('is a row without each of its members and with any value in place of it', () => {
    for (const path of paths) {
      expect([path, ends(read(format, change(record, path, [])))]).toEqual([path, ['log']]);
      for (const value of awkward) {
        expect([path, value, ends(read(format, change(record, path, [value])))]).toEqual([path, value, ['log']]);
      }
    }
  });
});

test('a hundred renamed or missing members at once never cost a record', () => {
  const any = fc.oneof(fc.constantFrom(...awkward), fc.anything({ maxDepth: 2, withNullPrototype: false }));
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.array(fc.tuple(fc.nat(), any), { maxLength: 100 }), ([, record], steps) => {
      const broken = structuredClone(record) as Record<string, unknown>;
      const names = Object.keys(record.properties);
      const properties = broken.properties as Record<string, unknown>;
      for (const [number, value] of steps) {
        const name = names[number % names.length] as string;
        properties[number % 2 === 0 ? name : `${name}${number}`] = value;
      }
      const text = JSON.stringify(broken, (_key, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      expect(ends(read('azure.monitor', text))).toEqual(['log']);
    }),
    { numRuns: 300 },
  );
});
