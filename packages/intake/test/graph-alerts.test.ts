import { describe, expect, test } from 'vitest';
import { evidence } from './alert-evidence.ts';
import {
  graphAlert,
  listResults,
  listStates,
  parseDocument,
  readAlert,
  readState,
  toMicroseconds,
} from './alert-message.ts';
import { tenantId } from './message.ts';

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

  test('is rejected without alerts', () => {
    for (const alerts of [undefined, null, []]) {
      expect(listResults(readAlert('graph.security.incident', { id: '7', alerts }))).toEqual(['EMPTY_PAYLOAD']);
    }
    expect(listResults(readAlert('graph.security.incident', { id: '7', alerts: ['?', graphAlert()] }))).toEqual([
      'SCHEMA_VIOLATION',
      'state',
    ]);
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
