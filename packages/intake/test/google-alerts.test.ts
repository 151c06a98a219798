import { describe, expect, test } from 'vitest';
import { googleAlert, parseDocument, readState, toMicroseconds } from './alert-message.ts';

describe('an alert of Google Workspace', () => {
  test('becomes a document in the terms of the contract', () => {
    const state = readState('google.alertcenter.alert', googleAlert());
    expect(state).toMatchObject({
      id: '3f0c6f3e-3b57-4a61-8d5a-1de0a4f7c2b9',
      version: toMicroseconds('2026-11-20T09:00:00.654321'),
      times: { created_at: Date.parse('2026-11-20T08:00:00.123Z') },
    });
    expect(parseDocument(state)).toEqual({
      title: 'User reported phishing',
      description: null,
      severity: 'medium',
      status: 'inProgress',
      classification: null,
      category: 'Gmail phishing',
      threatDisplayName: null,
      firstActivityDateTime: '2026-11-20T07:00:00.000Z',
      isResolved: false,
      users: [
        {
          id: 'ada@contoso.example',
          name: null,
          userPrincipalName: 'ada@contoso.example',
          roles: [],
          verdict: null,
        },
      ],
      groups: [],
      emails: [
        {
          id: 'm1@evil.example',
          internetMessageId: 'm1@evil.example',
          networkMessageId: null,
          subject: 'Your account',
          sender: 'bank@evil.example',
          recipient: 'ada@contoso.example',
          receivedAt: '2026-11-20T06:59:00.000Z',
          deliveryAction: null,
          verdict: null,
        },
      ],
      apps: [],
      devices: [],
      files: [],
      ips: [],
      mitreTechniques: [],
      incidentId: null,
      createdDateTime: '2026-11-20T08:00:00.123Z',
      lastUpdateDateTime: '2026-11-20T09:00:00.654Z',
      determination: null,
      assignedTo: 'soc@contoso.example',
      alertWebUrl: 'https://admin.google.example/investigate?alert=1',
      incidentWebUrl: null,
      serviceSource: 'googleWorkspace',
      detectionSource: null,
      resolvedDateTime: null,
      lastActivityDateTime: '2026-11-20T07:30:00.000Z',
      recommendedActions: null,
      actorDisplayName: null,
      threatFamilyName: null,
      rawData: googleAlert(),
    });
  });

  test('has the attachments of its messages as files, by their hashes', () => {
    const [first, second] = ['5A'.repeat(32), 'b7'.repeat(32)];
    const messages = [
      { messageId: 'm1@evil.example', attachmentsSha256Hash: [first, null, true, '', {}, second] },
      { messageId: 'm2@evil.example', attachmentsSha256Hash: second },
      { messageId: 'm3@evil.example', attachmentsSha256Hash: [second] },
    ];
    const { files } = parseDocument(readState('google.alertcenter.alert', googleAlert({ data: { messages } })));
    expect(files).toEqual(
      ['5a'.repeat(32), second].map((sha256) => ({
        id: sha256,
        name: null,
        path: null,
        sha256,
        sha1: null,
        size: null,
        roles: [],
        verdict: null,
      })),
    );
  });

  test('of a change of the primary administrator is about the previous and the new one', () => {
    const data = {
      actorEmail: 'ada@contoso.example',
      primaryAdminChangedEvent: {
        domain: 'contoso.example',
        previousAdminEmail: 'bob@contoso.example',
        updatedAdminEmail: 'eve@contoso.example',
      },
    };
    const { users } = parseDocument(readState('google.alertcenter.alert', googleAlert({ data })));
    expect(users).toMatchObject([
      { id: 'ada@contoso.example' },
      { id: 'bob@contoso.example' },
      { id: 'eve@contoso.example' },
    ]);
  });

  test('about a login has the address it came from', () => {
    const data = { email: 'ada@contoso.example', loginDetails: { ipAddress: '203.0.113.7' } };
    expect(parseDocument(readState('google.alertcenter.alert', googleAlert({ data })))).toMatchObject({
      users: [{ id: 'ada@contoso.example' }],
      ips: [{ id: '203.0.113.7' }],
    });
  });

  test('about a device has the device', () => {
    const data = { email: 'ada@contoso.example', events: [{ deviceId: 'd-1', deviceModel: 'Pixel' }, null] };
    expect(parseDocument(readState('google.alertcenter.alert', googleAlert({ data }))).devices).toMatchObject([
      { id: 'd-1', name: 'Pixel', azureAdDeviceId: null, defenderDeviceId: null },
    ]);
  });

  test('about data loss has the rule, the person who violated it and the document', () => {
    const ruleViolationInfo = {
      ruleInfo: { displayName: 'Card numbers', resourceName: 'rules/1' },
      triggeringUserEmail: 'ada@contoso.example',
      resourceInfo: { documentId: 'doc-1', resourceTitle: 'Customers' },
    };
    const document = parseDocument(readState('google.alertcenter.alert', googleAlert({ data: { ruleViolationInfo } })));
    expect(document).toMatchObject({
      description: 'Card numbers',
      users: [{ id: 'ada@contoso.example' }],
      files: [{ id: 'doc-1', name: 'Customers' }],
    });
  });

  test('is resolved when it is closed, and new when nothing has changed it', () => {
    const closed = googleAlert({ metadata: { status: 'CLOSED' } });
    expect(parseDocument(readState('google.alertcenter.alert', closed))).toMatchObject({
      status: 'resolved',
      isResolved: true,
      severity: null,
      resolvedDateTime: '2026-11-20T09:00:00.654Z',
    });
    const untouched = googleAlert({ updateTime: undefined, metadata: { status: 'NOT_STARTED' } });
    const state = readState('google.alertcenter.alert', { alerts: [untouched] });
    expect(state.version).toBe(toMicroseconds('2026-11-20T08:00:00.123456'));
    expect(parseDocument(state)).toMatchObject({ status: 'new' });
  });
});
