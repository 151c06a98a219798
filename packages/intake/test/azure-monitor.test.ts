import { type ActivityFormatName, activityFormats } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import * as records from './azure-records.ts';
import { azureTenantId, ends, read, readDocument, readRow } from './message.ts';

const format: ActivityFormatName = 'azure.monitor';
const ada = '7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b';
const appId = '3a1b9d20-0000-4000-8000-000000000777';

test('a risk of a user becomes an event of the user', () => {
  expect(readDocument(format, records.userRisk)).toMatchObject({
    occurredAt: '2026-11-20T09:00:00.000Z',
    action: 'User Risk Detection',
    severity: 'high',
    outcome: null,
    actorId: ada,
    actorName: 'ada@contoso.example',
    actorType: 'user',
    actorIp: '203.0.113.7',
    resourceId: ada,
    resourceType: 'user',
    sourceType: 'entra',
    sourceName: 'UserRiskEvents',
    externalEventId: 'risk-1',
    category: 'UserRiskEvents',
    userAgent: 'Mozilla/5.0 Firefox/120.0',
    location: { country: 'PL', city: 'Lublin', latitude: 51.25, longitude: 22.57, isProxy: true },
    signIn: { riskLevel: 'high', riskState: 'atRisk', riskEventTypes: ['anonymizedIPAddress'] },
    targets: [{ id: ada, name: 'ada@contoso.example', type: null }],
    details: { mitreTechniques: 'T1090', detectionTimingType: 'realtime', activityDateTime: '2026-11-20T08:00:00Z' },
    threat: { verdict: 'atRisk', level: 'high', name: 'anonymizedIPAddress', source: 'IdentityProtection' },
  });
});

test('the risk of a user or an application has at least the severity of its state', () => {
  expect(readDocument(format, records.riskyUser)).toMatchObject({ severity: 'high', actorId: ada, actorType: 'user' });
  expect(readDocument(format, records.serviceRisk)).toMatchObject({
    severity: 'medium',
    actorId: 'sp-1',
    actorName: 'Robot',
    actorType: 'servicePrincipal',
    applicationClientId: appId,
    sourceName: 'ServicePrincipalRiskEvents',
  });
  expect(readDocument(format, records.riskyService)).toMatchObject({
    severity: 'informational',
    actorId: appId,
    actorName: 'Robot',
    actorType: 'servicePrincipal',
    threat: null,
  });
});

test('a risk detection of Graph has the time of its last update', () => {
  const { properties } = records.userRisk;
  expect(
    readDocument('entra.risk.graph', { value: [{ ...properties, lastUpdatedDateTime: '2026-11-20T09:30:00Z' }] }),
  ).toMatchObject({
    occurredAt: '2026-11-20T09:30:00.000Z',
    action: 'Risk detection',
    sourceName: 'UserRiskEvents',
    category: null,
    severity: 'high',
  });
  expect(readDocument('entra.risk.graph', properties)).toMatchObject({ occurredAt: '2026-11-20T08:00:00.000Z' });
  expect(readDocument('entra.risk.graph', records.serviceRisk.properties)).toMatchObject({
    sourceName: 'ServicePrincipalRiskEvents',
  });
});

test('a provisioned identity names source, target, change and error', () => {
  expect(readDocument(format, records.provisioning)).toMatchObject({
    occurredAt: '2026-11-20T08:15:30.500Z',
    action: 'Provisioning activity',
    outcome: 'failure',
    actorName: 'Azure AD Provisioning Service',
    actorType: 'system',
    resourceId: 'x-1',
    resourceName: 'Ada',
    resourceType: 'user',
    errorCode: 'Duplicate',
    outcomeReason: 'It exists.',
    targets: [
      { id: 'u-1', name: 'Ada', type: 'User' },
      { id: 'x-1', name: null, type: 'urn:ietf:params:scim:schemas:core:2.0:User' },
    ],
    changes: [{ name: 'userName', before: null, after: 'ada' }],
    details: {
      jobId: 'job-1',
      provisioningAction: 'create',
      provisioningSteps: 'EntryExportAdd: The user could not be created',
    },
  });
});

