import { formatLogRow } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { format, guid, otherGuid, readFields } from './management-record.ts';
import { azureTenantId, ends, management, read, readDocument, readRow, tenantId } from './message.ts';

test('a record becomes a document with every member of the contract', () => {
  expect(
    readFields({
      ObjectId: 'https://contoso.example/Documents/Plan.docx',
      SourceFileName: 'Plan.docx',
      ItemType: 'File',
    }),
  ).toEqual({
    id: expect.stringMatching(/^01a1f806-60d0-8/),
    occurredAt: '2026-11-20T08:15:30.000Z',
    discoveredAt: '0000-00-00T00:00:00.000Z',
    action: 'FileDownloaded',
    description: 'Ada.Lovelace@contoso.example downloaded the file Plan.docx in SharePoint.',
    severity: 'informational',
    actorId: '10032001abcdef01',
    actorName: 'Ada.Lovelace@contoso.example',
    actorType: 'user',
    actorIp: '203.0.113.7',
    resourceId: 'https://contoso.example/Documents/Plan.docx',
    resourceName: 'Plan.docx',
    resourceType: 'file',
    workload: 'SharePoint',
    sourceType: 'microsoft365',
    sourceName: 'Audit.SharePoint',
    clientApp: null,
    deviceId: null,
    deviceName: null,
    isManagedDevice: null,
    applicationId: null,
    applicationClientId: null,
    applicationDisplayName: null,
    externalEventId: '5f0c1d2e-1111-4222-8333-944455556666',
    tenantId,
    outcome: null,
    recordType: '6',
    category: null,
    errorCode: null,
    outcomeReason: null,
    sessionId: null,
    correlationId: null,
    userAgent: null,
    deviceOs: null,
    location: null,
    actorUserId: null,
    signIn: null,
    targets: null,
    changes: null,
    details: { OrganizationId: azureTenantId, UserType: '0' },
    threat: null,
    ai: null,
    truncated: false,
  });
});

test('a record without an operation or a time is rejected', () => {
  for (const Operation of [undefined, null, '', '  ', {}, []]) {
    expect(ends(read(format, management({ Operation })))).toEqual(['MISSING_ACTION']);
  }
  expect(ends(read(format, management({ CreationTime: undefined })))).toEqual(['MISSING_TIMESTAMP']);
  expect(ends(read(format, management({ CreationTime: 'x' })))).toEqual(['INVALID_TIMESTAMP']);
  expect(ends(read(format, management({ CreationTime: '2026-12-24T00:00:00' })))).toEqual(['FUTURE_TIMESTAMP']);
});

describe.each([
  ['in lower case', (name: string) => name.toLowerCase()],
  ['that begin with a small letter', (name: string) => name.charAt(0).toLowerCase() + name.slice(1)],
] as const)('a record with names %s, as columns of a warehouse have them,', (_, rename) => {
  const forwarding = management({
    Operation: 'New-InboxRule',
    RecordType: 1,
    Workload: 'Exchange',
    ClientIP: '203.0.113.7:10736',
    ObjectId: 'ABC001.prod.outlook.com/contoso.example/ada\\Invoices',
    OrganizationName: 'contoso.example',
    Parameters: [
      { Name: 'Mailbox', Value: 'ada@contoso.example' },
      { Name: 'ForwardTo', Value: 'eve@fabrikam.example' },
    ],
    ResultStatus: 'True',
  });
  const renamed = Object.fromEntries(Object.entries(forwarding).map(([name, value]) => [rename(name), value]));

  test('is the same row', () => {
    const document = readDocument(format, renamed);
    expect(document).toEqual(readDocument(format, forwarding));
    expect(document).toMatchObject({ severity: 'high', actorIp: '203.0.113.7', outcome: 'success' });
    expect(readRow(format, renamed).facts).toEqual(readRow(format, forwarding).facts);
    expect(readDocument(format, { [rename('AuditData')]: JSON.stringify(renamed) })).toEqual(document);
    expect(readDocument(format, { message: JSON.stringify(renamed) })).toEqual(document);
  });

  test('hides contents and secrets', () => {
    const text = JSON.stringify(
      readDocument(format, { ...renamed, [rename('MessageText')]: 'private', clientsecret: 'private' }),
    );
    expect(text).not.toContain('private');
  });

  test('is another row for each value of a name that it repeats', () => {
    const repeated = (value: string) => JSON.stringify(renamed).replace('{', `{"${rename('UserKey')}":"${value}",`);
    expect(readDocument(format, repeated('1')).id).not.toBe(readDocument(format, repeated('2')).id);
  });

  test('has a member in both spellings as it was received', () => {
    const both = readDocument(format, { ...renamed, Operation: 'Set-Mailbox' });
    expect(both).toMatchObject({ action: 'Set-Mailbox', details: { [rename('Operation')]: 'New-InboxRule' } });
  });
});

