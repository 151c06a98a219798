import { describe, expect, test } from 'vitest';
import { azureTenantId, readDocument } from './message.ts';

const signIn = {
  id: 'b7a1f0aa-0000-4000-8000-000000000001',
  createdDateTime: '2026-11-20T08:15:30Z',
  userId: '7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b',
  userPrincipalName: 'ada@contoso.example',
  userDisplayName: 'Ada Lovelace',
  status: {
    errorCode: 50126,
    failureReason: 'Error validating credentials.',
    additionalDetails: 'MFA denied; user declined the authentication',
  },
  sessionId: 'session-1',
  uniqueTokenIdentifier: 'token-1',
  correlationId: 'correlation-1',
  userAgent: 'Mozilla/5.0 (Windows NT 10.0) Firefox/120.0',
  deviceDetail: { operatingSystem: 'Windows10', browser: 'Firefox 120', isCompliant: true },
  location: {
    city: 'Kraków',
    state: 'Małopolskie',
    countryOrRegion: 'PL',
    geoCoordinates: { latitude: 50.06, longitude: 19.94 },
  },
  autonomousSystemNumber: 5617,
  isInteractive: true,
  authenticationRequirement: 'multiFactorAuthentication',
  authenticationProtocol: 'deviceCode',
  conditionalAccessStatus: 'failure',
  incomingTokenType: 'primaryRefreshToken',
  riskLevelDuringSignIn: 'medium',
  riskLevelAggregated: 'high',
  riskState: 'atRisk',
  riskEventTypes: ['old'],
  riskEventTypes_v2: ['anonymizedIPAddress', 'unfamiliarFeatures'],
  resourceTenantId: azureTenantId,
  flaggedForReview: false,
  signInEventTypes: ['interactiveUser'],
  authenticationProcessingDetails: [
    { key: 'Is CAE Token', value: 'False' },
    { key: 'Oauth Scope Info', value: '' },
  ],
  appliedConditionalAccessPolicies: [
    { displayName: 'Require MFA', result: 'failure' },
    { displayName: 'Block legacy', result: 'notApplied' },
    { id: 'p-3', result: 'success' },
    7,
  ],
  authenticationDetails: [
    {
      authenticationMethod: 'Password',
      authenticationMethodDetail: 'Password in the cloud',
      authenticationStepRequirement: 'Primary authentication',
      authenticationStepResultDetail: 'Correct password',
    },
    {
      authenticationMethod: 'Mobile app notification',
      authenticationStepRequirement: 'Multi-factor authentication',
      authenticationStepResultDetail: 'MFA denied; user declined',
    },
  ],
};

const frame = {
  time: '2026-11-20T09:00:00Z',
  operationName: 'Sign-in activity',
  category: 'SignInLogs',
  tenantId: azureTenantId,
  resultType: '50126',
  resultDescription: 'In other words.',
  correlationId: 'correlation-2',
};

function readSignIn(changes: Record<string, unknown> = {}) {
  return readDocument('entra.signin.graph', { ...signIn, ...changes });
}

test('a sign-in has its context', () => {
  expect(readSignIn()).toMatchObject({
    outcome: 'failure',
    recordType: null,
    category: null,
    errorCode: '50126',
    outcomeReason: 'Error validating credentials.',
    sessionId: 'session-1',
    correlationId: 'correlation-1',
    userAgent: signIn.userAgent,
    deviceOs: 'Windows10',
    location: {
      country: 'PL',
      region: 'Małopolskie',
      city: 'Kraków',
      latitude: 50.06,
      longitude: 19.94,
      asn: 5617,
      asOrganization: null,
      isProxy: true,
    },
    signIn: {
      isInteractive: true,
      authenticationRequirement: 'multiFactorAuthentication',
      authenticationProtocol: 'deviceCode',
      conditionalAccessStatus: 'failure',
      incomingTokenType: 'primaryRefreshToken',
      mfaResult: 'MFA denied; user declined',
      riskLevel: 'medium',
      riskState: 'atRisk',
      riskEventTypes: ['anonymizedIPAddress', 'unfamiliarFeatures'],
    },
    targets: null,
    changes: null,
    threat: {
      verdict: 'atRisk',
      level: 'medium',
      name: 'anonymizedIPAddress, unfamiliarFeatures',
      source: 'IdentityProtection',
    },
    ai: null,
    truncated: false,
  });
});

