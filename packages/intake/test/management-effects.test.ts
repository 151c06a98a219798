import { expect, test } from 'vitest';
import { guid, otherGuid, readFields } from './management-record.ts';

const named = (members: Record<string, unknown>) => Object.entries(members).map(([Name, Value]) => ({ Name, Value }));

test('the targets of a directory change are one per object, in their order', () => {
  const { targets, details } = readFields({
    RecordType: 8,
    Operation: 'Add member to group.',
    Workload: 'AzureActiveDirectory',
    Target: [
      { ID: `User_${guid}`, Type: 2 },
      { ID: guid, Type: 2 },
      { ID: 'User', Type: 2 },
      { ID: 'bob@contoso.example', Type: 5 },
      { ID: '1003200096971F55', Type: 3 },
      { ID: `ServicePrincipal_${otherGuid}`, Type: 2 },
      { ID: otherGuid, Type: 2 },
      { ID: 'ServicePrincipal', Type: 2 },
      { ID: 'Payroll', Type: 1 },
      { ID: 'https://payroll.example', Type: 4 },
    ],
  });
  expect(targets).toEqual([
    { id: guid, name: 'bob@contoso.example', type: 'User' },
    { id: otherGuid, name: 'Payroll', type: 'ServicePrincipal' },
  ]);
  expect(details).toMatchObject({ Target: '1003200096971F55, https://payroll.example' });
});

test.each([
  [
    { Members: [{ UPN: 'bob@contoso.example', DisplayName: 'Bob', Role: 1 }] },
    { id: 'bob@contoso.example', name: 'Bob', type: null },
  ],
  [{ AffectedItems: [{ Id: 'i', InternetMessageId: '<m@x>', Subject: 's' }] }, { id: '<m@x>', name: 's', type: null }],
  [
    { TargetUserOrGroupName: 'eve@other.example', TargetUserOrGroupType: 'Guest' },
    { id: 'eve@other.example', name: 'eve@other.example', type: 'Guest' },
  ],
  [
    { TargetUserOrGroupName: 'urn:spo:guest#eve@other.example', TargetUserOrGroupType: 'Guest' },
    { id: 'eve@other.example', name: 'eve@other.example', type: 'Guest' },
  ],
  [
    { TargetUserOrGroupName: 'eve_other.example#EXT#@contoso.example', TargetUserOrGroupType: 'Member' },
    { id: 'eve_other.example#EXT#@contoso.example', name: 'eve@other.example', type: 'Member' },
  ],
  [
    { TargetUserOrGroupName: 'Everyone', TargetUserOrGroupType: 'SecurityGroup' },
    { id: null, name: 'Everyone', type: 'SecurityGroup' },
  ],
  [{ Receivers: ['bob@contoso.example'] }, { id: 'bob@contoso.example', name: null, type: null }],
  [{ Recipients: ['bob@contoso.example'] }, { id: 'bob@contoso.example', name: null, type: null }],
  [{ ExchangeMetaData: { CC: ['bob@contoso.example'] } }, { id: 'bob@contoso.example', name: null, type: null }],
])('%j is a target', (changes, target) => {
  expect(readFields(changes).targets).toEqual([target]);
});

test.each([
  { Item: { ParentFolder: { MemberRights: 'ReadAny', MemberUpn: 'eve@other.example' } } },
  { MembershipInformation: [{ MemberEmail: 'eve@other.example' }] },
  { TargetUserId: 'eve@other.example' },
  { RecipientUPN: 'eve@other.example' },
  { ReleaseTo: 'eve@other.example' },
])('the account of %j is a target', (changes) => {
  expect(readFields(changes).targets).toEqual([{ id: 'eve@other.example', name: 'eve@other.example', type: null }]);
});

test('a cmdlet that gives rights has the object and the trustees as targets, another has no targets', () => {
  const rights = { Identity: 'ada', User: 'bob@contoso.example', AccessRights: 'FullAccess' };
  const { targets, details } = readFields({
    RecordType: 1,
    Operation: 'Add-MailboxPermission',
    Parameters: named(rights),
  });
  expect(targets).toEqual([
    { id: 'ada', name: null, type: null },
    { id: 'bob@contoso.example', name: null, type: null },
  ]);
  expect(details).toMatchObject(rights);
  expect(
    readFields({ RecordType: 1, Operation: 'Set-Mailbox', Parameters: named({ Identity: 'ada' }) }).targets,
  ).toBeNull();
});

