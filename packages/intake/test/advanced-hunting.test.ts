import { formatLogRow } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { toSource } from '../src/message/source-text.ts';
import { huntingRecord, showHuntingRow } from './hunting-record.ts';
import { azureTenantId, ends, read, readRow, tenantId } from './message.ts';

const format = 'm365d.advanced-hunting';

describe('a row of a table of advanced hunting', () => {
  test('becomes an event of Defender with every column in exactly one place', () => {
    const shown = showHuntingRow('DeviceRegistryEvents', {
      ActionType: 'RegistryValueSet',
      DeviceId: 'mde-1',
      DeviceName: 'laptop.contoso.example',
      RegistryKey: 'HKLM\\Software\\Run',
      RegistryValueName: 'Updater',
      PreviousRegistryValueData: 'old.exe',
      RegistryValueData: 'new.exe',
      InitiatingProcessAccountSid: 'S-1-5-18',
      InitiatingProcessAccountName: 'system',
      InitiatingProcessAccountDomain: 'nt authority',
      InitiatingProcessCommandLine: 'reg add --password=hunter2hunter2',
      InitiatingProcessId: 5692,
      IsSigned: false,
      Empty: '',
      Missing: null,
      AdditionalFields: '{"Note":"x","Nested":{"a":1},"Nothing":null}',
    });
    expect(shown).toMatchObject({
      occurredAt: '2026-11-20T08:15:30.123Z',
      action: 'RegistryValueSet',
      actorId: 'S-1-5-18',
      actorName: 'system',
      actorType: 'system',
      resourceId: 'HKLM\\Software\\Run',
      resourceName: 'Updater',
      resourceType: 'registryKey',
      workload: 'MicrosoftDefenderForEndpoint',
      sourceType: 'defender',
      sourceName: 'DeviceRegistryEvents',
      category: 'AdvancedHunting-DeviceRegistryEvents',
      deviceId: 'mde-1',
      deviceName: 'laptop.contoso.example',
      externalEventId: 'report-1',
      tenantId,
      outcome: null,
      changes: [{ name: 'Updater', before: 'old.exe', after: 'new.exe' }],
    });
    expect(shown.details).toEqual({
      'AdditionalFields.Nested': '{"a":1}',
      'AdditionalFields.Note': 'x',
      InitiatingProcessAccountDomain: 'nt authority',
      InitiatingProcessCommandLine: 'reg add --password=[removed]',
      InitiatingProcessId: '5692',
      IsSigned: 'false',
    });
  });

  test('is the same row where its properties are JSON text or it comes among others', () => {
    const record = huntingRecord('EmailEvents', { DeliveryAction: 'Delivered', NetworkMessageId: 'n-1' });
    const alone = readRow(format, record);
    const sent = { ...record, properties: JSON.stringify(record.properties) };
    // The text is kept as it was sent.
    expect(readRow(format, sent)).toEqual({ ...alone, source: toSource(Buffer.from(JSON.stringify(sent))) });
    const outcomes = read(format, { records: [record, huntingRecord('DeviceInfo')] });
    expect(ends(outcomes)).toEqual(['log', 'log']);
    expect(outcomes[0]).toMatchObject({ kind: 'log', row: alone });
  });

  test('of Log Analytics has its table in Type and no tenant in TenantId', () => {
    const flat = {
      TenantId: '99999999-0000-4000-8000-000000000000',
      TimeGenerated: '2026-11-20T08:15:30Z',
      Type: 'EmailEvents',
      DeliveryAction: 'Blocked',
      NetworkMessageId: 'n-1',
    };
    const row = readRow(format, flat);
    expect(JSON.parse(formatLogRow(row))).toMatchObject({
      action: 'EmailBlocked',
      outcome: 'failure',
      sourceName: 'EmailEvents',
      category: 'EmailEvents',
      resourceId: 'n-1',
      occurredAt: '2026-11-20T08:15:30.000Z',
    });
  });

  test('of another Microsoft tenant is rejected', () => {
    expect(azureTenantId).not.toBe('99999999-0000-4000-8000-000000000000');
    const record = { ...huntingRecord('DeviceInfo'), tenantId: '99999999-0000-4000-8000-000000000000' };
    expect(ends(read(format, record))).toEqual(['TENANT_MISMATCH']);
  });

  test('of a table that is not listed is a row with its columns as details', () => {
    expect(
      showHuntingRow('QuantumEvents', { AccountUpn: 'ada@contoso.example', IPAddress: '198.51.100.7', Spin: 2 }),
    ).toMatchObject({
      action: 'QuantumEvents',
      sourceType: 'defender',
      sourceName: 'QuantumEvents',
      workload: 'MicrosoftDefender',
      actorName: 'ada@contoso.example',
      actorIp: '198.51.100.7',
      details: { Spin: '2' },
    });
    expect(showHuntingRow('DeviceTvmInfo', { DeviceId: 'mde-1', Score: 7 })).toMatchObject({
      workload: 'MicrosoftDefenderForEndpoint',
      deviceId: 'mde-1',
      details: { Score: '7' },
    });
  });

  test('has the time of the frame where its own is missing or invalid', () => {
    for (const Timestamp of [undefined, null, 7, 'soon']) {
      expect(showHuntingRow('DeviceInfo', { Timestamp })).toMatchObject({ occurredAt: '2026-11-20T08:20:00.123Z' });
    }
    expect(ends(read(format, { ...huntingRecord('DeviceInfo', { Timestamp: null }), time: null }))).toEqual([
      'MISSING_TIMESTAMP',
    ]);
  });

  test('is a row without its category, and a dead letter only without any name of the action', () => {
    const { category, ...frame } = huntingRecord('DeviceInfo');
    expect(category).toBeDefined();
    expect(readRow(format, frame).columns.action).toBe('publish');
    expect(ends(read(format, { ...frame, operationName: 7 }))).toEqual(['log']);
    expect(ends(read(format, { ...frame, operationName: null }))).toEqual(['MISSING_ACTION']);
  });

  test('with any one member renamed or missing is a row', { tags: 'exhaustive' }, () => {
    let tried = 0;
    for (const table of tables) {
      const columns = Object.fromEntries(allColumns.map((name) => [name, 'text']));
      const record = huntingRecord(table, columns);
      const properties = record.properties as Record<string, unknown>;
      for (const renamed of [rename, remove]) {
        for (const name of Object.keys(properties)) {
          expect(ends(read(format, { ...record, properties: renamed(properties, name) }))[0], `${table} ${name}`).toBe(
            'log',
          );
          tried += 1;
        }
        for (const name of Object.keys(record).filter((each) => each !== 'properties')) {
          expect(ends(read(format, renamed(record, name)))[0], `${table} ${name}`).toBe('log');
          tried += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(1_000);
  });

  test('with columns of wrong types is a row', { tags: 'exhaustive' }, () => {
    for (const wrong of [null, true, -0, [], {}, [[1]], { a: { b: 'c' } }, '{', '[1,2]', '\u202e', '9'.repeat(400)]) {
      for (const table of tables) {
        const columns = Object.fromEntries(allColumns.map((name) => [name, wrong]));
        const kinds = ends(read(format, huntingRecord(table, columns)));
        const isAlert = kinds.length === 2 && (table === 'AlertInfo' || table === 'AlertEvidence');
        expect(kinds, `${table} ${JSON.stringify(wrong)}`).toEqual(isAlert ? ['log', 'state'] : ['log']);
      }
    }
  });
});

test.each([
  ['EmailEvents', { DeliveryAction: 'Delivered', Subject: 'Invoice' }, 'An unknown actor sent the message Invoice'],
  [
    'EmailEvents',
    { DeliveryAction: 'Blocked', Subject: 'Invoice' },
    'An unknown actor tried to send the message Invoice, which was blocked',
  ],
  [
    'UrlClickEvents',
    { ActionType: 'ClickAllowed', Url: 'x.example', AccountUpn: 'ada' },
    'ada opened the link x.example',
  ],
  [
    'DeviceLogonEvents',
    { ActionType: 'LogonFailed', AccountName: 'ada', DeviceName: 'pc' },
    'ada failed to sign in to pc',
  ],
  ['AlertInfo', { AlertId: 'a', Title: 'Malware' }, 'The system raised the alert Malware'],
])('a row of %s with %j reads: %s', (table, columns, sentence) => {
  const { description, workload } = showHuntingRow(table, columns);
  expect(String(description).replace(` in ${workload}`, '')).toBe(`${sentence}.`);
});

describe('the table of requests to Graph', () => {
  const request = {
    AccountObjectId: 'u-1',
    EntityType: 'user',
    ApplicationId: '04b07795-8ddb-461a-bbee-02f9e1bf7b46',
    IpAddress: '203.0.113.7',
    RequestMethod: 'DELETE',
    RequestUri: 'https://graph.microsoft.com/v1.0/users/u-2?$select=id',
    ResponseStatusCode: '403',
    OperationId: 'o-1',
    UniqueTokenIdentifier: 'token-1',
  };

  test.each(['GraphAPIAuditEvents', 'GraphApiAuditEvents'])('%s names caller, address and result', (table) => {
    expect(showHuntingRow(table, request)).toMatchObject({
      action: 'Microsoft Graph Activity',
      outcome: 'failure',
      errorCode: '403',
      severity: 'low',
      actorId: 'u-1',
      actorType: 'user',
      actorIp: '203.0.113.7',
      resourceId: request.RequestUri,
      resourceName: '/v1.0/users/u-2',
      resourceType: 'url',
      workload: 'MicrosoftGraph',
      applicationClientId: request.ApplicationId,
      sessionId: 'token-1',
      correlationId: 'o-1',
      details: { RequestMethod: 'DELETE' },
    });
  });

  test.each([
    [{ EntityType: 'app' }, { actorId: 'u-1', actorType: 'servicePrincipal' }],
    [
      { AccountObjectId: '', ServicePrincipalId: 'sp-1' },
      { actorId: 'sp-1', actorType: 'servicePrincipal' },
    ],
    [
      { AccountObjectId: '', EntityType: 'app' },
      { actorId: request.ApplicationId, actorType: 'application' },
    ],
    [
      { RequestMethod: 'GET', ResponseStatusCode: '200' },
      { severity: 'informational', outcome: 'success' },
    ],
  ])('with %o has %o', (changes, expected) => {
    expect(showHuntingRow('GraphAPIAuditEvents', { ...request, ...changes })).toMatchObject(expected);
  });
});

test('a table that is not listed shows place, user agent and object', () => {
  const columns = {
    ActionType: 'Create',
    ResourceId: 'projects/p',
    UserAgent: 'gcloud/1.2',
    CountryCode: 'PL',
    Isp: 'X',
  };
  expect(showHuntingRow('CloudNewEvents', columns)).toMatchObject({
    action: 'Create',
    resourceId: 'projects/p',
    userAgent: 'gcloud/1.2',
    clientApp: 'gcloud',
    location: { country: 'PL', asOrganization: 'X' },
  });
});

describe('an operation in a cloud', () => {
  const columns = {
    ActionType: 'Update',
    OperationName: 'Microsoft.Authorization/roleAssignments/write',
    ResourceId: '/subscriptions/s-1/providers/Microsoft.Authorization/roleAssignments/a-1',
    IPAddress: '203.0.113.7',
    UserAgent: 'gcloud/1.2',
    CountryCode: 'PL',
    IsAnonymousProxy: 1,
  };
  const show = (RawEventData: unknown, changes = {}) =>
    showHuntingRow('CloudAuditEvents', { ...columns, ...changes, RawEventData });
  const ada = { actorName: 'ada@contoso.example', actorType: 'user' };

  test('has the operation as action, its class among the details, and the place of the caller', () => {
    expect(show('{}')).toMatchObject({
      action: columns.OperationName,
      severity: 'low',
      outcome: null,
      actorType: 'unknown',
      actorIp: '203.0.113.7',
      resourceId: columns.ResourceId,
      resourceName: 'a-1',
      workload: 'MicrosoftDefenderForCloud',
      sourceName: 'CloudAuditEvents',
      clientApp: 'gcloud',
      location: { country: 'PL', isProxy: true },
      details: { ActionType: 'Update' },
    });
    expect(show('{}', { OperationName: '' })).toMatchObject({ action: 'Update' });
    expect(show('{}', { ActionType: 'Read', OperationName: 'GetObject' })).toMatchObject({ severity: 'informational' });
    expect(readRow('m365d.advanced-hunting', huntingRecord('CloudAuditEvents', columns)).isUnlisted).toBe(false);
  });

  const owner = { requestbody: '{"RoleDefinitionId":"8e3af657-a8ff-443c-a75c-2fe8c4bcb635"}' };
  const claims = { 'http://schemas.microsoft.com/identity/claims/objectidentifier': 'u-1', name: 'Ada' };
  const role = (status: unknown, subStatus: unknown = '') => ({
    caller: 'ada@contoso.example',
    claims,
    status,
    subStatus,
    properties: owner,
  });
  const aws = { type: 'IAMUser', arn: 'arn:aws:iam::1:user/ada', userName: 'ada' };
  const assumed = {
    type: 'AssumedRole',
    arn: 'arn:aws:sts::1:assumed-role/Deploy/i-1',
    sessionContext: { sessionIssuer: { userName: 'Deploy' } },
  };
  const google = (principalEmail: string, status: unknown) => ({
    protoPayload: { authenticationInfo: { principalEmail }, status },
  });
  test.each([
    [
      'Azure',
      role({ value: 'Succeeded', localizedValue: 'Succeeded' }),
      { actorId: 'u-1', actorName: 'Ada', outcome: 'success', severity: 'high' },
    ],
    ['Azure, started', role('Started'), { outcome: null, severity: 'low' }],
    [
      'Azure, failed',
      role('Failed', { value: 'Forbidden' }),
      { outcome: 'failure', outcomeReason: 'Forbidden', severity: 'medium' },
    ],
    ['Azure, without claims', { caller: 'ada@contoso.example' }, { actorId: 'ada@contoso.example', ...ada }],
    ['Azure, an app', { caller: 'c-1', claims: { idtyp: 'app' } }, { actorId: 'c-1', actorType: 'servicePrincipal' }],
    ['AWS', { userIdentity: aws }, { actorId: aws.arn, actorName: 'ada', actorType: 'user', outcome: 'success' }],
    ['AWS, a role', { userIdentity: assumed }, { actorId: assumed.arn, actorName: 'Deploy', actorType: 'unknown' }],
    [
      'AWS, a service',
      { userIdentity: { type: 'AWSService', invokedBy: 'ec2.amazonaws.com' } },
      { actorId: 'ec2.amazonaws.com', actorType: 'system' },
    ],
    [
      'AWS, refused',
      { userIdentity: aws, errorCode: 'AccessDenied', errorMessage: 'not authorized' },
      { outcome: 'failure', errorCode: 'AccessDenied', outcomeReason: 'not authorized' },
    ],
    ['Google Cloud', google('ada@contoso.example', {}), { ...ada, outcome: 'success', errorCode: null }],
    [
      'Google Cloud, refused',
      google('x@p.iam.gserviceaccount.com', { code: 7, message: 'denied' }),
      { actorType: 'servicePrincipal', outcome: 'failure', errorCode: '7', outcomeReason: 'denied' },
    ],
    [
      'Kubernetes',
      { User: { username: 'ada@contoso.example' }, ResponseStatus: { code: 201 } },
      { ...ada, outcome: 'success' },
    ],
    [
      'Kubernetes, refused',
      { user: { username: 'system:serviceaccount:default:ci' }, responseStatus: { code: 403, reason: 'Forbidden' } },
      { actorType: 'servicePrincipal', outcome: 'failure', errorCode: '403', outcomeReason: 'Forbidden' },
    ],
    ['Kubernetes itself', { user: { username: 'system:node:n-1' } }, { actorType: 'system', outcome: null }],
  ])('of %s has its caller and its result', (_, record, expected) => {
    for (const raw of [record, JSON.stringify(record)]) expect(show(raw)).toMatchObject(expected);
  });

  test.each([null, 'text', 7, [], [[]], {}])('with the record %j is a row', (odd) => {
    for (const name of ['userIdentity', 'protoPayload', 'User', 'claims', 'status', 'caller'])
      expect(show({ [name]: odd }).action).toBe(columns.OperationName);
    expect(show(odd).action).toBe(columns.OperationName);
  });
});

test('a behavior has the severity of Defender, and its entities are targets', () => {
  const behavior = { BehaviorId: 'b-1', ActionType: 'SuspiciousPowerShellCommand' };
  const columns = { Title: 'Encoded command', Severity: 'High', DeviceId: 'd-1', AccountObjectId: null };
  expect(showHuntingRow('BehaviorInfo', { ...behavior, ...columns })).toMatchObject({
    severity: 'high',
    actorType: 'system',
    resourceId: 'b-1',
    resourceName: 'Encoded command',
    resourceType: 'behavior',
    deviceId: 'd-1',
  });
  expect(showHuntingRow('BehaviorInfo', { ...behavior, AccountObjectId: 'u-1' })).toMatchObject({ actorId: 'u-1' });
  const entity = { EntityType: 'File', FileName: 'bad.exe', SHA256: 'hash', ThreatFamily: 'Emotet' };
  expect(showHuntingRow('BehaviorEntities', { ...behavior, ...entity })).toMatchObject({
    resourceId: 'b-1',
    targets: [{ id: 'hash', name: 'bad.exe', type: 'file' }],
    threat: { name: 'Emotet' },
  });
});

test('an aggregate of a storage account shows the account, the address, the place and the resource', () => {
  const columns = {
    ActionType: 'DataAggregation',
    AccountUpn: 'ada@contoso.example',
    IpAddress: '203.0.113.7',
    UserAgentHeader: 'azcopy/10',
    AzureResourceId: '/subscriptions/s-1/storage',
    CountryName: 'Poland',
    CityName: 'Lublin',
  };
  expect(showHuntingRow('CloudStorageAggregatedEvents', columns)).toMatchObject({
    actorId: 'ada@contoso.example',
    actorIp: '203.0.113.7',
    resourceId: '/subscriptions/s-1/storage',
    userAgent: 'azcopy/10',
    location: { country: 'Poland', city: 'Lublin' },
  });
});

describe('the tables of identities and applications', () => {
  test('give a failed sign-in to a domain with its reason', () => {
    const columns = {
      ActionType: 'LogonFailed',
      AccountObjectId: 'u-1',
      AccountUpn: 'ada@contoso.example',
      DeviceName: 'laptop',
      IPAddress: '198.51.100.7',
      TargetDeviceName: 'dc1',
      FailureReason: 'WrongPassword',
      Location: 'PL',
      ISP: 'Example Net',
      Application: 'Active Directory',
    };
    expect(showHuntingRow('IdentityLogonEvents', columns)).toMatchObject({
      actorId: 'u-1',
      actorName: 'ada@contoso.example',
      actorType: 'user',
      outcome: 'failure',
      outcomeReason: 'WrongPassword',
      resourceId: 'dc1',
      applicationDisplayName: 'Active Directory',
      location: { country: 'PL', asOrganization: 'Example Net' },
    });
  });

  test('give changes of a directory with both values', () => {
    const AdditionalFields = {
      'FROM.Account Control': 'Enabled',
      'TO.Account Control': 'Disabled',
      'TO.Title': 'Boss',
    };
    expect(
      showHuntingRow('IdentityDirectoryEvents', { ActionType: 'Account Disabled changed', AdditionalFields }),
    ).toMatchObject({
      changes: [
        { name: 'Account Control', before: 'Enabled', after: 'Disabled' },
        { name: 'Title', before: null, after: 'Boss' },
      ],
    });
  });

  test('show the devices of a query, which are no changed values', () => {
    const AdditionalFields = { 'FROM.DEVICE': 'ws-1', 'TO.DEVICE': 'dc-1' };
    expect(showHuntingRow('IdentityQueryEvents', { ActionType: 'SAMR query', AdditionalFields }).changes).toBeNull();
  });

  test('describe accounts, whose postal address is not the place of an event', () => {
    const columns = { AccountObjectId: 'u-1', AccountUpn: 'anna@contoso.example', City: 'Krakow', Country: 'PL' };
    expect(showHuntingRow('IdentityInfo', columns)).toMatchObject({
      actorType: 'system',
      actorId: null,
      resourceId: 'u-1',
      resourceName: 'anna@contoso.example',
      resourceType: 'account',
      location: null,
    });
  });

  test('give the objects of cloud activity, its place and the result of the raw event', () => {
    const columns = {
      ActionType: 'New-InboxRule',
      Application: 'Microsoft Exchange Online',
      AccountObjectId: 'u-1',
      AccountDisplayName: 'Ada Lovelace',
      AccountType: 'Regular',
      IsExternalUser: true,
      IPAddress: '198.51.100.7',
      CountryCode: 'PL',
      City: 'Kraków',
      IsAnonymousProxy: true,
      UserAgent: 'curl/8.0',
      OSPlatform: 'Linux',
      OAuthAppId: '11111111-0000-4000-8000-000000000000',
      ActivityObjects: [
        { Type: 'Account', Role: 'Actor', Id: 'u-1' },
        { Type: 'Mailbox', Role: 'Target object', Id: 'mailbox-1', Name: 'Ada' },
      ],
      RawEventData: JSON.stringify({
        ResultStatus: 'True',
        RecordType: 1,
        Parameters: [{ Name: 'ForwardTo', Value: 'x@evil.example' }],
      }),
    };
    expect(showHuntingRow('CloudAppEvents', columns)).toMatchObject({
      sourceType: 'defender',
      actorType: 'guest',
      outcome: 'success',
      severity: 'high',
      recordType: '1',
      resourceId: 'mailbox-1',
      clientApp: 'curl',
      deviceOs: 'Linux',
      applicationClientId: '11111111-0000-4000-8000-000000000000',
      applicationDisplayName: 'Microsoft Exchange Online',
      location: { country: 'PL', city: 'Kraków', isProxy: true },
      targets: [{ id: 'mailbox-1', name: 'Ada', type: 'Mailbox' }],
    });
  });

  test('give sign-ins with their risk and circumstances', () => {
    const columns = {
      AccountObjectId: 'u-1',
      AccountUpn: 'ada_evil.example#EXT#@contoso.example',
      ErrorCode: 50126,
      Application: 'Office',
      ApplicationId: '11111111-0000-4000-8000-000000000000',
      ResourceDisplayName: 'Microsoft Graph',
      ResourceId: 'r-1',
      RiskLevelDuringSignIn: 50,
      RiskState: 4,
      LogonType: '["nonInteractiveUser"]',
      ConditionalAccessStatus: 1,
      IsManaged: 1,
      CorrelationId: 'c-1',
      SessionId: 's-1',
      Latitude: '50.06',
      Longitude: 'east',
    };
    expect(showHuntingRow('AADSignInEventsBeta', columns)).toMatchObject({
      action: 'Sign-in activity',
      actorType: 'guest',
      outcome: 'failure',
      errorCode: '50126',
      severity: 'medium',
      isManagedDevice: true,
      sessionId: 's-1',
      correlationId: 'c-1',
      resourceName: 'Microsoft Graph',
      signIn: { isInteractive: false, riskLevel: '50', riskState: '4', conditionalAccessStatus: '1' },
      location: { latitude: 50.06, longitude: null },
    });
    const application = { ServicePrincipalId: 'sp-1', ServicePrincipalName: 'Backup', ErrorCode: 0 };
    expect(showHuntingRow('AADSpnSignInEventsBeta', application)).toMatchObject({
      actorId: 'sp-1',
      actorName: 'Backup',
      actorType: 'servicePrincipal',
      outcome: 'success',
    });
  });
});

describe('the tables of devices', () => {
  test.each([
    ['LogonSuccess', 'success', 'informational'],
    ['LogonFailed', 'failure', 'informational'],
    ['AntivirusDetection', null, 'high'],
    ['AsrOfficeChildProcessBlocked', 'failure', 'medium'],
    ['AsrOfficeChildProcessAudited', null, 'informational'],
  ])('give %s the outcome %s and the severity %s', (action, outcome, severity) => {
    expect(showHuntingRow('DeviceEvents', { ActionType: action })).toMatchObject({ outcome, severity });
  });

  test('give the name of what the antivirus found', () => {
    const columns = {
      ActionType: 'AntivirusDetection',
      FileName: 'x.exe',
      AdditionalFields: '{"ThreatName":"Trojan:Win32/X"}',
    };
    expect(showHuntingRow('DeviceEvents', columns)).toMatchObject({
      resourceType: 'deviceFile',
      threat: { verdict: 'AntivirusDetection', name: 'Trojan:Win32/X', source: 'Microsoft Defender Antivirus' },
    });
  });

  test('give an accepted connection the remote address as its source', () => {
    const addresses = { LocalIP: '10.0.0.1', RemoteIP: '198.51.100.7', RemotePort: 443 };
    expect(showHuntingRow('DeviceNetworkEvents', { ActionType: 'ConnectionSuccess', ...addresses })).toMatchObject({
      actorIp: '10.0.0.1',
      resourceId: '198.51.100.7',
    });
    expect(
      showHuntingRow('DeviceNetworkEvents', { ActionType: 'InboundConnectionAccepted', ...addresses }),
    ).toMatchObject({
      actorIp: '198.51.100.7',
      outcome: 'success',
    });
  });

  test('give the account that signed in rather than the process that let it', () => {
    const columns = {
      ActionType: 'LogonSuccess',
      AccountName: 'ada',
      AccountSid: 'S-1-12-1-7',
      InitiatingProcessAccountSid: 'S-1-5-18',
      RemoteIP: '198.51.100.7',
      LogonId: 717143,
    };
    expect(showHuntingRow('DeviceLogonEvents', columns)).toMatchObject({
      actorId: 'S-1-12-1-7',
      actorName: 'ada',
      actorType: 'user',
      actorIp: '198.51.100.7',
      sessionId: '717143',
      details: { InitiatingProcessAccountSid: 'S-1-5-18' },
    });
  });
});

describe('the tables of alerts', () => {
  test('give an alert with its severity and service', () => {
    const columns = {
      AlertId: 'da1',
      Title: 'Suspicious process',
      Severity: 'High',
      Category: 'Execution',
      ServiceSource: 'Microsoft Defender for Endpoint',
      DetectionSource: 'EDR',
      AttackTechniques: '["Scripting (T1064)"]',
    };
    expect(showHuntingRow('AlertInfo', columns)).toMatchObject({
      action: 'AlertInfo',
      severity: 'high',
      resourceId: 'da1',
      resourceName: 'Suspicious process',
      resourceType: 'alert',
      threat: { verdict: 'Execution', level: 'High', source: 'Microsoft Defender for Endpoint' },
      details: { AttackTechniques: '["Scripting (T1064)"]', DetectionSource: 'EDR' },
    });
  });

  test('give the state of an alert in addition to its row', () => {
    const columns = {
      AlertId: 'da1',
      Title: 'Suspicious process',
      Severity: 'High',
      Category: 'Execution',
      ServiceSource: 'Microsoft Defender for Endpoint',
      DetectionSource: 'EDR',
      AttackTechniques: '["Scripting (T1064)","Other"]',
    };
    const outcomes = read(format, huntingRecord('AlertInfo', columns));
    expect(ends(outcomes)).toEqual(['log', 'state']);
    const [, outcome] = outcomes;
    const state = outcome?.kind === 'state' ? outcome.state : null;
    expect(state).toMatchObject({
      id: 'da1',
      columns: { severity: 'high', service_source: 'microsoftDefenderForEndpoint' },
    });
    expect(JSON.parse(`{${state?.members}}`)).toMatchObject({
      title: 'Suspicious process',
      status: null,
      mitreTechniques: ['T1064', 'Other'],
      createdDateTime: '2026-11-20T08:15:30.123Z',
    });
    expect(ends(read(format, huntingRecord('AlertInfo', { AlertId: null })))).toEqual(['log']);
    expect(ends(read(format, huntingRecord('AlertEvidence', columns)))).toEqual(['log', 'state']);
  });

  test('give a piece of evidence with the alert and what it is about', () => {
    const columns = {
      AlertId: 'da1',
      EntityType: 'File',
      SHA256: 'aa',
      FileName: 'x.exe',
      AccountObjectId: 'u-1',
      AccountUpn: 'ada@contoso.example',
    };
    expect(showHuntingRow('AlertEvidence', columns)).toMatchObject({
      resourceId: 'da1',
      targets: [
        { id: 'aa', name: 'x.exe', type: 'file' },
        { id: 'u-1', name: 'ada@contoso.example', type: 'user' },
      ],
    });
  });
});

function remove(members: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([each]) => each !== name));
}

function rename(members: Record<string, unknown>, name: string): Record<string, unknown> {
  return { ...remove(members, name), [`${name}V2`]: members[name] };
}

const tables =
  `AlertInfo AlertEvidence CloudAppEvents EmailEvents EmailPostDeliveryEvents EmailAttachmentInfo EmailUrlInfo
  UrlClickEvents IdentityLogonEvents IdentityDirectoryEvents IdentityQueryEvents AADSignInEventsBeta
  AADSpnSignInEventsBeta DeviceEvents DeviceProcessEvents DeviceFileEvents DeviceLogonEvents DeviceNetworkEvents
  DeviceRegistryEvents DeviceInfo DeviceImageLoadEvents DeviceFileCertificateInfo DeviceNetworkInfo Other`.split(/\s+/);
const allColumns =
  `ActionType ReportId DeviceId AadDeviceId DeviceName AccountObjectId AccountUpn AccountSid AccountName AccountDomain
  AccountType AlertId Title Severity ThreatTypes ThreatNames DetectionMethods DeliveryAction NetworkMessageId Subject
  SenderObjectId SenderFromAddress SenderIPv4 RecipientObjectId RecipientEmailAddress Url IPAddress RemoteIP LocalIP
  ActivityObjects RawEventData AdditionalFields ErrorCode LogonType RiskEventTypes ApplicationId Latitude SHA256
  FileName FolderPath RegistryKey InitiatingProcessAccountSid InitiatingProcessAccountDomain EntityType`.split(/\s+/);