test('the action is unchanged except for surrounding white space, and its column is in lower case', () => {
  const row = readRow(format, management({ Operation: 'Update application – Certificates and secrets management ' }));
  expect(JSON.parse(formatLogRow(row))).toMatchObject({
    action: 'Update application – Certificates and secrets management',
  });
  expect(row.columns.action).toBe('update application – certificates and secrets management');
  expect(readFields({ Operation: 'Add service principal.' }).action).toBe('Add service principal.');
});

test('outer rows give their inner record, and a row without a record is rejected', () => {
  const outer = { RecordType: 'SharePoint', CreationDate: '5/18/2021 9:13:33 PM' };
  expect(readRow(format, { ...outer, AuditData: JSON.stringify(management()) }).occurredAtMs).toBe(
    Date.UTC(2026, 10, 20, 8, 15, 30),
  );
  expect(ends(read(format, { ...outer, AuditData: '' }))).toEqual(['EMPTY_PAYLOAD']);
  expect(ends(read(format, { ...outer, AuditData: null }))).toEqual(['EMPTY_PAYLOAD']);
  expect(ends(read(format, { ...outer, AuditData: '{' }))).toEqual(['INVALID_JSON']);
  expect(ends(read(format, { ...outer, AuditData: '[]' }))).toEqual(['SCHEMA_VIOLATION']);
  expect(ends(read(format, { ...outer, auditData: 7 }))).toEqual(['SCHEMA_VIOLATION']);
  expect(ends(read(format, [{ AuditData: '' }, management()]))).toEqual(['EMPTY_PAYLOAD', 'log']);
});

describe('the record type', () => {
  test.each([
    [25, 25],
    ['25', 25],
    ['25.0', 25],
    ['ExchangeAdmin', 1],
    ['azureActiveDirectoryStsLogon', 15],
    [463, 463],
    [-1, -1],
    ['SomethingNew', null],
    [1.5, null],
    [undefined, null],
    [{}, null],
  ])('%s is read as %s', (RecordType, expected) => {
    expect(readRow(format, management({ RecordType })).recordType).toBe(expected);
  });
});

describe('the feed', () => {
  test.each([
    [{ Workload: 'Exchange', RecordType: 1 }, 'Audit.Exchange'],
    [{ Workload: 'OneDrive' }, 'Audit.SharePoint'],
    [{ Workload: 'AzureActiveDirectory', RecordType: 8 }, 'Audit.AzureActiveDirectory'],
    [{ Workload: 'MicrosoftTeams', RecordType: 25 }, 'Audit.General'],
    [{ Workload: 'Exchange', RecordType: 13 }, 'DLP.All'],
    [{ Workload: 'Endpoint', RecordType: 63 }, 'DLP.All'],
    [{ Workload: 'constructor', RecordType: 999 }, 'Audit.General'],
  ])('of %o has the value %s', (changes, feed) => {
    expect(readFields(changes)).toMatchObject({
      sourceName: feed,
      sourceType: 'microsoft365',
      workload: changes.Workload,
    });
  });
});

describe('the address', () => {
  test('is the first valid one, with the newest member first', () => {
    const all = {
      ActorIP: '192.0.2.1',
      ClientIPAddress: '192.0.2.2',
      ClientIP: '192.0.2.3',
      ActorIpAddress: '192.0.2.4',
      UserIp: '192.0.2.5',
      SenderIp: '192.0.2.6',
    };
    const order = Object.keys(all) as (keyof typeof all)[];
    const record: Record<string, unknown> = { ...all };
    for (const member of order) {
      expect(readFields(record).actorIp).toBe(all[member]);
      record[member] = 'Not Available';
    }
    expect(readFields(record).actorIp).toBeNull();
  });
  test('is never a server build', () => {
    expect(readFields({ ClientIP: null, OriginatingServer: 'DB6PR04MB3206 (15.20.4129.32)' }).actorIp).toBeNull();
  });
});

describe('the outcome', () => {
  const signIn = {
    RecordType: 15,
    Operation: 'UserLoggedIn',
    Workload: 'AzureActiveDirectory',
    ResultStatus: 'Success',
  };
  test.each([
    ['a sign-in', signIn, 'success'],
    ['a failed sign-in with a successful result status', { ...signIn, Operation: 'UserLoginFailed' }, 'failure'],
    ['a sign-in with an error number', { ...signIn, ErrorNumber: '50126' }, 'failure'],
    ['a sign-in with error number 0', { ...signIn, ErrorNumber: '0', LogonError: 'None' }, 'success'],
    ['a sign-in with a logon error', { ...signIn, LogonError: 'InvalidUserNameOrPassword' }, 'failure'],
    ['an interrupted sign-in', { ...signIn, Operation: 'UserLoginFailed', ErrorNumber: 50058 }, null],
    [
      'a sign-in that a logon error interrupts',
      { ...signIn, Operation: 'UserLoginFailed', LogonError: 'UserStrongAuthClientAuthNRequiredInterrupt' },
      null,
    ],
    ['a request to select an account', { ...signIn, Operation: 'UserLoginFailed', ErrorNumber: '16000' }, null],
    ['True', { ResultStatus: 'True' }, 'success'],
    ['False', { ResultStatus: 'False' }, 'failure'],
    ['TRUE', { ResultStatus: 'TRUE' }, 'success'],
    ['Succeeded', { ResultStatus: 'Succeeded' }, 'success'],
    ['PartiallySucceeded', { ResultStatus: 'PartiallySucceeded' }, 'partial'],
    ['failed', { ResultStatus: 'failed' }, 'failure'],
    ['InProgress', { ResultStatus: 'InProgress' }, null],
    ['success of Power BI', { IsSuccess: true }, 'success'],
    ['failure of Power BI', { IsSuccess: false }, 'failure'],
    ['success in the portal', { RecordType: 154, OperationStatus: 0 }, 'success'],
    ['failure in the portal', { RecordType: 154, OperationStatus: '1' }, 'failure'],
    ['nothing', {}, null],
  ])('of %s is read', (_what, changes, outcome) => {
    expect(readRow(format, management(changes)).columns.outcome).toBe(outcome);
  });
});

