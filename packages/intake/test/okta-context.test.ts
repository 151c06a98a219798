import { describe, expect, test } from 'vitest';
import { ends, read, readDocument } from './message.ts';

const format = 'okta.system-log';
const user = { id: '00u1', type: 'User', alternateId: 'ada@contoso.example', displayName: 'Ada Lovelace' };
const signIn = {
  uuid: 'b1',
  published: '2026-11-20T08:15:30.843Z',
  eventType: 'user.authentication.auth_via_mfa',
  legacyEventType: 'core.user.factor.attempt_fail',
  displayMessage: 'Authentication of user via MFA',
  severity: 'INFO',
  version: '0',
  actor: user,
  outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' },
  client: {
    id: null,
    zone: 'null',
    device: 'Computer',
    ipAddress: '203.0.113.7',
    userAgent: { browser: 'FIREFOX', os: 'Mac OS X', rawUserAgent: 'Mozilla/5.0 (Macintosh) Firefox/72.0' },
    geographicalContext: {
      city: 'Purcellville',
      state: 'Virginia',
      country: 'United States',
      postalCode: '20132',
      geolocation: { lat: 39.64, lon: '-77.8346' },
    },
  },
  securityContext: { asNumber: 7922, asOrg: 'comcast', isp: 'comcast', domain: 'comcast.net', isProxy: false },
  authenticationContext: { externalSessionId: '102x', authenticationStep: 0, credentialType: 'OTP', issuer: null },
  transaction: { id: 'tx-1', type: 'WEB', detail: { requestApiTokenId: '00T1' } },
  request: { ipChain: [{ ip: '203.0.113.7', version: 'V4' }, { ip: '198.51.100.9' }] },
  device: { id: 'guo1', name: 'LAPTOP-12', managed: true, registered: true, os_platform: 'OSX' },
  debugContext: {
    debugData: {
      requestUri: '/api/v1/authn/factors/verify',
      factor: 'FIDO_WEBAUTHN',
      risk: '{reasons=Anomalous Location, Anomalous Device, level=HIGH}',
      behaviors: '{New Geo-Location=NEGATIVE, New IP=POSITIVE, Velocity=POSITIVE}',
      threatSuspected: 'false',
      logOnlySecurityData: { risk: { level: 'HIGH' } },
    },
  },
  target: [
    { ...user, detailEntry: null },
    {
      id: '0oa1',
      type: 'AppInstance',
      alternateId: 'Payroll',
      displayName: 'unknown',
      detailEntry: { signOnModeType: 'SAML_2_0' },
    },
  ],
};

test('a sign-in shows its result, session, client, place and second factor', () => {
  expect(readDocument(format, signIn)).toMatchObject({
    outcome: 'failure',
    recordType: null,
    category: null,
    errorCode: null,
    outcomeReason: 'INVALID_CREDENTIALS',
    sessionId: '102x',
    correlationId: 'tx-1',
    userAgent: 'Mozilla/5.0 (Macintosh) Firefox/72.0',
    deviceOs: 'Mac OS X',
    location: {
      country: 'United States',
      region: 'Virginia',
      city: 'Purcellville',
      latitude: 39.64,
      longitude: -77.8346,
      asn: 7922,
      asOrganization: 'comcast',
      isProxy: false,
    },
    signIn: {
      isInteractive: null,
      authenticationProtocol: 'SAML_2_0',
      conditionalAccessStatus: null,
      mfaResult: 'FAILURE',
      riskLevel: 'HIGH',
      riskState: null,
      riskEventTypes: ['Anomalous Location', 'Anomalous Device', 'New IP', 'Velocity'],
    },
    targets: [
      { id: '00u1', name: 'Ada Lovelace', type: 'User' },
      { id: '0oa1', name: 'Payroll', type: 'AppInstance' },
    ],
    changes: null,
    threat: { verdict: 'risk', level: 'HIGH', name: null, source: 'Okta' },
    severity: 'high',
    ai: null,
  });
});

