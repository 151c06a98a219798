import type { Detection, SecurityAlert } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { toEcsAlert, toEcsDetection, toEcsLog } from '../src/index.ts';
import { createEvent } from './log-event.ts';

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

test('an event has its fields, and its other members under the name of the product', () => {
  const event = createEvent({
    resourceName: 'plan.docx',
    resourceType: 'file',
    actorId: 'u-1',
    actorName: 'mara@larkspur.example',
    actorIp: '203.0.113.7',
    severity: 'high',
    outcome: 'partial',
    location: { country: 'DE', region: null, city: 'Bonn', latitude: 50.7, longitude: 7.1 } as never,
    details: { SiteUrl: 'https://x.example' },
    targets: [],
  });
  expect(toEcsLog(event)).toEqual({
    '@timestamp': event.occurredAt,
    ecs: { version: '9.4.0' },
    event: {
      kind: 'event',
      category: ['file'],
      type: ['access'],
      module: 'tenantscope',
      dataset: 'tenantscope.logs',
      id: event.id,
      action: 'FileDownloaded',
      created: event.discoveredAt,
      severity: 75,
    },
    organization: { id: tenantId },
    user: { id: 'u-1', name: 'mara@larkspur.example', email: 'mara@larkspur.example' },
    source: {
      address: '203.0.113.7',
      ip: '203.0.113.7',
      geo: { city_name: 'Bonn', country_iso_code: 'DE', location: { lat: 50.7, lon: 7.1 } },
    },
    file: { name: 'plan.docx' },
    related: { user: ['u-1', 'mara@larkspur.example'], ip: ['203.0.113.7'] },
    tenantscope: {
      severity: 'high',
      resourceType: 'file',
      outcome: 'partial',
      location: event.location,
      details: { SiteUrl: 'https://x.example' },
      truncated: false,
    },
  });
});

test.each([
  ['UserLoginFailed', null, ['authentication'], ['start']],
  ['UserLoggedOff', null, ['authentication'], ['end']],
  ['Add user.', null, ['iam'], ['user', 'creation']],
  ['Disable account.', null, ['iam'], ['user', 'change']],
  ['Add member to role.', null, ['iam'], ['user', 'change']],
  ['Delete group.', null, ['iam'], ['group', 'deletion']],
  ['FileDeleted', 'file', ['file'], ['deletion']],
  ['SharingSet', 'file', ['file'], ['change']],
  ['Send', null, ['email'], ['info']],
  ['New-InboxRule', null, ['api'], ['creation']],
  ['Update policy', null, ['configuration'], ['change']],
  ['something of its own', null, undefined, ['info']],
])('%s of %s is of the categories %o with the types %o', (action, resourceType, category, type) => {
  const { event } = toEcsLog(createEvent({ action, resourceType })) as { event?: { category: unknown; type: unknown } };
  expect([event?.category, event?.type]).toEqual([category, type]);
});

test('the user and the group of a change of a group are its targets', () => {
  const targets = [
    { id: 'g-1', name: 'Finance', type: 'Group' },
    { id: 'u-2', name: 'noor@larkspur.example', type: 'User' },
  ];
  expect(toEcsLog(createEvent({ action: 'Add member to group.', targets, actorId: 'u-1' }))).toMatchObject({
    user: { id: 'u-1', target: { id: 'u-2', name: 'noor@larkspur.example' } },
    group: { id: 'g-1', name: 'Finance' },
    related: { user: ['u-1', 'u-2', 'noor@larkspur.example'] },
  });
});

test('a group that a change names is the group of the event', () => {
  const changes = [
    { name: 'Group.ObjectID', before: null, after: 'g-1' },
    { name: 'Group.DisplayName', before: null, after: 'Finance' },
  ];
  const targets = [{ id: 'u-2', name: 'noor@larkspur.example', type: 'User' }];
  expect(toEcsLog(createEvent({ action: 'Add member to group.', targets, changes }))).toMatchObject({
    user: { target: { id: 'u-2' } },
    group: { id: 'g-1', name: 'Finance' },
  });
});

test('text that is no address is not written as one', () => {
  const document = toEcsLog(createEvent({ actorIp: 'unknown', actorName: 'NT AUTHORITY' }));
  expect(document.source).toEqual({ address: 'unknown' });
  expect(document.user).toEqual({ name: 'NT AUTHORITY' });
  expect(document.related).toEqual({ user: ['NT AUTHORITY'] });
});