test('an event of a sensitivity label names the device', () => {
  expect(readFields({ Common: { DeviceName: 'pc-1' } }).deviceName).toBe('pc-1');
});

describe('the client', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/91.0.4472.77 Safari/537.36';
  test.each([
    [{ ClientInfoString: 'Client=REST;Client=RESTSystem;;', ClientProcessName: 'x' }, 'REST'],
    [{ ClientInfoString: 'Client=;x', ClientProcessName: 'OUTLOOK.EXE' }, 'OUTLOOK.EXE'],
    [{ CopilotEventData: { AppHost: 'Word' }, UserAgent: chrome }, 'Word'],
    [{ UserAgent: chrome }, 'Chrome'],
    [{ UserAgent: `${chrome} Edg/91.0` }, 'Edge'],
    [{ UserAgent: 'Mozilla/5.0 (Macintosh) Gecko/20100101 Firefox/72.0' }, 'Firefox'],
    [{ UserAgent: 'Mozilla/5.0 (something)' }, 'Mozilla'],
    [{ UserAgent: 'NONISV|Contoso|ContosoApp/1.0' }, 'ContosoApp'],
    [{ UserAgent: 'Microsoft Office/16.0 (Windows)' }, 'Microsoft Office'],
    [
      {
        ExtendedProperties: [
          { Name: 'x', Value: 'y' },
          { Name: 'UserAgent', Value: chrome },
        ],
      },
      'Chrome',
    ],
    [{ ExtendedProperties: '[{"Name":"UserAgent"}]' }, null],
    [{ UserAgent: '' }, null],
    [{ Application: 'Word' }, 'Word'],
    [{ Common: { ApplicationName: 'Information Protection Add-In' } }, 'Information Protection Add-In'],
  ])('of %o has the value %s', (changes, clientApp) => {
    expect(readFields(changes).clientApp).toBe(clientApp);
  });
});

describe('the device', () => {
  test.each([
    [
      {
        DeviceProperties: [
          { Name: 'Id', Value: 'd-1' },
          { Name: 'DisplayName', Value: 'LAPTOP-12' },
        ],
      },
      'd-1',
      'LAPTOP-12',
      null,
    ],
    [{ DeviceProperties: [{ Name: 'IsCompliantAndManaged', Value: 'True' }] }, null, null, true],
    [{ DeviceProperties: [{ Name: 'IsCompliantAndManaged', Value: 'False' }] }, null, null, null],
    [
      { IsManagedDevice: false, DeviceProperties: [{ Name: 'IsCompliantAndManaged', Value: 'True' }] },
      null,
      null,
      false,
    ],
    [{ IsManagedDevice: 'True', MachineId: 'm-1', ClientMachineName: 'DESK' }, 'm-1', 'DESK', true],
    [{ DeviceId: '', DeviceDisplayName: ' ' }, null, null, null],
    [{ EndpointMetaData: { DeviceName: 'KIOSK' } }, null, 'KIOSK', null],
  ])('of %o is read', (changes, deviceId, deviceName, isManagedDevice) => {
    expect(readFields(changes)).toMatchObject({ deviceId, deviceName, isManagedDevice });
  });
});

describe('the application', () => {
  const zeros = '00000000-0000-0000-0000-000000000000';
  test.each([
    [
      { AppAccessContext: { ClientAppId: guid.toUpperCase(), ClientAppName: 'Backup' }, ApplicationId: otherGuid },
      guid,
      'Backup',
    ],
    [{ AppAccessContext: { ClientAppId: 'x' }, ApplicationId: guid, ApplicationDisplayName: 'Media' }, guid, 'Media'],
    [{ ApplicationId: zeros, AppId: '', ClientAppId: guid }, guid, null],
    [{ AppId: 'contoso' }, null, null],
  ])('of %o is read', (changes, applicationClientId, applicationDisplayName) => {
    expect(readFields(changes)).toMatchObject({ applicationClientId, applicationDisplayName, applicationId: null });
  });
});