test('a sign-in has every other member among its details', () => {
  expect(readSignIn().details).toEqual({
    'Is CAE Token': 'False',
    appliedConditionalAccessPolicies: 'Require MFA: failure, p-3: success',
    authenticationDetails:
      'Password (Password in the cloud): Correct password, Mobile app notification: MFA denied; user declined',
    'deviceDetail.browser': 'Firefox 120',
    'deviceDetail.isCompliant': 'true',
    flaggedForReview: 'false',
    resourceTenantId: azureTenantId,
    riskLevelAggregated: 'high',
    signInEventTypes: 'interactiveUser',
    'status.additionalDetails': 'MFA denied; user declined the authentication',
    uniqueTokenIdentifier: 'token-1',
    userDisplayName: 'Ada Lovelace',
  });
});

describe('a sign-in', () => {
  test.each([
    ['the second step of the authentication', {}, 'MFA denied; user declined'],
    [
      'a step before the telephone number',
      { mfaDetail: { authDetail: '+XX XXXXXXXX12' } },
      'MFA denied; user declined',
    ],
    ['the status', { authenticationDetails: [] }, 'MFA denied; user declined the authentication'],
    [
      'the details of the second factor',
      { authenticationDetails: [], status: {}, mfaDetail: { authDetail: 'MFA completed' } },
      'MFA completed',
    ],
    [
      'no telephone number',
      { authenticationDetails: [], status: {}, mfaDetail: { authDetail: '+XX XXXXXXXX12' } },
      null,
    ],
    [
      'no step but the first factor',
      { authenticationDetails: [signIn.authenticationDetails[0]], status: { additionalDetails: 'Other' } },
      null,
    ],
  ])('has its MFA result from %s', (_source, changes, mfaResult) => {
    expect(readSignIn(changes)).toMatchObject({ signIn: { mfaResult } });
  });

  test.each([
    [{ errorCode: 50140, failureReason: 'Keep me signed in' }, null, '50140', 'Keep me signed in'],
    [{ errorCode: 50074 }, null, '50074', null],
    [{ errorCode: 50199, failureReason: 'CmsiInterrupt' }, null, '50199', 'CmsiInterrupt'],
    [{ errorCode: 50168 }, null, '50168', null],
    [{ errorCode: 50203 }, 'failure', '50203', null],
    [{ errorCode: 0 }, 'success', '0', null],
    [{ errorCode: '7000222' }, 'failure', '7000222', null],
  ])('with the status %o has the outcome %s and the code %s', (status, outcome, errorCode, outcomeReason) => {
    expect(readSignIn({ status })).toMatchObject({ outcome, errorCode, outcomeReason });
  });

  test('whose second factor was denied is of medium severity, whatever the factor was', () => {
    const mfaDetail = { authMethod: 'Text message', authDetail: '+XX XXXXXXXX12' };
    const changes = { status: { errorCode: 500121 }, riskLevelDuringSignIn: 'none', riskLevelAggregated: 'none' };
    const document = readSignIn({ ...changes, riskState: 'none', mfaDetail });
    expect(document.severity).toBe('medium');
    expect(readSignIn({ ...changes, riskState: 'none', authenticationDetails: [] }).severity).toBe('low');
  });

  test('in Azure Monitor has the category, the code and the description of the frame', () => {
    const properties = { ...signIn, status: undefined, correlationId: null };
    expect(readDocument('entra.signin.azuremonitor', { ...frame, properties })).toMatchObject({
      category: 'SignInLogs',
      errorCode: '50126',
      outcomeReason: 'In other words.',
      correlationId: 'correlation-2',
    });
    const worded = { ...frame, resultType: 'Failure', properties };
    expect(readDocument('entra.signin.azuremonitor', worded)).toMatchObject({ errorCode: null, outcome: 'failure' });
  });

  test('has the token as its session where it names no session', () => {
    const document = readSignIn({ sessionId: '' });
    expect(document.sessionId).toBe('token-1');
    expect(document.details).not.toHaveProperty('uniqueTokenIdentifier');
  });

  test.each([
    ['low', 'none', 'low', 'low'],
    ['none', 'atRisk', 'medium', null],
    ['low', 'confirmedCompromised', 'high', 'low'],
    ['high', 'remediated', 'high', 'high'],
  ])('with the risk %s and the state %s is %s', (level, riskState, severity, shownLevel) => {
    const changes = { status: { errorCode: 0 }, riskLevelDuringSignIn: level, riskLevelAggregated: 'none', riskState };
    expect(readSignIn(changes)).toMatchObject({ severity, threat: { level: shownLevel } });
  });

  test.each([
    ['none', 'none'],
    ['hidden', 'none'],
    [null, 'dismissed'],
  ])('with the risk %s and the state %s has no threat', (riskLevelDuringSignIn, riskState) => {
    expect(readSignIn({ riskLevelDuringSignIn, riskState, riskLevelAggregated: null }).threat).toBeNull();
  });

  test('with many digits has coordinates as numbers', () => {
    const text = JSON.stringify({ ...signIn, location: 0 }).replace(
      '"location":0',
      '"location":{"city":"","geoCoordinates":{"latitude":17.385000228881836,"longitude":78.486701965332031}}',
    );
    expect(readDocument('entra.signin.graph', text).location).toMatchObject({
      city: null,
      latitude: 17.385000228881836,
      longitude: 78.48670196533203,
    });
  });

  test.each([
    [{ geoCoordinates: { latitude: 91, longitude: '19.94' } }, null, 19.94],
    [{ geoCoordinates: { latitude: 'north', longitude: 1e300 }, city: 'K' }, null, null],
  ])('at %o has only coordinates that exist', (location, latitude, longitude) => {
    expect(readSignIn({ location }).location).toMatchObject({ latitude, longitude });
  });

  test('of an agent names the agent', () => {
    const agent = { agentType: 'agentIDuser', agentSubjectParentId: 'agent-1' };
    expect(readSignIn({ agent }).ai).toMatchObject({ agentId: 'agent-1', agentName: 'Ada Lovelace' });
    expect(readSignIn({ agent: { agentType: 'notAgentic' } }).ai).toBeNull();
  });
});

test('an application id that is no GUID is a detail', () => {
  const same = { ...signIn, appId: 'no-guid', correlationId: 'correlation-2' };
  const { details } = readDocument('entra.signin.azuremonitor', { ...frame, properties: same });
  expect(details).toMatchObject({ appId: 'no-guid' });
  expect(details).not.toHaveProperty('correlationId');
});

test.each([
  [{ city: '', countryOrRegion: '', state: '', geoCoordinates: { latitude: 0, longitude: 0 } }, null],
  [
    { countryOrRegion: 'GH', geoCoordinates: { latitude: 0, longitude: 0 } },
    { country: 'GH', latitude: 0 },
  ],
  [{ geoCoordinates: { latitude: 0, longitude: 9.4 } }, { country: null, latitude: 0, longitude: 9.4 }],
])('a sign-in at %o has the place %o', (location, expected) => {
  const signIn = { id: 's-1', createdDateTime: '2026-11-20T08:15:30Z', userId: 'u-1', location };
  const document = readDocument('entra.signin.graph', signIn);
  if (expected === null) expect(document.location).toBeNull();
  else expect(document).toMatchObject({ location: expected });
});
