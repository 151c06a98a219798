import { describe, expect, test } from 'vitest';
import { azureTenantId, ends, read, readDocument, readRow } from './message.ts';

const signIn = {
  id: 'b7a1f0aa-0000-4000-8000-000000000001',
  createdDateTime: '2026-11-20T08:15:30.1234567Z',
  userDisplayName: 'Ada Lovelace',
  userPrincipalName: 'ada@contoso.example',
  userId: '7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b',
  appId: '3A1B9D20-0000-4000-8000-000000000777',
  appDisplayName: 'Azure Portal',
  ipAddress: '2001:DB8::7',
  clientAppUsed: 'Browser',
  resourceId: '797f4846-ba00-4fd7-ba43-dac1f8f63013',
  resourceDisplayName: 'Windows Azure Service Management API',
  status: { errorCode: 0 },
  deviceDetail: { deviceId: 'd-1', displayName: 'LAPTOP-12', isManaged: true },
  riskLevelDuringSignIn: 'none',
  userType: 'Member',
};

const frame = {
  time: '2026-11-20T09:00:00Z',
  operationName: 'Sign-in activity',
  category: 'SignInLogs',
  tenantId: azureTenantId,
  callerIpAddress: '203.0.113.7',
  resultType: '0',
};

const audit = {
  id: 'Directory_1',
  activityDateTime: '2026-11-20T08:15:30Z',
  activityDisplayName: 'Add member to group',
  result: 'success',
  initiatedBy: { user: { id: 'u-1', userPrincipalName: 'ada@contoso.example', ipAddress: '203.0.113.9' }, app: null },
  targetResources: [
    { id: 'u-1', displayName: null, type: 'User', userPrincipalName: 'ada@contoso.example' },
    { id: 'g-1', displayName: 'Admins', type: 'Group' },
  ],
};

const principal = { userId: null, userPrincipalName: null, servicePrincipalId: 'sp-1', servicePrincipalName: 'Robot' };

test('a sign-in becomes a document', () => {
  expect(readDocument('entra.signin.graph', signIn)).toMatchObject({
    occurredAt: '2026-11-20T08:15:30.123Z',
    action: 'Sign-in activity',
    description: 'ada@contoso.example signed in to Windows Azure Service Management API in AzureActiveDirectory.',
    severity: 'informational',
    actorId: signIn.userId,
    actorName: 'ada@contoso.example',
    actorType: 'user',
    actorIp: '2001:db8::7',
    resourceId: signIn.resourceId,
    resourceName: signIn.resourceDisplayName,
    resourceType: 'application',
    workload: 'AzureActiveDirectory',
    sourceType: 'entra',
    sourceName: 'SignInLogs',
    clientApp: 'Browser',
    deviceId: 'd-1',
    deviceName: 'LAPTOP-12',
    isManagedDevice: true,
    applicationClientId: '3a1b9d20-0000-4000-8000-000000000777',
    applicationDisplayName: 'Azure Portal',
    externalEventId: signIn.id,
  });
});

describe('a sign-in', () => {
  test.each([
    ['a guest by type', { userType: 'Guest' }, 'guest', 'ada@contoso.example'],
    ['a service principal', principal, 'servicePrincipal', 'Robot'],
    [
      'an agent that signs in for itself',
      { ...principal, agent: { agentType: 'agenticAppInstance' } },
      'agent',
      'Robot',
    ],
    ['a user of an agent', { agent: { agentType: 'agentIDuser' } }, 'agent', 'ada@contoso.example'],
    ['a user without an agent', { agent: { agentType: 'notAgentic' } }, 'user', 'ada@contoso.example'],
    ['no user', { userId: '', userPrincipalName: '', userDisplayName: '' }, 'unknown', null],
  ])('has the actor type of %s', (_who, changes, actorType, actorName) => {
    expect(readDocument('entra.signin.graph', { ...signIn, ...changes })).toMatchObject({ actorType, actorName });
  });

  test.each([
    [{ status: { errorCode: 50126 } }, 'failure', 'low'],
    [{ status: { errorCode: '50053' } }, 'failure', 'medium'],
    [{ status: { errorCode: 50074 } }, null, 'informational'],
    [{ riskLevelDuringSignIn: 'high' }, 'success', 'high'],
    [{ riskLevelDuringSignIn: 'low', riskLevelAggregated: 'medium' }, 'success', 'medium'],
    [{ riskLevelDuringSignIn: 'hidden' }, 'success', 'informational'],
  ])('with %o has the outcome %s and the severity %s', (changes, outcome, severity) => {
    expect(readRow('entra.signin.graph', { ...signIn, ...changes }).columns).toMatchObject({ outcome, severity });
  });

  test.each([
    [{}, 'SignInLogs'],
    [{ isInteractive: false }, 'NonInteractiveUserSignInLogs'],
    [{ signInEventTypes: ['nonInteractiveUser'] }, 'NonInteractiveUserSignInLogs'],
    [{ signInEventTypes: ['servicePrincipal'] }, 'ServicePrincipalSignInLogs'],
    [{ signInEventTypes: ['managedIdentity'] }, 'ManagedIdentitySignInLogs'],
    [{ signInEventTypes: ['constructor', 7] }, 'SignInLogs'],
  ])('of Graph with %o has the source %s', (changes, sourceName) => {
    expect(readDocument('entra.signin.graph', { ...signIn, ...changes })).toMatchObject({ sourceName });
  });

  test("without a time of its own has the frame's time", () => {
    const inner = { ...signIn, createdDateTime: undefined };
    expect(readRow('entra.signin.azuremonitor', { ...frame, properties: inner }).occurredAtMs).toBe(
      Date.UTC(2026, 10, 20, 9),
    );
    expect(ends(read('entra.signin.graph', inner))).toEqual(['MISSING_TIMESTAMP']);
  });

  test('from another home tenant has a guest as its actor', () => {
    const at = (homeTenantId: string) =>
      readDocument('entra.signin.azuremonitor', { ...frame, properties: { ...signIn, homeTenantId } }).actorType;
    expect(at('99999999-9999-4999-8999-999999999999')).toBe('guest');
    expect(at(azureTenantId.toUpperCase())).toBe('user');
  });

  test('takes missing members from the frame', () => {
    const { columns } = readRow('entra.signin.azuremonitor', {
      ...frame,
      resultType: '50126',
      category: 'NonInteractiveUserSignInLogs',
      properties: { ...signIn, ipAddress: '', status: undefined },
    });
    expect(columns).toMatchObject({ actorIp: '203.0.113.7', outcome: 'failure' });
    expect(
      readRow('entra.signin.azuremonitor', { ...frame, resultType: 'Failure', properties: {} }).columns.outcome,
    ).toBe('failure');
  });
});

