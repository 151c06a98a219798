import { describe, expect, test } from 'vitest';
import { deviceEvidence, evidence } from './alert-evidence.ts';
import {
  graphAlert,
  listResults,
  listStates,
  parseDocument,
  readAlert,
  readState,
  toMicroseconds,
} from './alert-message.ts';
import { azureTenantId, tenantId } from './message.ts';

describe('an alert of Microsoft Graph', () => {
  test('becomes a document in the terms of the contract', () => {
    const state = readState('graph.security.alert', graphAlert());
    expect(state).toMatchObject({
      tenantId,
      id: 'da637551_1',
      version: toMicroseconds('2026-11-20T09:30:00.765432'),
      columns: {
        severity: 'high',
        status: 'inProgress',
        classification: 'truePositive',
        category: 'DefenseEvasion',
        service_source: 'microsoftDefenderForOffice365',
        is_resolved: false,
      },
      times: { created_at: Date.parse('2026-11-20T08:00:00.123Z') },
    });
    expect(parseDocument(state)).toEqual({
      title: 'Suspicious inbox rule',
      description: 'A rule that hides mail was made.',
      severity: 'high',
      status: 'inProgress',
      classification: 'truePositive',
      category: 'DefenseEvasion',
      threatDisplayName: 'Mail hiding',
      firstActivityDateTime: '2026-11-20T07:58:00.000Z',
      isResolved: false,
      users: [],
      groups: [],
      emails: [],
      apps: [],
      devices: [],
      files: [],
      ips: [],
      mitreTechniques: ['T1114.003'],
      incidentId: '7',
      createdDateTime: '2026-11-20T08:00:00.123Z',
      lastUpdateDateTime: '2026-11-20T09:30:00.765Z',
      determination: 'compromisedAccount',
      assignedTo: 'soc@contoso.example',
      alertWebUrl: 'https://security.example/alerts/1',
      incidentWebUrl: 'https://security.example/incidents/7',
      serviceSource: 'microsoftDefenderForOffice365',
      detectionSource: 'microsoftDefenderForOffice365',
      resolvedDateTime: null,
      lastActivityDateTime: '2026-11-20T07:59:00.000Z',
      recommendedActions: 'Remove the rule.',
      actorDisplayName: 'Storm-0000',
      threatFamilyName: 'InboxRules',
      rawData: graphAlert(),
    });
  });

  test.each([
    [{ severity: 'High' }, { severity: 'high' }],
    [{ severity: 'INFORMATIONAL' }, { severity: 'informational' }],
    [{ severity: 'catastrophic' }, { severity: 'unknown' }],
    [{ severity: null }, { severity: null }],
    [{ status: 'Resolved' }, { status: 'resolved', isResolved: true }],
    [{ status: 'InProgress' }, { status: 'inProgress', isResolved: false }],
    [{ status: 'unknownFutureValue' }, { status: 'unknown', isResolved: false }],
    [{ status: undefined }, { status: null, isResolved: null }],
    [{ serviceSource: 'MicrosoftDefenderForIdentity' }, { serviceSource: 'microsoftDefenderForIdentity' }],
    [{ category: 'SomethingNew' }, { category: 'SomethingNew' }],
    [{ createdDateTime: 'soon' }, { createdDateTime: null }],
  ])('the value %j is read as %j', (changes, expected) => {
    expect(parseDocument(readState('graph.security.alert', graphAlert(changes)))).toMatchObject(expected);
  });

  test('is ordered by its first activity where its creation time is missing', () => {
    const { times } = readState('graph.security.alert', graphAlert({ createdDateTime: null }));
    expect(times).toEqual({ created_at: Date.parse('2026-11-20T07:58:00Z') });
  });

  test('does not combine local accounts whose id in the directory is all zeros', () => {
    const noGuid = '00000000-0000-0000-0000-000000000000';
    const accounts = ['S-1-5-21-1-500', 'S-1-5-21-2-500'].map((userSid) => ({
      '@odata.type': '#microsoft.graph.security.userEvidence',
      userAccount: { accountName: 'administrator', userSid, azureAdUserId: noGuid },
    }));
    const { users } = parseDocument(readState('graph.security.alert', graphAlert({ evidence: accounts })));
    expect(users).toMatchObject([{ id: 'S-1-5-21-1-500' }, { id: 'S-1-5-21-2-500' }]);
  });

  test('links users, groups, mails and applications, with one element per id', () => {
    const { users, groups, emails, apps, ...rest } = parseDocument(
      readState('graph.security.alert', graphAlert({ evidence })),
    );
    expect({ users, groups, emails, apps }).toEqual({
      users: [
        {
          id: 'u-1',
          name: 'ada',
          userPrincipalName: 'ada@contoso.example',
          roles: ['compromised', 'attacked'],
          verdict: 'suspicious',
        },
        { id: 'S-1-5-18', name: 'svc', userPrincipalName: null, roles: [], verdict: null },
      ],
      groups: [
        { id: 'g-1', name: 'Finance', roles: [], verdict: 'unknown' },
        { id: 'g-2', name: null, roles: [], verdict: 'suspicious' },
      ],
      emails: [
        {
          id: 'n-1',
          internetMessageId: '<m1@evil.example>',
          networkMessageId: 'n-1',
          subject: 'Invoice',
          sender: 'boss@evil.example',
          recipient: 'ada@contoso.example',
          receivedAt: '2026-11-20T07:50:00.000Z',
          deliveryAction: 'delivered',
          verdict: 'malicious',
        },
        {
          id: 'n-2',
          internetMessageId: null,
          networkMessageId: 'n-2',
          subject: null,
          sender: null,
          recipient: null,
          receivedAt: null,
          deliveryAction: null,
          verdict: 'unknown',
        },
      ],
      apps: [
        { id: 'o-1', appId: 'a-1', name: 'Mail Helper', kind: 'oauthApplication', verdict: 'malicious' },
        { id: 's-1', appId: 'a-2', name: 'Backup', kind: 'servicePrincipal', verdict: null },
        { id: '20893', appId: '20893', name: 'Box', kind: 'cloudApplication', verdict: null },
        { id: 'agent-1', appId: null, name: 'Sales Helper', kind: 'agent', verdict: null },
      ],
    });
    expect(rest.rawData).toMatchObject({ evidence });
  });

  test('links devices, files and addresses, with one element per id and the most severe verdict', () => {
    const { devices, files, ips } = parseDocument(
      readState('graph.security.alert', graphAlert({ evidence: deviceEvidence })),
    );
    expect({ devices, files, ips }).toEqual({
      devices: [
        {
          id: '33333333-0000-4000-8000-00000000000a',
          name: 'laptop.contoso.example',
          azureAdDeviceId: '33333333-0000-4000-8000-00000000000a',
          defenderDeviceId: 'mde-1',
          os: 'Windows11 23H2',
          roles: ['compromised'],
          verdict: 'suspicious',
        },
        {
          id: 'mde-2',
          name: null,
          azureAdDeviceId: null,
          defenderDeviceId: 'mde-2',
          os: null,
          roles: [],
          verdict: null,
        },
        {
          id: 'camera-1',
          name: 'Camera',
          azureAdDeviceId: null,
          defenderDeviceId: 'camera-1',
          os: 'Linux',
          roles: [],
          verdict: null,
        },
      ],
      files: [
        {
          id: 'aa'.repeat(32),
          name: 'invoice.exe',
          path: 'C:\\Temp',
          sha256: 'aa'.repeat(32),
          sha1: 'bb'.repeat(20),
          size: 36864,
          roles: ['source'],
          verdict: 'malicious',
        },
        {
          id: 'C:\\Windows\\System32\\cmd.exe',
          name: 'cmd.exe',
          path: 'C:\\Windows\\System32',
          sha256: null,
          sha1: null,
          size: null,
          roles: [],
          verdict: null,
        },
        {
          id: 'dd'.repeat(16),
          name: null,
          path: null,
          sha256: null,
          sha1: null,
          size: null,
          roles: [],
          verdict: null,
        },
        {
          id: 'cc'.repeat(20),
          name: null,
          path: null,
          sha256: null,
          sha1: 'cc'.repeat(20),
          size: null,
          roles: [],
          verdict: 'suspicious',
        },
      ],
      ips: [
        { id: '198.51.100.7', country: 'PL', roles: ['attacker'], verdict: 'malicious' },
        { id: '192.0.2.9', country: null, roles: [], verdict: null },
        { id: '2001:db8::1', country: null, roles: [], verdict: null },
      ],
    });
  });

  test('links the elements inside logon sessions, malware, name resolution and network cards', () => {
    const type = (name: string) => ({ '@odata.type': `#microsoft.graph.security.${name}` });
    const account = { ...type('userEvidence'), userAccount: { azureAdUserId: 'u-9', displayName: 'Ada' } };
    const evidence = [
      {
        ...type('hostLogonSessionEvidence'),
        account,
        host: { ...type('deviceEvidence'), mdeDeviceId: 'mde-9', deviceDnsName: 'server.contoso.example' },
      },
      { ...type('cloudLogonSessionEvidence'), account: { userAccount: { azureAdUserId: 'u-10' } }, deviceName: 'x' },
      {
        ...type('malwareEvidence'),
        name: 'Injector',
        files: [{ fileDetails: { fileName: 'a.exe', sha1: 'AA'.repeat(20) }, mdeDeviceId: 'mde-9' }, 7],
        processes: [{ imageFile: { fileName: 'b.exe', sha1: 'bb'.repeat(20) }, userAccount: { userSid: 'S-1-5-9' } }],
      },
      {
        ...type('dnsEvidence'),
        domainName: 'evil.example',
        hostIpAddress: { ipAddress: '192.0.2.1' },
        dnsServerIp: { ipAddress: '192.0.2.2' },
        ipAddresses: [{ ipAddress: '192.0.2.3' }, null, { ipAddress: 'none' }],
      },
      { ...type('nicEvidence'), ipAddress: { ipAddress: '192.0.2.4' } },
      ...['hostLogonSession', 'cloudLogonSession', 'malware', 'dns', 'nic'].map((name) => type(`${name}Evidence`)),
    ];
    const shown = parseDocument(readState('graph.security.alert', graphAlert({ evidence })));
    expect(shown).toMatchObject({
      users: [{ id: 'u-9', name: 'Ada' }, { id: 'u-10' }, { id: 'S-1-5-9' }],
      devices: [{ id: 'mde-9', name: 'server.contoso.example' }],
      files: [{ name: 'a.exe', sha1: 'aa'.repeat(20) }, { name: 'b.exe' }],
      ips: [{ id: '192.0.2.1' }, { id: '192.0.2.2' }, { id: '192.0.2.3' }, { id: '192.0.2.4' }],
    });
  });

  test('links a blob of a storage account as a file, by its hash or its address', () => {
    const blob = {
      '@odata.type': '#microsoft.graph.security.blobEvidence',
      name: 'tools/x.sh',
      blobContainer: { url: 'https://a.blob.example/files' },
      verdict: 'malicious',
    };
    const hashed = { ...blob, name: 'y.exe', fileHashes: [{ algorithm: 'sha256', value: 'EE'.repeat(32) }, null] };
    expect(
      parseDocument(readState('graph.security.alert', graphAlert({ evidence: [blob, hashed] }))).files,
    ).toMatchObject([
      { id: 'https://a.blob.example/files/tools/x.sh', name: 'tools/x.sh', verdict: 'malicious' },
      { id: 'ee'.repeat(32), name: 'y.exe', sha256: 'ee'.repeat(32) },
    ]);
  });

  test('drops evidence without an id and invalid addresses', () => {
    const evidence = [
      { '@odata.type': '#microsoft.graph.security.deviceEvidence' },
      { '@odata.type': '#microsoft.graph.security.fileEvidence', fileDetails: 'none' },
      { '@odata.type': '#microsoft.graph.security.ipEvidence', ipAddress: 'somewhere' },
      { '@odata.type': 7 },
    ];
    const shown = parseDocument(readState('graph.security.alert', graphAlert({ evidence })));
    expect(shown).toMatchObject({ devices: [], files: [], ips: [] });
  });

  test('lists a hundred elements of a kind and has the rest in rawData only', () => {
    const networkMessageIds = Array.from({ length: 5_000 }, (_, index) => `n-${index}`);
    const evidence = [{ '@odata.type': '#microsoft.graph.security.mailClusterEvidence', networkMessageIds }];
    const { emails, rawData } = parseDocument(readState('graph.security.alert', graphAlert({ evidence })));
    expect(emails).toHaveLength(100);
    expect(rawData).toMatchObject({ evidence });
  });
});