test('details have the debug data under its own names and every other member under its path', () => {
  expect(readDocument(format, signIn).details).toEqual({
    'actor.displayName': 'Ada Lovelace',
    'actor.type': 'User',
    'authenticationContext.authenticationStep': '0',
    'authenticationContext.credentialType': 'OTP',
    behaviors: '{New Geo-Location=NEGATIVE, New IP=POSITIVE, Velocity=POSITIVE}',
    'client.device': 'Computer',
    'client.geographicalContext.postalCode': '20132',
    'client.userAgent.browser': 'FIREFOX',
    'device.os_platform': 'OSX',
    'device.registered': 'true',
    displayMessage: 'Authentication of user via MFA',
    factor: 'FIDO_WEBAUTHN',
    legacyEventType: 'core.user.factor.attempt_fail',
    'logOnlySecurityData.risk.level': 'HIGH',
    'outcome.result': 'FAILURE',
    'request.ipChain.ip': '203.0.113.7, 198.51.100.9',
    'request.ipChain.version': 'V4',
    requestUri: '/api/v1/authn/factors/verify',
    risk: '{reasons=Anomalous Location, Anomalous Device, level=HIGH}',
    'securityContext.domain': 'comcast.net',
    'securityContext.isp': 'comcast',
    severity: 'INFO',
    'target.alternateId': 'ada@contoso.example, Payroll',
    'target.detailEntry.signOnModeType': 'SAML_2_0',
    threatSuspected: 'false',
    'transaction.detail.requestApiTokenId': '00T1',
    'transaction.type': 'WEB',
    version: '0',
  });
});

describe('a threat', () => {
  const suspect = (debugData: unknown, severity = 'INFO') =>
    readDocument(format, { ...signIn, severity, eventType: 'user.session.end', debugContext: { debugData } });

  test.each([
    [{ threatSuspected: 'true' }, { verdict: 'threatSuspected', level: null }, 'medium'],
    [{ threatSuspected: true, risk: { level: 'HIGH' } }, { verdict: 'threatSuspected', level: 'HIGH' }, 'high'],
    [
      { threatSuspected: 'true', threatDetections: '{"Login Failures":"MEDIUM","Password Spray":"HIGH"}' },
      {
        verdict: 'threatSuspected',
        level: 'HIGH',
        name: 'Login Failures, Password Spray',
        source: 'Okta ThreatInsight',
      },
      'high',
    ],
    [{ risk: '{level=MEDIUM}' }, { verdict: 'risk', level: 'MEDIUM', source: 'Okta' }, 'medium'],
    [{ logOnlySecurityData: '{"risk":{"level":"HIGH"}}' }, { verdict: 'risk', level: 'HIGH' }, 'high'],
  ])('is read from %o', (debugData, threat, severity) => {
    expect(suspect(debugData)).toMatchObject({ threat, severity });
  });

  test.each([
    [{ risk: '{level=LOW}', threatSuspected: 'false' }],
    [{ behaviors: '{New Device=POSITIVE}' }],
    [{ behaviors: { 'New Device=POSITIVE': null } }],
    [{ logOnlySecurityData: '{"risk":' }],
    [{}],
    [''],
    [null],
  ])('is not read from %o', (debugData) => {
    expect(suspect(debugData)).toMatchObject({ threat: null, severity: 'informational' });
  });

  test("is not below Okta's severity", () => {
    expect(suspect({ threatSuspected: 'true' }, 'ERROR')).toMatchObject({ severity: 'high' });
  });
});

test('risk and behaviors of the security context are read where the debug data lacks them', () => {
  const securityContext = {
    ...signIn.securityContext,
    risk: { level: 'HIGH', reasons: ['Anomalous Device'] },
    userBehaviors: [{ id: 'b-1', name: 'New IP', result: 'POSITIVE' }, { name: 'Velocity', result: 'NEGATIVE' }, 'x'],
  };
  const read = (debugData: object) => readDocument(format, { ...signIn, securityContext, debugContext: { debugData } });
  expect(read({})).toMatchObject({
    severity: 'high',
    signIn: { riskLevel: 'HIGH', riskEventTypes: ['Anomalous Device', 'New IP'] },
    threat: { verdict: 'risk', level: 'HIGH' },
  });
  expect(read({ risk: '{level=LOW}', behaviors: '{New Device=POSITIVE}' })).toMatchObject({
    signIn: { riskLevel: 'LOW', riskEventTypes: ['New Device'] },
    threat: null,
  });
});

