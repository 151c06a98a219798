import type { Detection, SecurityAlert } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { toOcsfAlert, toOcsfDetection } from '../src/index.ts';

const detection: Detection = {
  id: 'det_1',
  updatedAt: '2026-11-20T09:00:00.000Z',
  version: 7,
  changeId: 'det_1:7',
  tenantId: '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80',
  kind: 'anomaly',
  severity: 'critical',
  status: 'open',
  stateful: true,
  openedAt: '2026-11-20T07:00:00.000Z',
  lastSeenAt: '2026-11-20T08:00:00.000Z',
  resolvedAt: null,
  summary: 'Mara downloaded 412 files.',
  detector: { id: 'volume.file-download.user', name: 'Unusual file downloads' },
  entity: { type: 'user', id: 'u-1', name: 'Mara' },
  details: { level: 'alerted', current: 3, peakCurrent: 412, baseline: 40, actionGroup: 'file.download' },
} as Detection;

test('a detection is a finding about its entity, with what was counted and what was expected', () => {
  expect(toOcsfDetection(detection)).toMatchObject({
    type_uid: 200402,
    severity_id: 5,
    status_id: 1,
    is_alert: true,
    finding_info: {
      uid: 'det_1',
      title: 'Mara downloaded 412 files.',
      analytic: { uid: 'volume.file-download.user', type_id: 3 },
    },
    resources: [{ uid: 'u-1', name: 'Mara', type: 'user' }],
    anomaly_analyses: [
      {
        anomalies: [{ observation_parameter: 'file.download', observations: [{ value: '412' }] }],
        baselines: [{ observation_parameter: 'file.download', observations: [{ value: '40' }] }],
      },
    ],
    metadata: { uid: 'det_1:7' },
    unmapped: { version: 7, details: { current: 3, peakCurrent: 412 } },
  });
});

test.each([
  [{ version: 1 }, 200401, 1],
  [{ status: 'resolved', resolvedAt: '2026-11-21T00:00:00.000Z' }, 200403, 4],
  [{ status: 'dismissed', resolvedAt: '2026-11-21T00:00:00.000Z' }, 200403, 3],
  [{ status: 'suspended' }, 200402, 99],
  [{ status: null }, 200402, 0],
])('a detection with %o is an event of type %s with status %s', (more, type, status) => {
  expect(toOcsfDetection({ ...detection, ...more })).toMatchObject({ type_uid: type, status_id: status });
});

test.each(['site', 'constructor', '__proto__', 'toString'])('an entity of the type %s is a resource', (type) => {
  const { resources, observables } = toOcsfDetection({ ...detection, entity: { type, id: 's-1', name: null } });
  expect(resources).toEqual([{ uid: 's-1', name: 's-1', type }]);
  expect(observables).toEqual([{ name: 'resources[0].uid', type_id: 10, type: 'Resource UID', value: 's-1' }]);
});

test('a detection of another kind, about the whole tenant, is a finding too', () => {
  const event = toOcsfDetection({ ...detection, kind: 'sequence', entity: null, details: { steps: [1] } as never });
  expect(event).toMatchObject({ class_uid: 2004, unmapped: { details: { steps: [1] } } });
  expect(event).not.toHaveProperty('resources');
});

