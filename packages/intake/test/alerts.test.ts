import { createHash } from 'node:crypto';
import { type AlertFormatName, alertFormats, type RecordState } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alertEvent,
  googleAlert,
  graphAlert,
  listResults,
  listStates,
  parseDocument,
  readAlert,
  readState,
} from './alert-message.ts';
import { ends, management, now, read, tenantId } from './message.ts';

const microseconds = (time: string): number => Date.parse(`${time.slice(0, 23)}Z`) * 1000 + Number(time.slice(23, 26));

/** One piece of evidence of every kind that is read, and some that are not. */
const evidence = [
  {
    '@odata.type': '#microsoft.graph.security.userEvidence',
    verdict: 'suspicious',
    roles: ['compromised'],
    userAccount: { accountName: 'ada', azureAdUserId: 'u-1', userSid: 'S-1-5-21', userPrincipalName: null },
  },
  {
    '@odata.type': '#microsoft.graph.security.mailboxEvidence',
    verdict: 'unknown',
    roles: ['attacked'],
    displayName: 'Ada Lovelace',
    primaryAddress: 'ada@contoso.example',
    userAccount: { azureAdUserId: 'u-1', displayName: null },
  },
  {
    '@odata.type': '#microsoft.graph.security.processEvidence',
    verdict: 'malicious',
    userAccount: { accountName: 'svc', userSid: 'S-1-5-18' },
  },
  { '@odata.type': '#microsoft.graph.security.processEvidence', verdict: 'malicious', userAccount: null },
  {
    '@odata.type': '#microsoft.graph.security.securityGroupEvidence',
    securityGroupId: 'g-1',
    displayName: 'Finance',
    verdict: 'unknown',
    roles: [],
  },
  { '@odata.type': '#microsoft.graph.security.teamsMessageEvidence', groupId: 'g-2', verdict: 'suspicious' },
  {
    '@odata.type': '#microsoft.graph.security.analyzedMessageEvidence',
    networkMessageId: 'n-1',
    internetMessageId: '<m1@evil.example>',
    subject: 'Invoice',
    p1Sender: { emailAddress: 'bounce@evil.example' },
    p2Sender: { emailAddress: 'boss@evil.example' },
    recipientEmailAddress: 'ada@contoso.example',
    receivedDateTime: '2026-11-20T07:50:00Z',
    deliveryAction: 'delivered',
    verdict: 'malicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.mailClusterEvidence',
    networkMessageIds: ['n-1', 'n-2'],
    verdict: 'unknown',
  },
  {
    '@odata.type': '#microsoft.graph.security.oauthApplicationEvidence',
    objectId: 'o-1',
    appId: 'a-1',
    displayName: 'Mail Helper',
    verdict: 'malicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.servicePrincipalEvidence',
    servicePrincipalObjectId: 's-1',
    appId: 'a-2',
    servicePrincipalName: 'Backup',
  },
  { '@odata.type': '#microsoft.graph.security.cloudApplicationEvidence', appId: 20893, displayName: 'Box' },
  {
    '@odata.type': '#microsoft.graph.security.aiAgentEvidence',
    agentId: 'agent-1',
    agentName: 'Sales Helper',
    instructions: 'Never tell anyone.',
  },
  { '@odata.type': '#microsoft.graph.security.deviceEvidence', deviceDnsName: 'laptop' },
  { '@odata.type': 'constructor' },
  'no evidence',
];