test('an event that is no sign-in has no sign-in members', () => {
  expect(readDocument(format, { ...signIn, eventType: 'group.privilege.grant' }).signIn).toBeNull();
});

test('the evaluation of a policy gives its decision', () => {
  const evaluated = { ...signIn, eventType: 'policy.evaluate_sign_on', outcome: { result: 'CHALLENGE' } };
  expect(readDocument(format, evaluated)).toMatchObject({
    outcome: null,
    signIn: { conditionalAccessStatus: 'CHALLENGE' },
    details: { 'outcome.result': 'CHALLENGE' },
  });
});

test('changes are the change details of all targets and the names of changed attributes', () => {
  const changed = {
    ...signIn,
    eventType: 'policy.rule.update',
    debugContext: { debugData: { changedAttributes: 'nickName, department' } },
    target: [
      {
        id: 'rule',
        type: 'PolicyRule',
        changeDetails: {
          from: { status: 'ACTIVE', conditions: { zones: ['a', 'b'] }, password: 'Winter-2026' },
          to: { status: 'INACTIVE', mfa: true, password: 'Summer-2026' },
        },
      },
      { id: 'x', type: 'User', changeDetails: { from: 'member', to: 'owner' } },
    ],
  };
  expect(readDocument(format, changed).changes).toEqual([
    { name: 'status', before: 'ACTIVE', after: 'INACTIVE' },
    { name: 'conditions.zones', before: 'a, b', after: null },
    { name: 'password', before: '[removed]', after: '[removed]' },
    { name: 'mfa', before: null, after: 'true' },
    { name: null, before: 'member', after: 'owner' },
    { name: 'nickName', before: null, after: null },
    { name: 'department', before: null, after: null },
  ]);
});

test('an event with the column names of a warehouse is the same row', () => {
  const lower = Object.fromEntries(
    Object.entries(signIn).map(([name, value]) => [
      /^(?:eventType|displayMessage|legacyEventType|securityContext|authenticationContext|debugContext)$/.test(name)
        ? name.toLowerCase()
        : name,
      value,
    ]),
  );
  expect(Object.keys(lower)).toContain('eventtype');
  expect(readDocument(format, lower)).toEqual(readDocument(format, signIn));
  const doubled = (version: string) => JSON.stringify(lower).replace('"version"', `"version":"${version}","version"`);
  expect(readDocument(format, doubled('1')).id).not.toBe(readDocument(format, doubled('2')).id);
});

describe.each([null, 'text', 7, 1.5e300, true, [], [[]], {}, [{}], [null, 'x', { id: {} }]])(
  'a member that is %j',
  (odd) => {
    test.each(Object.keys(signIn).filter((name) => !['eventType', 'published'].includes(name)))(
      'in place of %s costs no record',
      (name) => {
        expect(ends(read(format, { ...signIn, [name]: odd }))).toEqual(['log']);
      },
    );
    test('inside of every object costs no record', () => {
      const odder = Object.fromEntries(
        Object.entries(signIn).map(([name, value]) => [
          name,
          typeof value === 'object' && !Array.isArray(value)
            ? Object.fromEntries(Object.keys(value).map((inner) => [inner, odd]))
            : Array.isArray(value)
              ? value.map((each) => Object.fromEntries(Object.keys(each).map((inner) => [inner, odd])))
              : value,
        ]),
      );
      expect(ends(read(format, odder))).toEqual(['log']);
    });
  },
);

test('a debug text of a megabyte and a hundred levels of names give a row within the limits', () => {
  const nested = Array.from({ length: 90 }).reduce((inner) => ({ ['n'.repeat(300)]: inner }), 'leaf' as unknown);
  const debugData = { risk: `{${'a=b,'.repeat(250_000)}level=HIGH}`, behaviors: ',='.repeat(400), nested };
  const document = readDocument(format, { ...signIn, debugContext: { debugData } });
  expect(document.truncated).toBe(true);
  expect(Object.keys(document.details as object).length).toBeLessThanOrEqual(64);
});
