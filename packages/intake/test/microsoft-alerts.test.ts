import type { AlertFormatName } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { listResults, parseDocument, readAlert, readState, toMicroseconds } from './alert-message.ts';
import { tenantId } from './message.ts';
import {
  assessment,
  azureEntities,
  endpointAlert,
  legacyGraphAlert,
  legacyIncident,
  sentinelAlert,
  sentinelIncident,
} from './microsoft-alerts.ts';

const show = (format: AlertFormatName, payload: unknown): Record<string, unknown> => {
  const state = readState(format, payload);
  return { id: state.id, ...parseDocument(state) };
};
const ids = (list: unknown) => (list as { id: string }[]).map(({ id }) => id);

describe('an alert of Defender for Endpoint', () => {
  test('becomes an alert with its machine, user and evidence', () => {
    const alert = endpointAlert();
    expect(readState('mde.alert', alert).version).toBe(toMicroseconds('2026-11-20T09:30:00.765432'));
    expect(show('mde.alert', alert)).toMatchObject({
      id: 'da637_1',
      title: 'Suspicious process injection',
      severity: 'medium',
      status: 'inProgress',
      classification: 'truePositive',
      determination: 'malware',
      category: 'DefenseEvasion',
      threatFamilyName: 'Injector',
      serviceSource: 'microsoftDefenderForEndpoint',
      detectionSource: 'WindowsDefenderAtp',
      incidentId: '12',
      mitreTechniques: ['T1055'],
      createdDateTime: '2026-11-20T08:00:00.123Z',
      firstActivityDateTime: '2026-11-20T07:58:00.000Z',
      lastActivityDateTime: '2026-11-20T07:59:00.000Z',
      lastUpdateDateTime: '2026-11-20T09:30:00.765Z',
      users: [{ id: 'administrator' }, { id: 'u-1', userPrincipalName: 'ada@contoso.example' }],
      devices: [{ id: 'mde-1', name: 'laptop.contoso.example' }],
      files: [{ id: 'aa'.repeat(32), name: 'notepad.exe' }],
      ips: [{ id: '198.51.100.7' }],
      rawData: alert,
    });
  });

  test('has the file of the parent process, without the verdict on the process', () => {
    const evidence = { fileName: 'b.exe', parentProcessFileName: 'cmd.exe', parentProcessFilePath: 'C:\\Windows' };
    expect(show('mde.alert', endpointAlert({ evidence: { ...evidence, verdict: 'Malicious' } }))).toMatchObject({
      files: [
        { name: 'b.exe', verdict: 'Malicious' },
        { id: 'C:\\Windows\\cmd.exe', name: 'cmd.exe', path: 'C:\\Windows', verdict: null },
      ],
    });
  });

  test.each(['ada', 'ADA'])('has the related user %s once where the evidence has the account', (userName) => {
    expect(ids(show('mde.alert', endpointAlert({ relatedUser: { userName } })).users)).toEqual(['u-1']);
  });

  test('may have one piece of evidence instead of a list', () => {
    expect(show('mde.alert', endpointAlert({ evidence: { ipAddress: '192.0.2.9' } }))).toMatchObject({
      ips: [{ id: '192.0.2.9' }],
    });
  });

  test('of another Microsoft tenant is rejected', () => {
    const foreign = endpointAlert({ aadTenantId: '99999999-0000-4000-8000-000000000000' });
    expect(listResults(readAlert('mde.alert', { value: [foreign, endpointAlert()] }))).toEqual([
      'TENANT_MISMATCH',
      'state',
    ]);
  });
});

describe('an incident of Microsoft 365 Defender', () => {
  test('gives its alerts, as a list or as one object', () => {
    const [alert] = legacyIncident().alerts as object[];
    for (const alerts of [[alert], alert]) {
      expect(show('m365d.incidents-legacy', legacyIncident({ alerts }))).toMatchObject({
        id: 'ca21',
        severity: 'high',
        status: 'new',
        serviceSource: 'microsoftDefenderForCloudApps',
        incidentId: '924565',
        lastUpdateDateTime: '2026-11-20T08:20:00.000Z',
        users: [{ id: 'ada@contoso.example', name: 'Ada' }],
        devices: [{ id: 'mde-1', name: 'laptop', os: 'Windows10' }],
        emails: [{ id: 'n-1', subject: 'Hi', sender: 'x@evil.example' }],
        apps: [{ id: '20893', name: 'Box' }],
        groups: [{ id: 'g-1', name: 'Finance' }],
        rawData: alert,
      });
    }
  });

  test('is a row of its own without alerts', () => {
    expect(show('m365d.incidents-legacy', { value: [legacyIncident({ alerts: [] })] })).toMatchObject({
      id: '924565',
      title: 'Activity from an infrequent country',
      category: 'incident',
      severity: 'unknown',
      status: 'new',
      classification: 'unknown',
      determination: 'unknown',
      incidentId: '924565',
      createdDateTime: '2026-11-20T08:00:00.000Z',
    });
    expect(show('m365d.incidents-legacy', legacyIncident({ alerts: null, status: 'Redirected' }))).toMatchObject({
      status: 'resolved',
    });
  });

  test('is accepted under a key that names the incident', () => {
    const key = Buffer.from(`${tenantId}/alert/924565`);
    expect(listResults(readAlert('m365d.incidents-legacy', legacyIncident(), { key }))).toEqual(['state']);
  });
});