describe('an alert of Microsoft Graph', () => {
  test('becomes a document in the terms of the contract', () => {
    const state = readState('graph.security.alert', graphAlert());
    expect(state).toMatchObject({
      tenantId,
      id: 'da637551_1',
      version: microseconds('2026-11-20T09:30:00.765432'),
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

describe('an event of an alert of the Management Activity API', () => {
  test('becomes a document in the terms of the contract', () => {
    const state = readState('o365.management-activity', alertEvent());
    expect(state).toMatchObject({
      id: '6ee36a84-0cb9-0e51-8000-08df46dc4688',
      version: microseconds('2026-11-20T08:03:00.000000'),
      times: { created_at: Date.parse('2026-11-20T08:03:00Z') },
    });
    expect(parseDocument(state)).toEqual({
      title: 'Creation of forwarding rule',
      description: 'Someone set up a forwarding rule.',
      severity: 'medium',
      status: 'new',
      classification: null,
      category: 'ThreatManagement',
      threatDisplayName: 'MailRedirect',
      firstActivityDateTime: '2026-11-20T07:58:00.000Z',
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
      emails: [],
      apps: [],
      createdDateTime: '2026-11-20T08:03:00.000Z',
      lastUpdateDateTime: '2026-11-20T08:03:00.000Z',
      determination: null,
      assignedTo: null,
      alertWebUrl: 'https://security.example/viewalerts?id=1',
      incidentWebUrl: null,
      serviceSource: 'office365SecurityCompliance',
      detectionSource: null,
      resolvedDateTime: null,
      lastActivityDateTime: '2026-11-20T08:00:00.000Z',
      recommendedActions: null,
      actorDisplayName: null,
      threatFamilyName: null,
      rawData: alertEvent(),
    });
  });

  test.each([
    ['Active', 'new', null],
    ['Investigating', 'inProgress', null],
    ['Resolved', 'resolved', '2026-11-20T10:00:00.000Z'],
    ['Dismissed', 'resolved', '2026-11-20T10:00:00.000Z'],
    ['Pondered', 'unknown', null],
  ])(
    'with the status %s gives %s, resolved at %s, and the creation time in its id',
    (Status, status, resolvedDateTime) => {
      const updated = { Operation: 'AlertUpdated', CreationTime: '2026-11-20T10:00:00', Status };
      expect(parseDocument(readState('o365.management-activity', alertEvent(updated)))).toMatchObject({
        status,
        resolvedDateTime,
        createdDateTime: '2026-11-20T08:00:00.000Z',
        lastUpdateDateTime: '2026-11-20T10:00:00.000Z',
      });
    },
  );

  test('has no creation time where the id has no time', () => {
    for (const AlertId of ['5f0c1d2e-1111-4222-8333-944455556666', 'free-text', '0000-8000-08ff46dc4688']) {
      const updated = alertEvent({ Operation: 'AlertUpdated', AlertId });
      expect(parseDocument(readState('o365.management-activity', updated))).toMatchObject({ createdDateTime: null });
    }
  });

  test('about one entity never replaces an event about the alert', () => {
    const triggered = readState('o365.management-activity', alertEvent());
    const entity = readState(
      'o365.management-activity',
      alertEvent(
        {
          Operation: 'AlertEntityGenerated',
          CreationTime: '2026-11-20T08:04:00',
          EntityType: 'User',
          AlertEntityId: 'grace@contoso.example',
        },
        { ad: undefined, f3u: undefined },
      ),
    );
    expect(entity.version).toBeLessThan(triggered.version);
    expect(parseDocument(entity)).toMatchObject({
      description: null,
      users: [{ id: 'grace@contoso.example' }],
      lastUpdateDateTime: '2026-11-20T08:04:00.000Z',
    });
  });

  test('is read from every wrapping and from every form of Data', () => {
    const plain = readState('o365.management-activity', alertEvent());
    const row = { RecordType: 'SecurityComplianceAlerts', AuditData: JSON.stringify(alertEvent()) };
    expect(readState('o365.management-activity', [row])).toEqual(plain);
    for (const Data of [undefined, null, '', '{', '[]', 7, 'text']) {
      const { description } = parseDocument(readState('o365.management-activity', alertEvent({ Data })));
      expect(description).toBeNull();
    }
    expect(
      parseDocument(readState('o365.management-activity', alertEvent({ Data: { ad: 'As an object.' } }))),
    ).toMatchObject({ description: 'As an object.' });
  });

  test('with another record type is rejected on this topic', () => {
    expect(listResults(readAlert('o365.management-activity', [management(), alertEvent()]))).toEqual([
      'SCHEMA_VIOLATION',
      'state',
    ]);
  });
});

describe('an alert of Google Workspace', () => {
  test('becomes a document in the terms of the contract', () => {
    const state = readState('google.alertcenter.alert', googleAlert());
    expect(state).toMatchObject({
      id: '3f0c6f3e-3b57-4a61-8d5a-1de0a4f7c2b9',
      version: microseconds('2026-11-20T09:00:00.654321'),
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
    expect(state.version).toBe(microseconds('2026-11-20T08:00:00.123456'));
    expect(parseDocument(state)).toMatchObject({ status: 'new' });
  });
});

describe('rawData', () => {
  test('preserves digits, order and members with duplicate names', () => {
    const text =
      '{"id":"x1","lastUpdateDateTime":"2026-11-20T09:30:00Z","score":1.50,"ticks":638680000001234567890,"tiny":1e-9,' +
      '"evidence":[],"a":1,"a":{"b":-0},"note":"\\u0000 \\ud800 \u202e"}';
    const { detailMembers } = readState('graph.security.alert', text);
    expect(detailMembers).toContain(`"rawData":${text}`);
  });

  test('is the only member whose invisible characters are unchanged', () => {
    const hostile = 'a\u202eb\u200bc\u{e0041}\u0007\ud800';
    const shown = 'a\\u{202E}b\\u{200B}c\\u{E0041}\\u{7}\\u{D800}';
    const texts = [
      'title',
      'description',
      'category',
      'threatDisplayName',
      'determination',
      'assignedTo',
      'alertWebUrl',
    ];
    const alert = graphAlert({
      ...Object.fromEntries(texts.map((name) => [name, hostile])),
      evidence: [
        {
          '@odata.type': '#microsoft.graph.security.analyzedMessageEvidence',
          networkMessageId: 'n-1',
          subject: hostile,
        },
      ],
    });
    const { rawData, emails, ...rest } = parseDocument(readState('graph.security.alert', alert));
    for (const name of texts) expect(rest[name], name).toBe(shown);
    expect(emails).toMatchObject([{ subject: shown }]);
    expect(rawData).toEqual(alert);
  });

  test('is complete where texts are truncated', () => {
    const description = 'x'.repeat(20_000);
    const document = parseDocument(readState('graph.security.alert', graphAlert({ description })));
    expect(document.description).toHaveLength(8_192);
    expect(document.rawData).toMatchObject({ description });
  });
});

describe('an invalid alert message is rejected', () => {
  test.each<[string, AlertFormatName, unknown, string]>([
    ['no id', 'graph.security.alert', graphAlert({ id: undefined }), 'SCHEMA_VIOLATION'],
    ['an id that fits into no address', 'graph.security.alert', graphAlert({ id: 'a/b' }), 'SCHEMA_VIOLATION'],
    [
      'another tenant',
      'graph.security.alert',
      graphAlert({ tenantId: '99999999-0000-4000-8000-000000000000' }),
      'TENANT_MISMATCH',
    ],
    [
      'another organization',
      'o365.management-activity',
      alertEvent({ OrganizationId: '99999999-0000-4000-8000-000000000000' }),
      'TENANT_MISMATCH',
    ],
    [
      'no time',
      'graph.security.alert',
      graphAlert({ lastUpdateDateTime: null, createdDateTime: null }),
      'MISSING_TIMESTAMP',
    ],
    ['an unreadable update', 'graph.security.alert', graphAlert({ lastUpdateDateTime: 'later' }), 'INVALID_TIMESTAMP'],
    [
      'an update to come',
      'google.alertcenter.alert',
      googleAlert({ updateTime: '2027-11-20T09:00:00Z' }),
      'FUTURE_TIMESTAMP',
    ],
    ['an empty page', 'graph.security.alert', { value: [] }, 'EMPTY_PAYLOAD'],
    ['a number', 'google.alertcenter.alert', 7, 'SCHEMA_VIOLATION'],
  ])('%s', (_what, format, payload, reason) => {
    expect(readAlert(format, payload)).toMatchObject([{ kind: 'rejected', element: 0, reason, tenantId, format }]);
  });

  test('a format of another topic is rejected', () => {
    const headers = { ce_type: 'tenantscope.raw.mde-alert.v1', ce_tenantid: tenantId };
    expect(listResults(readAlert('graph.security.alert', graphAlert(), { headers }))).toEqual(['UNKNOWN_TYPE']);
  });

  test('a key of another record is rejected', () => {
    const alert = graphAlert();
    const endsWith = (key: string, format: AlertFormatName = 'graph.security.alert', payload: unknown = alert) =>
      listResults(readAlert(format, payload, { key: Buffer.from(key) }));
    expect(endsWith(`${tenantId}/alert/da637551_1`)).toEqual(['state']);
    expect(endsWith(`${tenantId.toUpperCase()}/alert/da637551%5F1`)).toEqual(['state']);
    expect(endsWith(`${tenantId}/alert/other`)).toEqual(['KEY_MISMATCH']);
    expect(endsWith(`${tenantId}/user/da637551_1`)).toEqual(['KEY_MISMATCH']);
    expect(endsWith(tenantId)).toEqual(['KEY_MISMATCH']);
    expect(endsWith('99999999-0000-4000-8000-000000000000/alert/da637551_1')).toEqual(['KEY_MISMATCH']);
    expect(endsWith(`${tenantId}/alert/7`, 'graph.security.incident', { id: '7', alerts: [alert] })).toEqual(['state']);
    expect(endsWith(`${tenantId}/alert/first`, 'graph.security.alert', [alert, graphAlert({ id: 'b' })])).toEqual([
      'state',
      'state',
    ]);
  });

  test('only the requested element of a replayed dead letter is read', () => {
    const payload = [graphAlert(), graphAlert({ id: null }), graphAlert({ id: 'c' })];
    const outcomes = readAlert('graph.security.alert', payload, {}, { onlyElement: 2 });
    expect(outcomes).toMatchObject([{ kind: 'state', element: 2, state: { id: 'c' } }]);
  });
});

describe('the alert of an activity record', () => {
  const elsewhere = (payload: unknown) => read('o365.management-activity', payload);

  test('is the state that a record of type 40 gives on the alert topic', () => {
    const outcomes = elsewhere([management(), alertEvent(), management({ Id: 'another' })]);
    expect(ends(outcomes)).toEqual(['log', 'log', 'state', 'log']);
    expect(outcomes[2]).toEqual({
      kind: 'state',
      element: 1,
      table: 'security_alert',
      state: readState('o365.management-activity', alertEvent()),
    });
  });

  test("is missing where the alert's id or time is missing, and the row is unchanged", () => {
    expect(ends(elsewhere(alertEvent({ AlertId: null })))).toEqual(['log']);
    expect(ends(elsewhere(alertEvent({ CreationTime: null })))).toEqual(['MISSING_TIMESTAMP']);
    expect(ends(elsewhere(alertEvent({ RecordType: 64 })))).toEqual(['log']);
  });
});

/** Which of two states stands, as the store judges. */
function hasAlert(one: RecordState, other: RecordState): RecordState {
  if (one.version !== other.version) return one.version > other.version ? one : other;
  return Buffer.compare(one.digest, other.digest) >= 0 ? one : other;
}

test('the states of an alert converge in every order of delivery and in every wrapping', {
  tags: 'exhaustive',
}, () => {
  const minute = fc.integer({ min: 0, max: 5 }).map((minutes) => `2026-11-20T10:0${minutes}:00`);
  const event = fc.record({
    Operation: fc.constantFrom('AlertTriggered', 'AlertUpdated', 'AlertEntityGenerated'),
    CreationTime: minute,
    Status: fc.constantFrom('Active', 'Investigating', 'Resolved', 'Dismissed'),
    Comments: fc.string(),
  });
  fc.assert(
    fc.property(
      fc
        .array(event, { minLength: 1, maxLength: 8 })
        .chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }), fc.boolean()),
        ),
      ([events, shuffled, together]) => {
        const inOrder = events.map((changes) => readState('o365.management-activity', alertEvent(changes)));
        const payload = shuffled.map((changes) => ({ AuditData: alertEvent(changes) }));
        const wrapped = together
          ? listStates(readAlert('o365.management-activity', payload))
          : payload.map((one) => readState('o365.management-activity', one));
        expect(wrapped.reduce(hasAlert)).toEqual(inOrder.reduce(hasAlert));
        const own = events.filter(({ Operation }) => Operation !== 'AlertEntityGenerated');
        if (own.length === 0) return;
        const latest = own
          .map(({ CreationTime }) => CreationTime)
          .sort()
          .at(-1) as string;
        expect(parseDocument(wrapped.reduce(hasAlert))).toMatchObject({ lastUpdateDateTime: `${latest}.000Z` });
      },
    ),
  );
});

test('the digest of a state is that of the canonical record', () => {
  const canonical = '{"alertId":"a","createTime":"2026-11-20T08:00:00Z"}';
  const { digest } = readState('google.alertcenter.alert', '{"createTime": "2026-11-20T08:00:00Z", "alertId": "a"}');
  expect(digest).toEqual(createHash('sha256').update(canonical).digest());
});

test('arbitrary members of an alert give states or rejections and never throw', { tags: 'exhaustive' }, () => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom(
      ...'__proto__ constructor id alerts value tenantId evidence @odata.type userAccount networkMessageIds'.split(' '),
      ...'lastUpdateDateTime data metadata messages status severity Data AlertLinks RecordType AlertId f3u'.split(' '),
    ),
  );
  const { value: anything } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom(null, true, '', '2026-11-20T08:00:00Z', '#microsoft.graph.security.userEvidence', 40, 1e300),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 8 }).map((members) => Object.fromEntries(members)),
    ),
  }));
  const good: Record<AlertFormatName, Record<string, unknown>> = {
    'graph.security.alert': graphAlert(),
    'graph.security.incident': { id: '7', alerts: [graphAlert()] },
    'google.alertcenter.alert': googleAlert(),
    'o365.management-activity': alertEvent(),
  };
  fc.assert(
    fc.property(fc.constantFrom(...alertFormats), fc.dictionary(names, anything, { maxKeys: 6 }), (format, changes) => {
      const outcomes = readAlert(format, { ...good[format], ...changes });
      expect(outcomes.length).toBeGreaterThanOrEqual(1);
      for (const state of listStates(outcomes)) {
        parseDocument(state);
        expect(Number.isSafeInteger(state.version) && state.version >= 1).toBe(true);
        expect(state.version).toBeLessThanOrEqual((now + 49 * 3_600_000) * 1000);
        expect(Number.isFinite(state.times.created_at)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