test('a directory audit becomes a document whose resource is the first target that is not the actor', () => {
  expect(readDocument('entra.audit.graph', audit)).toMatchObject({
    occurredAt: '2026-11-20T08:15:30.000Z',
    action: 'Add member to group',
    description: 'ada@contoso.example performed Add member to group on Admins in AzureActiveDirectory.',
    severity: 'medium',
    actorId: 'u-1',
    actorName: 'ada@contoso.example',
    actorType: 'user',
    actorIp: '203.0.113.9',
    resourceId: 'g-1',
    resourceName: 'Admins',
    resourceType: 'group',
    sourceName: 'AuditLogs',
    externalEventId: 'Directory_1',
  });
});

describe('a directory audit', () => {
  const app = { servicePrincipalId: 'sp-1', displayName: 'Robot', appId: '3a1b9d20-0000-4000-8000-000000000777' };
  test.each([
    ['a service principal', { user: null, app }, 'sp-1', 'Robot', 'servicePrincipal'],
    ['an application', { app: { displayName: 'Device Registration' } }, null, 'Device Registration', 'application'],
    ['an agent', { app: { ...app, agentType: 'agenticApp' } }, 'sp-1', 'Robot', 'agent'],
    ['a guest', { user: { id: 'u-2', userPrincipalName: 'eve_x#EXT#@contoso.example' } }, 'u-2', 'eve@x', 'guest'],
    ['no initiator', {}, null, null, 'unknown'],
  ])('has the actor type of %s', (_who, initiatedBy, actorId, actorName, actorType) => {
    expect(readDocument('entra.audit.graph', { ...audit, initiatedBy })).toMatchObject({
      actorId,
      actorName,
      actorType,
    });
  });

  test('with the role of a global administrator is critical', () => {
    const modifiedProperties = [
      { displayName: 'Role.DisplayName', oldValue: null, newValue: '"Global Administrator"' },
    ];
    const role = {
      ...audit,
      activityDisplayName: 'Add member to role',
      targetResources: [{ id: 'u-3', type: 'User', modifiedProperties }],
    };
    expect(readDocument('entra.audit.graph', role)).toMatchObject({ severity: 'critical', resourceType: 'user' });
    const framed = { ...frame, category: 'AuditLogs', properties: role };
    expect(readDocument('entra.audit.azuremonitor', framed)).toMatchObject({ severity: 'critical' });
  });
});

describe('Azure Monitor', () => {
  const audits = { ...frame, category: 'AuditLogs', operationName: 'Add member to group', properties: audit };
  const signIns = { ...frame, properties: signIn };
  test('delivers both kinds through one hub, and the category distinguishes them', () => {
    for (const format of ['entra.signin.azuremonitor', 'entra.audit.azuremonitor'] as const) {
      const outcomes = read(format, { records: [audits, signIns, 7] });
      expect(ends(outcomes)).toEqual(['log', 'log', 'SCHEMA_VIOLATION']);
      const ids = outcomes.map((outcome) => outcome.kind === 'log' && outcome.row.columns.resourceType);
      expect(ids).toEqual(['group', 'application', false]);
    }
    expect(readRow('entra.signin.azuremonitor', audits)).toEqual(readRow('entra.audit.azuremonitor', audits));
  });
  test('can send properties as text', () => {
    const { id, memberLines } = readRow('entra.audit.azuremonitor', { ...audits, properties: JSON.stringify(audit) });
    const parsed = readRow('entra.audit.azuremonitor', audits);
    expect({ id, memberLines }).toEqual({ id: parsed.id, memberLines: parsed.memberLines });
    expect(readDocument('entra.audit.azuremonitor', { ...audits, properties: '{' })).toMatchObject({
      action: 'Add member to group',
      actorIp: '203.0.113.7',
    });
  });
  test('is read from its frame where properties are missing', () => {
    expect(readDocument('entra.signin.azuremonitor', { ...frame, properties: undefined })).toMatchObject({
      action: 'Sign-in activity',
      actorIp: '203.0.113.7',
      occurredAt: '2026-11-20T09:00:00.000Z',
    });
  });
});

test('pages of Graph are split into records', () => {
  expect(ends(read('entra.signin.graph', { '@odata.nextLink': 'x', value: [signIn, signIn] }))).toEqual(['log', 'log']);
  expect(ends(read('entra.audit.graph', [audit, { ...audit, activityDisplayName: null }]))).toEqual([
    'log',
    'MISSING_ACTION',
  ]);
});
