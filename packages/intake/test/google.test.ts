import { describe, expect, test } from 'vitest';
import { ends, read, readDocument, readRow } from './message.ts';

const format = 'google.reports.activity';
const envelope = {
  kind: 'admin#reports#activity',
  id: {
    time: '2026-11-20T08:15:30.000Z',
    uniqueQualifier: '-7312729053723258069',
    applicationName: 'drive',
    customerId: 'C1',
  },
  actor: { callerType: 'USER', email: 'Ada@contoso.example', profileId: '117433848155128707444' },
  ipAddress: '2001:db8::7',
};
const view = {
  type: 'access',
  name: 'view',
  parameters: [
    { name: 'doc_id', value: 'doc-1' },
    { name: 'doc_title', value: 'Plan' },
    { name: 'doc_type', value: 'document' },
  ],
};

test('an event becomes a document', () => {
  expect(readDocument(format, { ...envelope, events: [view] })).toMatchObject({
    occurredAt: '2026-11-20T08:15:30.000Z',
    action: 'view',
    description: 'Ada@contoso.example performed view on Plan in GoogleDrive.',
    severity: 'informational',
    actorId: '117433848155128707444',
    actorName: 'Ada@contoso.example',
    actorType: 'user',
    actorIp: '2001:db8::7',
    resourceId: 'doc-1',
    resourceName: 'Plan',
    resourceType: 'file',
    workload: 'GoogleDrive',
    sourceType: 'googleWorkspace',
    sourceName: 'drive',
    externalEventId: '2026-11-20T08:15:30.000Z/-7312729053723258069/0',
  });
});

test('digits of numbers beyond 2^53 are preserved', () => {
  const text = JSON.stringify({ ...envelope, events: [view] })
    .replace('"117433848155128707444"', '117433848155128707444')
    .replace('"-7312729053723258069"', '-7312729053723258069');
  expect(readDocument(format, text)).toMatchObject({
    actorId: '117433848155128707444',
    externalEventId: '2026-11-20T08:15:30.000Z/-7312729053723258069/0',
  });
});

test('an envelope gives one row per event', () => {
  const outcomes = read(format, { ...envelope, events: [view, 'x', { ...view, name: 'download' }, {}] });
  expect(ends(outcomes)).toEqual(['log', 'SCHEMA_VIOLATION', 'log', 'MISSING_ACTION']);
  const third = outcomes[2];
  expect(third?.kind === 'log' && third.row.columns).toMatchObject({
    action: 'download',
    externalEventId: '2026-11-20T08:15:30.000Z/-7312729053723258069/2',
  });
});

test('elements are numbered through a message, across envelopes', () => {
  const outcomes = read(format, {
    items: [
      { ...envelope, events: [view, view] },
      { ...envelope, events: [] },
      { ...envelope, events: view },
    ],
  });
  expect(ends(outcomes)).toEqual(['log', 'log', 'MISSING_ACTION', 'log']);
  expect(outcomes.map(({ element }) => element)).toEqual([0, 1, 2, 3]);
});

test('an envelope split by a collector or flattened by a warehouse is read too', () => {
  expect(readDocument(format, { ...envelope, events: view })).toMatchObject({ action: 'view', resourceId: 'doc-1' });
  const flat = { ...envelope, name: 'view', type: 'access', parameters: { doc_id: 'doc-1', doc_title: 'Plan' } };
  expect(readDocument(format, flat)).toMatchObject({ action: 'view', resourceId: 'doc-1', resourceName: 'Plan' });
  expect(ends(read(format, envelope))).toEqual(['MISSING_ACTION']);
});

describe('a missing member of an event', () => {
  test.each([
    [{ ...envelope, id: { applicationName: 'drive' }, events: [view] }, 'MISSING_TIMESTAMP'],
    [{ ...envelope, id: null, events: [view] }, 'MISSING_TIMESTAMP'],
    [{ ...envelope, id: { time: 'x' }, events: [view] }, 'INVALID_TIMESTAMP'],
  ])('causes a rejection where it is required', (payload, reason) => {
    expect(ends(read(format, payload))).toEqual([reason]);
  });
  test('is null in the document where it is optional', () => {
    const document = readDocument(format, { id: { time: '2026-11-20 08:15:30.693000000' }, events: [{ name: 'x' }] });
    expect(document).toMatchObject({
      actorType: 'unknown',
      workload: 'Google',
      externalEventId: null,
      sourceName: null,
    });
    expect(document.occurredAt).toBe('2026-11-20T08:15:30.693Z');
  });
});

const ownerDomain = 'contoso.example';