test('an error has its code, a success does not', () => {
  const failed = toEcsLog(createEvent({ action: 'UserLoginFailed', outcome: 'failure', errorCode: '50126' }));
  expect(failed).toMatchObject({ error: { code: '50126' } });
  const succeeded = toEcsLog(createEvent({ action: 'UserLoggedIn', outcome: 'success', errorCode: '0' }));
  expect(succeeded).not.toHaveProperty('error');
  expect(succeeded).toMatchObject({ tenantscope: { errorCode: '0' } });
});

const record = { updatedAt: '2026-11-20T09:00:00.000Z', version: 7, tenantId };

test('a detection is an alert about its entity', () => {
  const detection = {
    ...record,
    id: 'det_1',
    changeId: 'det_1:7',
    kind: 'anomaly',
    severity: 'critical',
    status: 'open',
    openedAt: '2026-11-20T07:00:00.000Z',
    summary: 'Mara downloaded 412 files.',
    detector: { id: 'volume.file-download.user', name: null },
    entity: { type: 'user', id: 'u-1', name: 'Mara' },
    details: { score: 87.5 },
  } as unknown as Detection;
  expect(toEcsDetection(detection)).toMatchObject({
    '@timestamp': record.updatedAt,
    event: { kind: 'alert', id: 'det_1', severity: 100, risk_score: 87.5, start: detection.openedAt },
    rule: { id: 'volume.file-download.user', category: 'anomaly' },
    user: { id: 'u-1', name: 'Mara' },
    entity: { id: 'u-1', name: 'Mara' },
    tenantscope: { changeId: 'det_1:7', version: 7, status: 'open' },
  });
  expect(toEcsDetection({ ...detection, entity: null })).not.toHaveProperty('user');
});

const empty = { users: [], groups: [], emails: [], apps: [], devices: [], files: [], ips: [], mitreTechniques: [] };
const alert = {
  ...record,
  ...empty,
  id: 'da1',
  changeId: 'da1:7',
  title: 'Phishing',
  category: 'Malware',
  lastUpdateDateTime: null,
  mitreTechniques: ['T1566.002', 'T1566', 'T1078'],
  users: [{ id: 'u-1', name: 'Mara', userPrincipalName: 'mara@larkspur.example', roles: [], verdict: null }],
} as unknown as SecurityAlert;

test('an alert with one user has it as its user, and techniques with and without a sub-technique', () => {
  expect(toEcsAlert(alert)).toMatchObject({
    '@timestamp': record.updatedAt,
    event: { category: ['intrusion_detection', 'malware'], type: ['info'] },
    rule: { name: 'Phishing', category: 'Malware' },
    threat: {
      framework: 'MITRE ATT&CK',
      technique: { id: ['T1566', 'T1078'], subtechnique: { id: ['T1566.002'] } },
    },
    user: { id: 'u-1', name: 'mara@larkspur.example', full_name: 'Mara', email: 'mara@larkspur.example' },
  });
});

test('an alert with several users names all of them as related, and has no user', () => {
  const second = { ...alert.users[0], id: 'u-2', name: 'Noor', userPrincipalName: null } as never;
  const document = toEcsAlert({ ...alert, users: [...alert.users, second] });
  expect(document).not.toHaveProperty('user');
  expect(document.related).toEqual({ user: ['u-1', 'mara@larkspur.example', 'Mara', 'u-2', 'Noor'] });
});

const noFile = { roles: [], verdict: null, size: null, sha256: null, sha1: null };

test('a file has the folder or the path that the provider writes, and its MD5 where no other hash is there', () => {
  const fileOf = (file: object) => toEcsAlert({ ...alert, files: [{ ...noFile, ...file } as never] });
  const folder = 'C:\\Windows\\System32';
  expect(fileOf({ id: 'a'.repeat(32), name: 'cmd.exe', path: folder })).toMatchObject({
    file: { name: 'cmd.exe', directory: folder, hash: { md5: 'a'.repeat(32) } },
    related: { hash: ['a'.repeat(32)] },
  });
  const { file } = fileOf({ id: 'f', name: 'cmd.exe', path: `${folder}\\cmd.exe` });
  expect(file).toEqual({ name: 'cmd.exe', path: `${folder}\\cmd.exe` });
});