test('of many targets the first 32 are served, and the row is marked', () => {
  const Members = Array.from({ length: 50 }, (_, number) => ({ UPN: `u${number}@contoso.example` }));
  const { targets, truncated } = readFields({ Members });
  expect(targets).toHaveLength(32);
  expect(truncated).toBe(true);
});

test.each([
  ['"x"', 'x'],
  ['["x"]', 'x'],
  ['[\r\n  "x \\"y\\""\r\n]', 'x "y"'],
  ['["x","y"]', '["x","y"]'],
  ['[]', '[]'],
  ['"x', '"x'],
  ['plain', 'plain'],
  [true, 'true'],
  [7, '7'],
  [['x'], '["x"]'],
  [{ a: 1 }, '{"a":1}'],
  ['', null],
  [undefined, null],
])('the value %j of a modified property is served as %s', (NewValue, after) => {
  expect(readFields({ ModifiedProperties: [{ Name: 'p', OldValue: '', NewValue }] }).changes).toEqual([
    { name: 'p', before: null, after },
  ]);
});

test('properties named without values and settings with values are changes', () => {
  expect(readFields({ ModifiedProperties: ['HtmlBody', 3, null] }).changes).toEqual([
    { name: 'HtmlBody', before: null, after: null },
    { name: '3', before: null, after: null },
  ]);
  expect(readFields({ Property: 'Sharing', OldValue: 'Off', NewValue: 'On' }).changes).toEqual([
    { name: 'Sharing', before: 'Off', after: 'On' },
  ]);
  expect(readFields({ ModifiedProperties: [] }).changes).toBeNull();
});

test('parameters are details under their own names, empty ones included and secrets masked', () => {
  const { details } = readFields({
    RecordType: 1,
    Parameters: [...named({ ForwardingSmtpAddress: '', Password: 'Hunter2-Hunter2', Members: ['a', 'b'] }), 5, null],
  });
  expect(details).toMatchObject({ ForwardingSmtpAddress: '', Password: '[removed]', Members: 'a, b' });
  expect(readFields({ Parameters: '-Identity "ada"' }).details).toMatchObject({ Parameters: '-Identity "ada"' });
});

test('properties of mail access, of apps and of sharing are details', () => {
  const { details } = readFields({
    OperationProperties: named({ MailAccessType: 'Bind', IsThrottled: 'False' }),
    ExtraProperties: [{ Key: 'k', Value: 'v' }],
    OperationCount: 2,
    Folders: [{ Path: '\\Inbox', FolderItems: [{ InternetMessageId: '<1@x>' }, { InternetMessageId: '<2@x>' }] }],
    EventData: '<Type>Edit</Type><Permissions granted>Contribute</Permissions granted>',
    UniqueSharingId: guid,
    Data: '{"etype":"User","n":{"deep":[1,2]}}',
    ClientRequestId: '{d822fb8b-6c90-4acd-afbb-325f5b9f1856}',
  });
  expect(details).toMatchObject({
    MailAccessType: 'Bind',
    IsThrottled: 'False',
    k: 'v',
    OperationCount: '2',
    'Folders.Path': '\\Inbox',
    'FolderItems.InternetMessageId': '<1@x>, <2@x>',
    'EventData.Type': 'Edit',
    'EventData.Permissions granted': 'Contribute',
    UniqueSharingId: guid,
    'Data.etype': 'User',
    'n.deep': '1, 2',
    ClientRequestId: '{d822fb8b-6c90-4acd-afbb-325f5b9f1856}',
  });
});

test('a consent has its scopes whole, also where a change is truncated', () => {
  const scopes = Array.from({ length: 60 }, (_, number) => `Application.ReadWrite.All${number}`).join(' ');
  const { changes, details } = readFields({
    RecordType: 8,
    Operation: 'Consent to application.',
    ModifiedProperties: [
      { Name: 'ConsentContext.IsAdminConsent', OldValue: '', NewValue: 'True' },
      { Name: 'ConsentAction.Permissions', OldValue: '', NewValue: `[] => [[Scope: ${scopes}]]` },
      { Name: 'TargetId.UserType', OldValue: '', NewValue: 'Member' },
    ],
  });
  expect((changes as { after: string }[])[1]?.after).toHaveLength(1_024);
  expect(details).toMatchObject({
    'ConsentAction.Permissions': `[] => [[Scope: ${scopes}]]`,
    'ConsentContext.IsAdminConsent': 'True',
  });
  expect(details).not.toHaveProperty('TargetId.UserType');
});