describe('an incident', () => {
  test('gives the states of its alerts, the same as the alerts alone', () => {
    const [first, second] = [graphAlert(), graphAlert({ id: 'other' })];
    const alone = [first, second].map((alert) => readState('graph.security.alert', alert));
    const incident = { id: '7', displayName: 'Incident', incidentWebUrl: 'https://x.example', alerts: [first, second] };
    expect(listStates(readAlert('graph.security.incident', incident))).toEqual(alone);
    const rows = [first, second].map((alert) => ({ ...incident, alerts: alert }));
    expect(listStates(readAlert('graph.security.incident', rows))).toEqual(alone);
    expect(listStates(readAlert('graph.security.incident', { value: rows }))).toEqual(alone);
  });

  test.each([undefined, null, [], 'many'])('is a row of its own where its alerts are %j', (alerts) => {
    const incident = {
      id: '1924',
      tenantId: azureTenantId,
      displayName: 'Ransomware on several devices',
      summary: 'Two devices.',
      status: 'active',
      severity: 'high',
      classification: 'unknown',
      determination: 'unknown',
      assignedTo: 'soc@contoso.example',
      incidentWebUrl: 'https://security.example/incidents/1924',
      createdDateTime: '2026-11-20T08:00:00Z',
      lastUpdateDateTime: '2026-11-20T08:30:00.123456Z',
      alerts,
    };
    const state = readState('graph.security.incident', incident);
    expect(state).toMatchObject({ id: '1924', version: toMicroseconds('2026-11-20T08:30:00.123456') });
    expect(parseDocument(state)).toMatchObject({
      title: 'Ransomware on several devices',
      description: 'Two devices.',
      category: 'incident',
      severity: 'high',
      status: 'new',
      isResolved: false,
      incidentId: '1924',
      assignedTo: 'soc@contoso.example',
      serviceSource: 'microsoft365Defender',
      incidentWebUrl: 'https://security.example/incidents/1924',
      createdDateTime: '2026-11-20T08:00:00.000Z',
      users: [],
    });
  });

  test.each([
    ['active', 'new'],
    ['awaitingAction', 'inProgress'],
    ['inProgress', 'inProgress'],
    ['redirected', 'resolved'],
    ['resolved', 'resolved'],
    ['odd', 'unknown'],
  ])('of the status %s without alerts is %s', (status, shown) => {
    const incident = { id: '7', displayName: 'Seven', status, lastUpdateDateTime: '2026-11-20T08:30:00Z' };
    expect(parseDocument(readState('graph.security.incident', incident))).toMatchObject({ status: shown });
  });

  test('gives its other alerts where one of them is not an object', () => {
    const incident = { id: '7', alerts: ['?', graphAlert()] };
    expect(listResults(readAlert('graph.security.incident', incident))).toEqual(['SCHEMA_VIOLATION', 'state']);
  });

  test('is rejected when it belongs to another Microsoft tenant, even if its alerts have no tenant id', () => {
    const incident = {
      id: '7',
      tenantId: '99999999-0000-4000-8000-000000000000',
      alerts: [graphAlert({ tenantId: undefined })],
    };
    expect(listResults(readAlert('graph.security.incident', incident))).toEqual(['TENANT_MISMATCH']);
  });
});
