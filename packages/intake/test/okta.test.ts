import { describe, expect, test } from 'vitest';
import { ends, read, readDocument, readRow } from './message.ts';

const format = 'okta.system-log';
const event = {
  uuid: 'faf7398a-4f77-11ea-97fb-5925e98228bd',
  published: '2026-11-20T08:15:30.843Z',
  eventType: 'user.authentication.sso',
  severity: 'INFO',
  actor: { id: '00u1', type: 'User', alternateId: 'ada@contoso.example', displayName: 'Ada Lovelace' },
  client: {
    id: null,
    device: 'Computer',
    ipAddress: '203.0.113.7',
    userAgent: { browser: 'FIREFOX', rawUserAgent: 'Mozilla/5.0 (Macintosh) Gecko/20100101 Firefox/72.0' },
  },
  outcome: { result: 'SUCCESS', reason: null },
  target: [
    { id: '00u1', type: 'User', alternateId: 'ada@contoso.example', displayName: 'Ada Lovelace' },
    { id: '0oa1', type: 'AppInstance', alternateId: 'Payroll', displayName: 'Payroll App' },
  ],
};

test('an event becomes a document', () => {
  expect(readDocument(format, event)).toMatchObject({
    occurredAt: '2026-11-20T08:15:30.843Z',
    action: 'user.authentication.sso',
    description: 'ada@contoso.example performed user.authentication.sso on Payroll App in Okta.',
    severity: 'informational',
    actorId: '00u1',
    actorName: 'ada@contoso.example',
    actorType: 'user',
    actorIp: '203.0.113.7',
    resourceId: '0oa1',
    resourceName: 'Payroll App',
    resourceType: 'appInstance',
    workload: 'Okta',
    sourceType: 'okta',
    sourceName: 'SystemLog',
    clientApp: 'Firefox',
    deviceId: null,
    deviceName: null,
    isManagedDevice: null,
    applicationDisplayName: 'Payroll App',
    externalEventId: event.uuid,
  });
});

test('events are read alone and in an array', () => {
  const [first, second] = read(format, [event, { ...event, uuid: 'other' }]);
  expect(ends(read(format, [event, { ...event, eventType: undefined }, {}]))).toEqual([
    'log',
    'MISSING_ACTION',
    'MISSING_ACTION',
  ]);
  expect(first?.kind === 'log' && first.row.id).toBe(readRow(format, event).id);
  expect(second?.kind === 'log' && second.row.id).not.toBe(readRow(format, event).id);
  expect(ends(read(format, { ...event, published: undefined }))).toEqual(['MISSING_TIMESTAMP']);
});

describe('severity', () => {
  test.each([
    ['DEBUG', 'informational'],
    ['INFO', 'informational'],
    ['WARN', 'medium'],
    ['ERROR', 'high'],
    ['warn', 'medium'],
    ['other', 'informational'],
    ['HIGH', 'high'],
  ])('%s is read as %s', (severity, expected) => {
    expect(readDocument(format, { ...event, severity })).toMatchObject({ severity: expected });
  });
  test.each([null, 'INFO', 'DEBUG'])('%s is no verdict: the verbs of the action decide', (severity) => {
    expect(readDocument(format, { ...event, severity, eventType: 'user.lifecycle.create' })).toMatchObject({
      severity: 'low',
    });
  });
  test.each([
    ['user.session.start', 'FAILURE', 'low'],
    ['policy.evaluate_sign_on', 'DENY', 'low'],
    ['policy.evaluate_sign_on', 'CHALLENGE', 'informational'],
    ['user.session.start', 'SUCCESS', 'informational'],
  ])('of %s with the result %s is %s', (eventType, result, severity) => {
    expect(readDocument(format, { ...event, eventType, outcome: { result } })).toMatchObject({ severity });
  });
});

test.each([
  ['SUCCESS', 'success'],
  ['FAILURE', 'failure'],
  ['ALLOW', 'success'],
  ['DENY', 'failure'],
  ['CHALLENGE', null],
  ['SKIPPED', null],
  ['UNKNOWN', null],
  [null, null],
])('the result %s has the outcome %s', (result, outcome) => {
  expect(readRow(format, { ...event, outcome: { result } }).columns.outcome).toBe(outcome);
});

test.each([
  [{ id: 'system', type: 'SystemPrincipal', alternateId: 'system@okta.com' }, 'system', 'system', 'system@okta.com'],
  [{ id: 'unknown', type: 'User', alternateId: 'unknown', displayName: 'unknown' }, 'user', null, null],
  [{ id: '0oa', type: 'PublicClientApp', displayName: 'Reader' }, 'application', '0oa', 'Reader'],
  [null, 'unknown', null, null],
])('the actor %o is a %s', (actor, actorType, actorId, actorName) => {
  expect(readDocument(format, { ...event, actor })).toMatchObject({ actorType, actorId, actorName });
});

test.each([
  [{ ip: '203.0.113.7' }, null],
  [{ geographicalContext: { ip: '203.0.113.7', country: 'Poland' } }, { country: 'Poland' }],
])('an event whose client has no address has that of the first hop, as in %o', (hop, location) => {
  const client = { ipAddress: 'null', userAgent: { rawUserAgent: 'curl/8.0' } };
  const request = { ipChain: [hop, { ip: '198.51.100.9' }] };
  const document = readDocument(format, { ...event, client, request, securityContext: null });
  expect(document).toMatchObject({ actorIp: '203.0.113.7', location });
});

test('newer events have the device', () => {
  const device = { id: 'guo1', name: 'LAPTOP-12', managed: true };
  expect(readDocument(format, { ...event, device })).toMatchObject({
    deviceId: 'guo1',
    deviceName: 'LAPTOP-12',
    isManagedDevice: true,
  });
});
