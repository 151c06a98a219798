import type { ProviderRecord } from './detection.ts';

export const oktaUser = {
  id: '00u1abcdEFGHijklM0h7',
  type: 'User',
  alternateId: 'ada@contoso.example',
  displayName: 'Ada Lovelace',
};
export const otherOktaUser = {
  id: '00u2abcdEFGHijklM0h7',
  type: 'User',
  alternateId: 'bob@contoso.example',
  displayName: 'Bob',
};

/** An event of the System Log. */
export function okta(eventType: string, changes: ProviderRecord = {}): ProviderRecord {
  return {
    published: '2026-11-20T08:15:30.843Z',
    eventType,
    version: '0',
    severity: 'INFO',
    displayMessage: eventType,
    actor: oktaUser,
    outcome: { result: 'SUCCESS', reason: null },
    client: {
      device: 'Computer',
      zone: 'null',
      ipAddress: '203.0.113.7',
      userAgent: {
        browser: 'CHROME',
        os: 'Windows 10',
        rawUserAgent: 'Mozilla/5.0 (Windows NT 10.0) Chrome/142.0.0.0',
      },
      geographicalContext: { city: 'Warsaw', state: 'Mazovia', country: 'Poland', geolocation: { lat: 52.2, lon: 21 } },
    },
    securityContext: { asNumber: 5617, asOrg: 'orange', isp: 'orange', domain: 'orange.pl', isProxy: false },
    authenticationContext: { authenticationStep: 0, externalSessionId: '102abcDEF' },
    transaction: { id: 'Zz1', type: 'WEB', detail: {} },
    debugContext: { debugData: { requestUri: '/api/v1/sessions' } },
    target: [],
    ...changes,
  };
}