test('an alert of the first version of Graph becomes an alert with its states as evidence', () => {
  expect(show('graph.security.alert.legacy', legacyGraphAlert())).toMatchObject({
    id: 'AAAA-1',
    severity: 'medium',
    status: 'new',
    classification: 'informationalExpectedActivity',
    threatDisplayName: 'Trojan:Win32/X',
    threatFamilyName: 'X',
    actorDisplayName: 'Storm-0000',
    serviceSource: 'azureAdIdentityProtection',
    detectionSource: 'UnfamiliarLocation',
    recommendedActions: 'Ask the user.\nReset the password.',
    alertWebUrl: 'https://portal.example/alert',
    incidentId: '77',
    users: [{ id: 'u-1' }],
    devices: [{ id: 'laptop.contoso.example', os: 'Windows 11' }],
    files: [{ id: 'bb'.repeat(20), name: 'x.exe' }],
    apps: [{ id: 'Box' }],
    ips: [{ id: '198.51.100.7', country: 'PL' }, { id: '10.0.0.1' }, { id: '192.0.2.9' }],
  });
});

describe('a row of SecurityAlert', () => {
  const expected = {
    id: 'c5a1f9de-0000-4000-8000-000000000001',
    title: 'Rare process',
    severity: 'high',
    status: 'new',
    category: 'Execution,Persistence',
    threatDisplayName: 'Trojan:Win32/X',
    detectionSource: 'Scheduled Alerts',
    recommendedActions: 'Look, then act.\nClose.',
    mitreTechniques: ['T1059'],
    alertWebUrl: 'https://portal.example/alert',
    createdDateTime: '2026-11-20T08:00:00.000Z',
    lastUpdateDateTime: '2026-11-20T09:30:00.000Z',
    users: [{ id: 'u-1', name: 'Ada', userPrincipalName: 'ada@contoso.example' }],
    devices: [
      {
        id: '33333333-0000-4000-8000-00000000000a',
        name: 'laptop.contoso.example',
        defenderDeviceId: 'mde-1',
        os: 'Windows 11',
      },
    ],
    ips: [{ id: '198.51.100.7', country: 'PL' }],
    apps: [{ id: '20893', name: 'Box', kind: 'cloudApplication' }],
    emails: [{ id: 'n-1', sender: 'x@evil.example' }],
    groups: [{ id: 'g-1', name: 'Finance' }],
  };

  test('becomes an alert with the entities of its JSON text', () => {
    const shown = show('sentinel.security-alert', sentinelAlert());
    expect(shown).toMatchObject({ ...expected, serviceSource: 'microsoftSentinel' });
    expect(ids((shown as { files?: unknown }).files)).toEqual(['aa'.repeat(32)]);
  });

  test('has its sub-techniques with its techniques', () => {
    const alert = sentinelAlert({ Techniques: '["T1059"]', SubTechniques: '["T1059.001"]' });
    expect(show('sentinel.security-alert', alert)).toMatchObject({ mitreTechniques: ['T1059', 'T1059.001'] });
    const properties = { systemAlertId: 'a-1', timeGenerated: '2026-11-20T09:30:00Z', subTechniques: ['T1059.001'] };
    expect(show('defender-for-cloud.alert', { id: '/x', properties })).toMatchObject({
      mitreTechniques: ['T1059.001'],
    });
  });

  test('has files of Linux by their paths, and by MD5 where there is no other hash', () => {
    const Entities = [
      { Type: 'file', Directory: '/usr/bin', Name: 'xmrig' },
      { Type: 'file', Name: 'y', FileHashes: [{ Type: 'filehash', Algorithm: 'MD5', Value: 'AB'.repeat(16) }] },
    ];
    expect(ids(show('sentinel.security-alert', sentinelAlert({ Entities })).files)).toEqual([
      '/usr/bin/xmrig',
      'ab'.repeat(16),
    ]);
  });

  test('has its steps as one text where they are no list', () => {
    const alert = sentinelAlert({ RemediationSteps: 'Look, then act.' });
    expect(show('sentinel.security-alert', alert)).toMatchObject({ recommendedActions: 'Look, then act.' });
  });

  test('is the same alert in the spelling of the API of Defender for Cloud', () => {
    const properties = Object.fromEntries(
      Object.entries(sentinelAlert({ Entities: azureEntities, ProductName: 'Microsoft Defender for Cloud' })).map(
        ([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value],
      ),
    );
    const alert = {
      id: '/subscriptions/1/alerts/x',
      name: 'x',
      type: 'Microsoft.Security/Locations/alerts',
      properties,
    };
    expect(show('defender-for-cloud.alert', alert)).toMatchObject({
      ...expected,
      serviceSource: 'microsoftDefenderForCloud',
    });
  });

  test('has no entities where they are no JSON, or too deep', () => {
    for (const Entities of ['[{', 7, { a: 1 }, `${'['.repeat(200)}${']'.repeat(200)}`]) {
      expect(show('sentinel.security-alert', sentinelAlert({ Entities }))).toMatchObject({ users: [], devices: [] });
    }
  });

  test('with ten thousand nested entities is read in less than a second of processor time', {
    tags: 'exhaustive',
  }, () => {
    const nest = (depth: number): unknown =>
      depth === 0 ? {} : { Type: 'ip', Address: '10.0.0.1', Deeper: [nest(depth - 1), nest(depth - 1)] };
    const started = process.cpuUsage();
    const Entities = Array.from({ length: 1_000 }, () => nest(3));
    expect(show('sentinel.security-alert', sentinelAlert({ Entities }))).toMatchObject({ ips: [{ id: '10.0.0.1' }] });
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(1_000_000);
  });
});

test('a row of SecurityIncident becomes a row of the category incident', () => {
  expect(show('sentinel.security-incident', sentinelIncident())).toMatchObject({
    id: 'd5a1f9de-0000-4000-8000-000000000002',
    title: 'Rare process on one host',
    category: 'incident',
    severity: 'medium',
    status: 'inProgress',
    classification: 'informationalExpectedActivity',
    determination: 'suspiciousButExpected',
    serviceSource: 'microsoftSentinel',
    assignedTo: 'soc@contoso.example',
    incidentId: '42',
    incidentWebUrl: 'https://portal.example/incident',
    mitreTechniques: ['T1059'],
    createdDateTime: '2026-11-20T08:00:00.000Z',
    lastUpdateDateTime: '2026-11-20T09:30:00.000Z',
  });
});

describe('a recommendation of Defender for Cloud', () => {
  test('is a row of the category assessment, resolved where the resource is healthy', () => {
    expect(show('defender-for-cloud.alert', assessment())).toMatchObject({
      title: 'CORS should not allow every resource',
      category: 'assessment',
      severity: 'low',
      status: 'new',
      recommendedActions: 'Do it.',
      lastUpdateDateTime: '2026-11-20T09:30:00.000Z',
    });
    const healthy = { status: { code: 'Healthy', statusChangeDate: '2026-11-20T09:40:00Z' } };
    expect(show('defender-for-cloud.alert', assessment({ properties: healthy }))).toMatchObject({
      isResolved: true,
      resolvedDateTime: '2026-11-20T09:40:00.000Z',
    });
  });

  test('has an id of its own for each resource', () => {
    const other = assessment({ id: '/subscriptions/1/other/assessments/7b3d' });
    const [one, two] = [show('defender-for-cloud.alert', assessment()), show('defender-for-cloud.alert', other)];
    expect(one.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(one.id).not.toBe(two.id);
  });
});

test('renamed or missing members of an alert cost at most the member', { tags: 'exhaustive' }, () => {
  const required: readonly [AlertFormatName, Record<string, unknown>, string[]][] = [
    ['mde.alert', endpointAlert(), ['id']],
    ['graph.security.alert.legacy', legacyGraphAlert(), ['id']],
    ['sentinel.security-alert', sentinelAlert(), ['SystemAlertId']],
    ['sentinel.security-incident', sentinelIncident(), []],
    ['defender-for-cloud.alert', assessment(), ['id', 'properties']],
    ['m365d.incidents-legacy', legacyIncident(), ['incidentId', 'alerts']],
  ];
  let tried = 0;
  for (const [format, alert, needed] of required) {
    for (const name of Object.keys(alert).filter((each) => !needed.includes(each))) {
      for (const wrong of [undefined, null, true, 7, 'text', [], [7], {}, { a: [null] }]) {
        const time = /[Tt]ime/.test(name) && wrong === 'text';
        expect(listResults(readAlert(format, { ...alert, [name]: wrong })), `${format} ${name} ${time}`).toEqual([
          'state',
        ]);
        tried += 1;
      }
    }
  }
  expect(tried).toBeGreaterThan(100);
});
