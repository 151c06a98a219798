import type { Activity, ActivityContext } from '../activity.ts';
import { deriveGuid } from '../random.ts';

const identity = {
  by: 'anyone',
  feed: 'okta',
  format: 'okta.system-log',
  schedule: 'office hours',
  delay: 'minutes',
} as const;

export const oktaActivities: readonly Activity[] = [
  { ...identity, weight: 9, record: (context) => systemLog(context, kinds.sessionStart) },
  { ...identity, weight: 12, record: (context) => systemLog(context, kinds.singleSignOn) },
  { ...identity, weight: 4, record: (context) => systemLog(context, kinds.secondFactor) },
  { ...identity, weight: 2, record: (context) => systemLog(context, kinds.sessionRefused) },
  { ...identity, weight: 1, record: (context) => systemLog(context, kinds.accountLocked) },
  { ...identity, weight: 1, by: 'admin', record: (context) => systemLog(context, kinds.appAssigned) },
];

interface Kind {
  readonly eventType: string;
  readonly displayMessage: string;
  readonly severity: 'INFO' | 'WARN';
  readonly outcome: { readonly result: string; readonly reason: string | null };
}

const done = { result: 'SUCCESS', reason: null };

export const kinds = {
  sessionStart: {
    eventType: 'user.session.start',
    displayMessage: 'User login to Okta',
    severity: 'INFO',
    outcome: done,
  },
  singleSignOn: {
    eventType: 'user.authentication.sso',
    displayMessage: 'User single sign on to app',
    severity: 'INFO',
    outcome: done,
  },
  secondFactor: {
    eventType: 'user.authentication.auth_via_mfa',
    displayMessage: 'Authentication of user via MFA',
    severity: 'INFO',
    outcome: done,
  },
  sessionRefused: {
    eventType: 'user.session.start',
    displayMessage: 'User login to Okta',
    severity: 'INFO',
    outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' },
  },
  accountLocked: {
    eventType: 'user.account.lock',
    displayMessage: 'Max sign in attempts exceeded',
    severity: 'WARN',
    outcome: { result: 'FAILURE', reason: 'LOCKED_OUT' },
  },
  appAssigned: {
    eventType: 'application.user_membership.add',
    displayMessage: 'Add user to application membership',
    severity: 'INFO',
    outcome: done,
  },
} as const satisfies Record<string, Kind>;

/** One entry of Okta's System Log by the person of the context. */
export function systemLog(context: ActivityContext, kind: Kind) {
  const { random, company, device, person } = context;
  const app = random.pick(company.apps);
  const place = {
    city: company.plan.city,
    country: company.plan.country,
    geolocation: null,
    postalCode: null,
    state: null,
  };
  return {
    uuid: random.guid(),
    published: new Date(context.atMs).toISOString(),
    version: '0',
    eventType: kind.eventType,
    legacyEventType: null,
    displayMessage: kind.displayMessage,
    severity: kind.severity,
    outcome: kind.outcome,
    actor: {
      id: person.oktaId,
      type: 'User',
      alternateId: person.userPrincipalName,
      displayName: person.displayName,
      detailEntry: null,
    },
    client: {
      id: null,
      device:
        device.operatingSystem.startsWith('Ios') || device.operatingSystem.startsWith('Android')
          ? 'Mobile'
          : 'Computer',
      ipAddress: context.address,
      zone: 'null',
      geographicalContext: place,
      userAgent: {
        browser: (device.browser.split(' ')[0] ?? '').toUpperCase(),
        os: device.operatingSystem,
        rawUserAgent: device.userAgent,
      },
    },
    target: [
      {
        id: `0oa${deriveGuid(app.appId, 'okta').replaceAll('-', '').slice(0, 17)}`,
        type: 'AppInstance',
        alternateId: app.name,
        displayName: app.name,
        detailEntry: null,
      },
    ],
    transaction: { id: random.hex(22), type: 'WEB', detail: {} },
    debugContext: { debugData: { requestId: random.hex(22), requestUri: '/login', threatSuspected: 'false' } },
    authenticationContext: { authenticationStep: 0, externalSessionId: `102${random.hex(20)}`, issuer: null },
    request: { ipChain: [{ ip: context.address, version: 'V4', source: null, geographicalContext: place }] },
    securityContext: { asNumber: null, asOrg: null, domain: null, isProxy: null, isp: null },
  };
}