test('a provisioned identity with the status of Graph names error, reason and initiator', () => {
  const { provisioningStatusInfo: _, initiatedBy: __, ...others } = records.provisioning.properties;
  const properties = {
    ...others,
    initiatedBy: { id: '', name: 'Azure AD Provisioning Service', initiatingType: 'system' },
    statusInfo: { status: 'failure', errorCode: 'EntryConflict', reason: 'It exists.' },
  };
  expect(readDocument(format, { ...records.provisioning, resultType: '', properties })).toMatchObject({
    outcome: 'failure',
    actorType: 'system',
    errorCode: 'EntryConflict',
    outcomeReason: 'It exists.',
  });
});

test.each([
  ['success', 'success'],
  ['Warning', 'partial'],
  ['skipped', null],
])('a provisioned identity with the status %s has the outcome %s', (Status, outcome) => {
  const properties = { ...records.provisioning.properties, provisioningStatusInfo: { Status } };
  expect(readDocument(format, { ...records.provisioning, properties })).toMatchObject({ outcome });
});

test('a request to Graph names caller, address, result and session', () => {
  expect(readDocument(format, records.graphRequest)).toMatchObject({
    action: 'Microsoft Graph Activity',
    severity: 'low',
    outcome: 'failure',
    actorId: 'sp-1',
    actorType: 'servicePrincipal',
    resourceId: 'https://graph.microsoft.com/v1.0/users/7?$select=id',
    resourceName: '/v1.0/users/7',
    workload: 'MicrosoftGraph',
    clientApp: 'python-requests',
    applicationClientId: appId,
    externalEventId: 'request-1',
    errorCode: '403',
    sessionId: 'token-1',
    details: { requestMethod: 'DELETE', roles: 'User.ReadWrite.All' },
  });
  const properties = { ...records.graphRequest.properties, userId: ada, requestMethod: 'GET', responseStatusCode: 200 };
  expect(readDocument(format, { ...records.graphRequest, properties })).toMatchObject({
    severity: 'informational',
    outcome: 'success',
    errorCode: null,
    actorType: 'user',
  });
});

test('blocked network traffic names user, device, destination and threat', () => {
  expect(readDocument(format, records.traffic)).toMatchObject({
    action: 'Network traffic',
    severity: 'medium',
    outcome: 'failure',
    actorId: ada,
    actorIp: '203.0.113.7',
    resourceId: 'malware.example',
    deviceId: 'd-1',
    deviceOs: 'Windows 11',
    sessionId: 'session-1',
    details: { policyName: 'Block malware', destinationPort: '443' },
    threat: { verdict: 'Denied', name: 'Malware' },
  });
  const properties = { ...records.traffic.properties, action: 'Allowed' };
  expect(readDocument(format, { ...records.traffic, properties })).toMatchObject({ severity: 'high' });
});

test('network traffic with names in Pascal case is the same row', () => {
  const properties = Object.fromEntries(
    Object.entries(records.traffic.properties).map(([name, value]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      value,
    ]),
  );
  const { id: _, ...row } = readDocument(format, { ...records.traffic, properties });
  const { id: __, ...expected } = readDocument(format, records.traffic);
  expect(row).toEqual(expected);
});

test('an audit of Intune names who changed what', () => {
  expect(readDocument(format, records.intuneAudit)).toMatchObject({
    occurredAt: '2026-11-20T08:15:30.000Z',
    action: 'Assign DeviceConfiguration',
    outcome: 'success',
    severity: 'low',
    actorId: ada,
    actorName: 'ada@contoso.example',
    actorType: 'user',
    resourceId: 'configuration-1',
    resourceName: 'Bitlocker',
    resourceType: 'deviceConfiguration',
    workload: 'Intune',
    sourceType: 'intune',
    sourceName: 'IntuneAuditLogs',
    category: 'AuditLogs',
    outcomeReason: null,
    externalEventId: 'audit-1',
    changes: [{ name: 'State', before: 'off', after: 'on' }],
    details: { ActivityType: '3', 'Actor.UserPermissions': '*' },
  });
});

test('an enrollment and a compliance report of Intune name the device', () => {
  expect(readDocument(format, records.intuneOperation)).toMatchObject({
    action: 'Enrollment',
    outcome: 'failure',
    severity: 'low',
    actorId: ada,
    actorType: 'user',
    resourceId: 'd-1',
    resourceType: 'device',
    deviceName: 'LAPTOP-12',
    deviceOs: 'Windows',
    outcomeReason: 'DeviceNotSupported',
    sourceName: 'IntuneOperationalLogs',
  });
  expect(readDocument(format, records.intuneDevice)).toMatchObject({
    severity: 'high',
    outcome: null,
    actorType: 'system',
    deviceId: 'd-1',
    sourceName: 'IntuneDeviceComplianceOrg',
    targets: [{ id: null, name: 'ada@contoso.example', type: null }],
    threat: { level: 'High' },
  });
});