const alert: SecurityAlert = {
  id: 'da1',
  updatedAt: '2026-11-20T09:00:00.000Z',
  version: 1_700_000_000_000_000,
  changeId: 'da1:1700000000000000',
  tenantId: detection.tenantId,
  title: 'Phishing',
  description: null,
  severity: 'high',
  status: 'inProgress',
  classification: 'truePositive',
  category: 'InitialAccess',
  threatDisplayName: null,
  firstActivityDateTime: null,
  isResolved: false,
  users: [{ id: 'u-1', name: 'Mara', userPrincipalName: 'mara@larkspur.example', roles: [], verdict: 'suspicious' }],
  groups: [{ id: 'g-1', name: 'Finance', roles: [], verdict: null }],
  emails: [],
  apps: [],
  devices: [],
  files: [{ id: 'f', name: 'a.exe', path: null, sha256: 'ab', sha1: null, size: 5, roles: [], verdict: null }],
  ips: [
    { id: '203.0.113.7', country: 'DE', roles: [], verdict: null },
    { id: 'not an address', country: null, roles: [], verdict: null },
  ],
  mitreTechniques: ['T1566.002', 'T1078'],
  incidentId: 'i-1',
  createdDateTime: '2026-11-20T07:00:00.000Z',
  lastUpdateDateTime: '2026-11-20T08:00:00.000Z',
};

test('an alert is a finding with its evidence, its techniques and its observables', () => {
  const event = toOcsfAlert(alert);
  expect(event).toMatchObject({
    type_uid: 200402,
    severity_id: 4,
    status_id: 2,
    time: Date.UTC(2026, 10, 20, 8),
    evidences: [
      { user: { uid: 'u-1', name: 'mara@larkspur.example' }, verdict_id: 4, verdict: 'Suspicious' },
      { file: { name: 'a.exe', hashes: [{ algorithm_id: 3, value: 'ab' }] } },
      { src_endpoint: { ip: '203.0.113.7', location: { country: 'DE' } } },
    ],
    resources: [{ uid: 'g-1', name: 'Finance', type: 'group' }],
    finding_info: {
      attacks: [{ technique: { uid: 'T1566' }, sub_technique: { uid: 'T1566.002' } }, { technique: { uid: 'T1078' } }],
    },
    unmapped: { classification: 'truePositive', incidentId: 'i-1' },
  });
  expect(event.observables?.map(({ value }) => value)).toEqual([
    'u-1',
    'mara@larkspur.example',
    'mara@larkspur.example',
    'g-1',
    'a.exe',
    'ab',
    '203.0.113.7',
  ]);
});

const noFile = { roles: [], verdict: null, size: null, sha256: null, sha1: null };
const evidenceOf = (more: Partial<SecurityAlert>) =>
  toOcsfAlert({ ...alert, users: [], files: [], ips: [], ...more }).evidences;

test.each([
  ['unknown', 0, 'Unknown'],
  ['noThreatsFound', 5, 'Benign'],
  ['malicious', 99, 'malicious'],
])('the verdict %s has the number %i', (verdict, verdict_id, caption) => {
  const files = [{ ...noFile, id: 'f', name: 'a.exe', path: null, verdict }];
  expect(evidenceOf({ files })).toMatchObject([{ verdict_id, verdict: caption }]);
});

test('a file has its folder or its path, and its MD5 where no other hash is there', () => {
  const folder = 'C:\\Windows\\System32';
  const id = 'a'.repeat(32);
  const files = [
    { ...noFile, id, name: 'cmd.exe', path: folder },
    { ...noFile, id: 'f', name: 'cmd.exe', path: `${folder}\\cmd.exe` },
  ];
  expect(evidenceOf({ files })).toEqual([
    {
      file: {
        name: 'cmd.exe',
        type_id: 1,
        parent_folder: folder,
        hashes: [{ algorithm_id: 1, algorithm: 'MD5', value: id }],
        uid: id,
      },
    },
    { file: { name: 'cmd.exe', type_id: 1, path: `${folder}\\cmd.exe`, uid: 'f' } },
  ]);
  expect(toOcsfAlert({ ...alert, files }).observables).toContainEqual({
    name: 'evidences[].file.hashes[].value',
    type_id: 8,
    type: 'Hash',
    value: id,
  });
});

test('a country that the provider names has no place in the evidence', () => {
  const ips = [{ id: '203.0.113.7', country: 'Germany', roles: [], verdict: null }];
  expect(evidenceOf({ ips })).toEqual([{ src_endpoint: { ip: '203.0.113.7' } }]);
});