test('placeholders and empty objects are no targets and no details', () => {
  const { targets, details } = readFields({
    RecordType: 15,
    Target: [{ ID: 'Not Available', Type: 0 }],
    ExtendedProperties: named({ additionalDetails: '{}' }),
  });
  expect(targets).toBeNull();
  expect(details).not.toHaveProperty('additionalDetails');
});

const dlp = (Rules: unknown, changes: Record<string, unknown> = {}) =>
  readFields({
    RecordType: 13,
    Operation: 'DlpRuleMatch',
    ExchangeMetaData: { From: 'ada@contoso.example', Subject: 'Cards', To: ['bob@other.example'] },
    PolicyDetails: [{ PolicyId: guid, PolicyName: 'Cards', Rules }],
    ...changes,
  });
const rule = {
  RuleName: 'Many cards',
  Actions: ['NotifyUser', 'BlockAccess'],
  ConditionsMatched: {
    SensitiveInformation: [
      {
        SensitiveType: otherGuid,
        SensitiveInformationTypeName: 'Credit Card Number',
        Count: 12,
        SensitiveInformationDetections: {
          DetectedValues: [{ Name: '4111 1111 1111 1111', Value: 'before 4111 1111 1111 1111' }],
        },
        DetectedValues: ['4111 1111 1111 1111'],
      },
    ],
  },
};

test('a match of data loss prevention names policy, rule, actions, types and counts, never what was detected', () => {
  const fields = dlp([rule]);
  expect(fields.details).toMatchObject({
    'PolicyDetails.PolicyName': 'Cards',
    'Rules.RuleName': 'Many cards',
    'Rules.Actions': 'NotifyUser, BlockAccess',
    'SensitiveInformation.SensitiveInformationTypeName': 'Credit Card Number',
    'SensitiveInformation.Count': '12',
  });
  expect(JSON.stringify(fields)).not.toContain('4111');
  expect(fields).toMatchObject({ threat: null, targets: [{ id: 'bob@other.example', name: null, type: null }] });
});

test('a match that blocked does not read as done; one in test mode or without a block does', () => {
  const blocked = 'was blocked by a data loss prevention rule';
  expect(dlp([rule]).description).toContain(blocked);
  expect(dlp([{ ...rule, RuleMode: 'AuditAndNotify' }]).description).not.toContain(blocked);
  expect(dlp([{ ...rule, Actions: ['NotifyUser'] }]).description).toContain('matched a data loss prevention rule');
  expect(dlp([], { RecordType: 63, EndpointMetaData: { EnforcementMode: 4 } }).description).toContain(blocked);
});

test.each(
  [
    null,
    1,
    'x',
    true,
    [],
    {},
    [null, [[]], 'x', {}, { Name: {}, Value: [] }, { ID: {}, Type: [] }],
    { a: { b: [{}] } },
  ].flatMap((value) => [1, 8, 13, 14, 15, 25, 28, 40, 50, 261, 294].map((type) => [value, type] as const)),
)('the value %j in every member of a record of type %i costs no record', (value, RecordType) => {
  const members =
    'Actor Target ModifiedProperties ExtendedProperties DeviceProperties Parameters OperationProperties ExtraProperties Members AffectedItems Folders Folder Item PolicyDetails ExchangeMetaData SharePointMetaData EndpointMetaData CopilotEventData AppAccessContext EventData Data Recipients LogonError ErrorNumber UserAgent ClientInfoString TargetUserOrGroupName OldValue NewValue FileData ThreatsAndDetectionTech VirusInfo Category Severity Platform ResultStatus'.split(
      ' ',
    );
  const fields = readFields({ RecordType, ...Object.fromEntries(members.map((member) => [member, value])) });
  expect(fields).toMatchObject({ recordType: String(RecordType), truncated: false });
});