test('an operation on an Azure resource names caller, resource and result', () => {
  expect(readDocument(format, records.azureActivity)).toMatchObject({
    action: 'MICROSOFT.STORAGE/STORAGEACCOUNTS/DELETE',
    outcome: 'failure',
    actorId: ada,
    actorName: 'ada@contoso.example',
    actorType: 'user',
    actorIp: '203.0.113.7',
    resourceName: 'BACKUP',
    sourceType: 'other',
    errorCode: '403',
    outcomeReason: 'Forbidden',
    applicationClientId: appId,
    details: { 'authorization.evidence.role': 'Owner', 'claims.appid': appId, level: 'Error' },
  });
});

test('a request to Azure AD Graph has method, status and address under its own names', () => {
  const properties = {
    actorType: 'User',
    appId,
    callerIpAddress: '203.0.113.7',
    httpMethod: 'PATCH',
    httpStatusCode: 403,
    requestId: 'request-1',
    requestUri: '/v2/contoso/applications/a-1',
    sessionId: 'session-1',
    timeGenerated: '2026-11-20T08:15:30.5368860Z',
    userAgent: 'AADInternals',
    userId: ada,
    wids: '',
  };
  const record = { category: 'AzureADGraphActivityLogs', operationName: 'AAD Graph Activity', tenantId: azureTenantId };
  const expected = {
    occurredAt: '2026-11-20T08:15:30.536Z',
    severity: 'low',
    outcome: 'failure',
    errorCode: '403',
    actorId: ada,
    actorIp: '203.0.113.7',
    userAgent: 'AADInternals',
    details: { httpMethod: 'PATCH' },
  };
  expect(readDocument(format, { ...record, properties })).toMatchObject(expected);
  expect(
    readDocument(format, {
      Type: 'AADGraphActivityLogs',
      TimeGenerated: '2026-11-20T08:15:30.5368860Z',
      OperationName: 'AAD Graph Activity',
      CallerIpAddress: '203.0.113.7',
      HttpMethod: 'PATCH',
      HttpStatusCode: 403,
      UserId: ada,
      UserAgent: 'AADInternals',
    }),
  ).toMatchObject(expected);
});

describe('an assignment of a role in Azure', () => {
  const owner = '8e3af657-a8ff-443c-a75c-2fe8c4bcb635';
  const assignment = (resultType: string, role: string) => ({
    time: '2026-11-20T09:00:00Z',
    category: 'Administrative',
    operationName: 'MICROSOFT.AUTHORIZATION/ROLEASSIGNMENTS/WRITE',
    resultType,
    identity: {
      authorization: { evidence: { principalId: ada.replaceAll('-', ''), principalType: 'User' } },
      claims: {},
    },
    properties: { responseBody: JSON.stringify({ properties: { roleDefinitionId: `/roleDefinitions/${role}` } }) },
  });

  test.each([
    ['Success', owner, 'high'],
    ['Success', 'acdd72a7-3385-48ef-bd42-f606fba81ae7', 'medium'],
    ['Failure', owner, 'medium'],
    ['Start', owner, 'low'],
  ])('with the result %s of the role %s is %s', (result, role, severity) => {
    expect(readDocument(format, assignment(result, role)).severity).toBe(severity);
  });

  test('is by the account whose id has no hyphens', () => {
    expect(readDocument(format, assignment('Success', owner))).toMatchObject({ actorId: ada, actorType: 'user' });
  });
});

