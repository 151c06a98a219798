import { alertElementsMax } from '@tenantscope/contract';
import { mergeAlertEvidence } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { listResults, listStates, parseDocument, readAlert, readState } from './alert-message.ts';
import { huntingRecord } from './hunting-record.ts';
import { ends, read } from './message.ts';

const format = 'm365d.advanced-hunting';
const piece = (columns: Record<string, unknown>) => huntingRecord('AlertEvidence', { AlertId: 'da1', ...columns });
const readPiece = (columns: Record<string, unknown>) => parseDocument(readState(format, piece(columns)));

describe('a row of AlertEvidence', () => {
  test('is a part of its alert with all that it names', () => {
    const state = readState(
      format,
      piece({
        Title: 'Suspicious process',
        Categories: '["Execution","Malware"]',
        AttackTechniques: '["Scripting (T1064)"]',
        Severity: 'High',
        ServiceSource: 'Microsoft Defender for Endpoint',
        EntityType: 'Process',
        EvidenceRole: 'Impacted',
        FileName: 'x.exe',
        FolderPath: 'C:\\Temp',
        SHA256: 'AA',
        FileSize: 27_436,
        AccountObjectId: 'u-1',
        AccountUpn: 'ada@contoso.example',
        AccountName: 'ada',
        DeviceId: 'd-1',
        DeviceName: 'pc-1',
        RemoteIP: '192.0.2.1',
        LocalIP: '2001:DB8::1',
      }),
    );
    expect(state).toMatchObject({ id: 'da1', isPart: true, columns: { severity: 'high', category: 'Execution' } });
    expect(parseDocument(state)).toMatchObject({
      title: 'Suspicious process',
      status: null,
      isResolved: null,
      users: [{ id: 'u-1', name: 'ada', userPrincipalName: 'ada@contoso.example', roles: [], verdict: null }],
      devices: [{ id: 'd-1', name: 'pc-1', azureAdDeviceId: null, defenderDeviceId: 'd-1', roles: [] }],
      files: [
        { id: 'aa', name: 'x.exe', path: 'C:\\Temp', sha256: 'aa', sha1: null, size: 27_436, roles: ['impacted'] },
      ],
      ips: [
        { id: '192.0.2.1', country: null, roles: [] },
        { id: '2001:db8::1', country: null, roles: [] },
      ],
      emails: [],
      apps: [],
      groups: [],
      mitreTechniques: ['T1064'],
      serviceSource: 'microsoftDefenderForEndpoint',
      createdDateTime: '2026-11-20T08:15:30.123Z',
      rawData: null,
    });
  });

  test('names mails, and applications that are evidence themselves', () => {
    expect(readPiece({ EntityType: 'MailMessage', NetworkMessageId: 'n-1', EmailSubject: 'Invoice' })).toMatchObject({
      emails: [{ id: 'n-1', networkMessageId: 'n-1', subject: 'Invoice' }],
    });
    const exchange = { Application: 'Microsoft Exchange Online', ApplicationId: 20_893 };
    expect(readPiece({ EntityType: 'MailMessage', ...exchange })).toMatchObject({ apps: [] });
    expect(readPiece({ EntityType: 'CloudApplication', ...exchange })).toMatchObject({
      apps: [{ id: '20893', appId: '20893', name: 'Microsoft Exchange Online', kind: 'cloudApplication' }],
    });
    expect(readPiece({ EntityType: 'OAuthApplication', OAuthApplicationId: 'o-1' })).toMatchObject({
      apps: [{ id: 'o-1', kind: 'oauthApplication' }],
    });
  });

  test('is the same part whatever else its record has', () => {
    const [one, same, other] = [
      { EntityType: 'User', AccountUpn: 'ada@contoso.example', AdditionalFields: '{"$id":"1"}' },
      { EntityType: 'User', AccountUpn: 'ada@contoso.example', AdditionalFields: '{"$id":"2"}' },
      { EntityType: 'User', AccountUpn: 'bob@contoso.example' },
    ].map((columns) => readState(format, piece(columns)).digest.toString('hex'));
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  test('with columns of wrong types is a log row, and a part where it names an alert', () => {
    for (const wrong of [null, true, -0, [], {}, [[1]], { a: { b: 'c' } }, '{', '[1,2]', '\u202e', '9'.repeat(9_000)]) {
      const columns = `AlertId Title Severity Categories AttackTechniques ServiceSource EntityType EvidenceRole FileName
        FolderPath SHA1 SHA256 FileSize RemoteIP LocalIP AccountName AccountSid AccountObjectId AccountUpn DeviceId DeviceName
        NetworkMessageId EmailSubject Application ApplicationId OAuthApplicationId ThreatFamily`.split(/\s+/);
      const record = piece(Object.fromEntries(columns.map((name) => [name, wrong])));
      expect(ends(read(format, record))[0]).toBe('log');
      const named = readAlert(format, { ...record, properties: { ...(record.properties as object), AlertId: 'da1' } });
      expect(listResults(named)).toEqual(['state']);
      for (const { members } of listStates(named)) expect(members.length).toBeLessThan(24 * 512);
    }
  });

  test('without an alert is a log row only', () => {
    expect(ends(read(format, piece({ AlertId: null })))).toEqual(['log']);
  });
});

describe('the members of an alert with its evidence', () => {
  const membersOf = (record: unknown) => readState(format, record).members;
  const merge = (alert: string, ...evidence: string[]) => JSON.parse(`{${mergeAlertEvidence(alert, evidence)}}`);
  const info = membersOf(
    huntingRecord('AlertInfo', { AlertId: 'da1', Title: 'Malware', AttackTechniques: '["Scripting (T1064)"]' }),
  );

  test('are those of the alert where the evidence adds nothing', () => {
    expect(mergeAlertEvidence(info, [])).toBe(info);
    expect(mergeAlertEvidence(info, [membersOf(piece({ Title: 'Other', Severity: 'Low' }))])).toBe(info);
  });

  test('combine what several pieces report of one element', () => {
    const file = { EntityType: 'File', SHA256: 'aa', EvidenceRole: 'Related' };
    const merged = merge(
      info,
      membersOf(piece({ ...file, AttackTechniques: '["Phishing (T1566)","Scripting (T1064)"]' })),
      membersOf(piece({ ...file, FileName: 'x.exe', EvidenceRole: 'Impacted' })),
    );
    expect(merged).toMatchObject({
      title: 'Malware',
      mitreTechniques: ['T1064', 'T1566'],
      files: [{ id: 'aa', name: 'x.exe', roles: ['related', 'impacted'] }],
    });
  });

  test('have a bounded number of elements, those of the alert first', () => {
    const alert = readState('graph.security.alert', {
      id: 'da1',
      lastUpdateDateTime: '2026-11-20T09:30:00Z',
      evidence: [{ '@odata.type': '#microsoft.graph.security.ipEvidence', ipAddress: '192.0.2.255' }],
    }).members;
    const pieces = Array.from({ length: 150 }, (_, index) =>
      membersOf(piece({ EntityType: 'Ip', RemoteIP: `192.0.2.${index}` })),
    );
    const { ips } = merge(alert, ...pieces);
    expect(ips).toHaveLength(alertElementsMax);
    expect(ips.slice(0, 2)).toMatchObject([{ id: '192.0.2.255' }, { id: '192.0.2.0' }]);
  });
});