test.each<[Record<string, unknown>, string, string | null, string | null]>([
  [{ callerType: 'KEY', key: 'SYSTEM' }, 'system', 'SYSTEM', 'SYSTEM'],
  [{ callerType: 'KEY', key: 'consumer' }, 'application', 'consumer', 'consumer'],
  [{ callerType: 'USER', email: '', profileId: '' }, 'anonymous', null, null],
  [{ callerType: 'EXTERNAL_USER', email: 'eve@home.example' }, 'guest', 'eve@home.example', 'eve@home.example'],
  [{ callerType: 'USER', profileId: '105250506097979753968' }, 'anonymous', null, null],
  [{ callerType: 'USER', profileId: '117' }, 'user', '117', null],
  [{ callerType: 'USER', email: 'Eve@home.example', ownerDomain }, 'guest', 'eve@home.example', 'Eve@home.example'],
  [
    { callerType: 'USER', email: 'Eve@home.example', profileId: '105250506097979753968', ownerDomain },
    'guest',
    'eve@home.example',
    'Eve@home.example',
  ],
  [{ email: 'ada@CONTOSO.example', ownerDomain }, 'user', 'ada@contoso.example', 'ada@CONTOSO.example'],
  [{ email: 'ada@second.example', profileId: '117', ownerDomain }, 'user', '117', 'ada@second.example'],
  [{ applicationInfo: { oauthClientId: '32555', applicationName: 'Backup' } }, 'application', '32555', 'Backup'],
  [{ callerType: 'USER', applicationInfo: [], email: {}, key: 5 }, 'anonymous', '5', '5'],
  [{ callerType: 'APPLICATION', email: 'bot@x.example' }, 'application', 'bot@x.example', 'bot@x.example'],
  [{ email: 'Bob@x.example' }, 'user', 'bob@x.example', 'Bob@x.example'],
  [{ callerType: '__proto__' }, 'unknown', null, null],
])('the actor %o is a %s', ({ ownerDomain, ...actor }, actorType, actorId, actorName) => {
  expect(readDocument(format, { ...envelope, actor, ownerDomain, events: view })).toMatchObject({
    actorType,
    actorId,
    actorName,
  });
});

test.each([
  ['user_accounts', [], 'GoogleUserAccounts', null, null],
  ['gemini_in_workspace_apps', [], 'GoogleGeminiInWorkspaceApps', null, null],
  [
    'admin',
    [
      { name: 'USER_EMAIL', value: 'bob@x.example' },
      { name: 'ORG_UNIT_NAME', value: 'o' },
    ],
    'GoogleAdmin',
    'user',
    'bob@x.example',
  ],
  ['groups', [{ name: 'group_email', value: 'g@x.example' }], 'GoogleGroups', 'group', 'g@x.example'],
  [
    'drive',
    [
      { name: 'doc_id', value: 'd' },
      { name: 'doc_type', value: 'folder' },
    ],
    'GoogleDrive',
    'folder',
    'd',
  ],
  [
    'token',
    [
      { name: 'client_id', value: 'c' },
      { name: 'app_name', value: 'App' },
    ],
    'GoogleToken',
    'application',
    'c',
  ],
  [
    'saml',
    [
      { name: 'application_name', value: 'Salesforce' },
      { name: 'device_id', value: 'dev-1' },
    ],
    'GoogleSaml',
    'application',
    'Salesforce',
  ],
  [
    'chat',
    [
      { name: 'room_id', value: 'r-1' },
      { name: 'room_name', value: 'Deals' },
    ],
    'GoogleChat',
    'chat',
    'r-1',
  ],
  ['vault', [{ name: 'matter_id', value: 'm-1' }], 'GoogleVault', 'matter', 'm-1'],
  ['keep', [{ name: 'note_name', value: 'n-1' }], 'GoogleKeep', 'note', 'n-1'],
  ['admin', [{ name: 'DOMAIN_NAME', multiValue: ['x.example', 'y.example'] }], 'GoogleAdmin', 'domain', 'x.example'],
])('an event of %s has its resource', (applicationName, parameters, workload, resourceType, resourceId) => {
  const payload = { ...envelope, id: { ...envelope.id, applicationName }, events: { name: 'x', parameters } };
  expect(readDocument(format, payload)).toMatchObject({ workload, resourceType, resourceId });
});

test.each([
  ['login_success', 'success', 'informational'],
  ['login_failure', 'failure', 'low'],
  ['ACCESS_DENY_EVENT', 'failure', 'informational'],
  ['CHROME_OS_LOGIN_EVENT', 'success', 'informational'],
  ['CHROME_OS_LOGIN_FAILURE_EVENT', 'failure', 'informational'],
  ['email_forwarding_out_of_domain', null, 'high'],
  ['gov_attack_warning', null, 'critical'],
  ['CREATE_ROLE', null, 'medium'],
  ['change_user_access', null, 'low'],
  ['CHANGE_PASSWORD', null, 'low'],
  ['password_edit', null, 'low'],
  ['view', null, 'informational'],
])('%s has the outcome %s and the severity %s', (name, outcome, severity) => {
  expect(readRow(format, { ...envelope, events: { name } }).columns).toMatchObject({ outcome, severity });
});

test.each([
  ['EVENT_RESULT_ALLOWED', 'success'],
  ['EVENT_RESULT_BYPASSED', 'success'],
  ['EVENT_RESULT_BLOCKED', 'failure'],
  ['EVENT_RESULT_WARNED', null],
])('what Chrome handled with %s has the outcome %s', (value, outcome) => {
  const event = { name: 'SENSITIVE_DATA_TRANSFER', parameters: [{ name: 'EVENT_RESULT', value }] };
  expect(readRow(format, { ...envelope, events: event }).columns.outcome).toBe(outcome);
});

test('sharing a document with external users has the severity medium', () => {
  const shared = (visibility: string) =>
    readDocument(format, {
      ...envelope,
      events: { name: 'change_user_access', parameters: [{ name: 'visibility', value: visibility }] },
    }).severity;
  expect(['shared_externally', 'people_with_link', 'shared_internally', 'private'].map(shared)).toEqual([
    'medium',
    'medium',
    'low',
    'low',
  ]);
});