describe('the category', () => {
  test('that is not listed gives a row of the provider with everything as details', () => {
    expect(readDocument('entra.signin.azuremonitor', records.unlisted)).toMatchObject({
      action: 'Tunnel health',
      outcome: 'success',
      sourceType: 'entra',
      sourceName: 'RemoteNetworkHealthLogs',
      category: 'RemoteNetworkHealthLogs',
      actorType: 'unknown',
      actorIp: '203.0.113.7',
      externalEventId: 'health-1',
      resourceType: 'resource',
      details: { bgpRoutesAdvertisedCount: '4', sourceIp: '203.0.113.7' },
    });
  });

  test('is the action where the record names no operation', () => {
    expect(readDocument(format, { time: '2026-11-20T09:00:00Z', category: 'NewLogs' })).toMatchObject({
      action: 'NewLogs',
    });
    expect(ends(read(format, { time: '2026-11-20T09:00:00Z' }))).toEqual(['MISSING_ACTION']);
  });

  test('of a row without a resource and a tenant names no provider', () => {
    const row = { TimeGenerated: '2026-11-20T09:00:00Z', Type: 'Syslog', SyslogMessage: 'x', TenantId: 'workspace' };
    expect(readDocument(format, row)).toMatchObject({ action: 'Syslog', sourceType: 'other' });
    expect(readDocument(format, { ...row, AADTenantId: azureTenantId })).toMatchObject({ sourceType: 'entra' });
  });

  test('of Azure is no category of a record in the shape of an audit', () => {
    const properties = {
      activityDisplayName: 'Update authentication methods policy',
      initiatedBy: { user: { id: ada } },
      targetResources: [
        { id: 'p-1', modifiedProperties: [{ displayName: 'Fido2', oldValue: '"a"', newValue: '"b"' }] },
      ],
    };
    const audit = { time: '2026-11-20T09:00:00Z', category: 'Policy', tenantId: azureTenantId, properties };
    expect(readDocument(format, audit)).toMatchObject({
      action: 'Update authentication methods policy',
      sourceType: 'entra',
      actorId: ada,
      changes: [{ name: 'Fido2', before: 'a', after: 'b' }],
    });
  });

  test('is recognized in any case, and one of Defender is read as such', () => {
    expect(readDocument(format, { ...records.userRisk, category: 'USERRISKEVENTS' })).toMatchObject({
      actorId: ada,
      category: 'USERRISKEVENTS',
    });
    const properties = { Timestamp: '2026-11-20T08:00:00Z', ActionType: 'LogonSuccess' };
    const hunting = { time: '2026-11-20T09:00:00Z', category: 'AdvancedHunting-IdentityLogonEvents', properties };
    expect(readDocument(format, hunting)).toMatchObject({ sourceType: 'defender', action: 'LogonSuccess' });
  });

  test('decides and not the format, so that a record is one row in every format', () => {
    const formats = activityFormats.filter((name) => name.endsWith('.azuremonitor') || name === format);
    expect(formats).toHaveLength(7);
    for (const record of Object.values(records)) {
      const [row, ...others] = formats.map((name) => readRow(name, { records: [record] }));
      for (const other of others) expect(other).toEqual(row);
      const { id, memberLines } = readRow(format, { ...record, properties: JSON.stringify(record.properties) });
      expect({ id, memberLines }).toEqual({ id: row?.id, memberLines: row?.memberLines });
    }
  });
});

test('names of the frame may be in lower case', () => {
  const { operationName, tenantId, correlationId, ...others } = records.graphRequest;
  const lower = { ...others, operationname: operationName, tenantid: tenantId, correlationid: correlationId };
  expect(readDocument(format, lower)).toMatchObject({
    action: 'Microsoft Graph Activity',
    correlationId: 'correlation-1',
  });
  expect(ends(read(format, { ...lower, tenantid: '99999999-9999-4999-8999-999999999999' }))).toEqual([
    'TENANT_MISMATCH',
  ]);
});

test.each([
  ['a category without a mapper', records.unlisted, true],
  ['a category of Azure without a mapper', { ...records.azureActivity, category: 'AuditEvent' }, true],
  ['a category in another case', { ...records.azureActivity, category: 'ADMINISTRATIVE' }, false],
  ['a log of sign-ins', { ...records.unlisted, category: 'ADFSSignInLogs' }, false],
  ['a listed table of Defender', { ...records.unlisted, category: 'AdvancedHunting-EmailEvents' }, false],
  ['a table of Defender that is not listed', { ...records.unlisted, category: 'AdvancedHunting-NewTable' }, true],
])('a row is marked where the product does not list its category: %s', (_name, record, isUnlisted) => {
  expect(readRow(format, record).isUnlisted).toBe(isUnlisted);
});

test('members of shippers are no details', () => {
  const shipped = { ...records.unlisted, '@timestamp': 'x', p_event_time: 'x' };
  expect(readDocument(format, shipped).details).toEqual(readDocument(format, records.unlisted).details);
});
