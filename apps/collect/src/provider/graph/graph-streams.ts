import { dayMs, hourMs } from '@tenantscope/contract';

const minuteMs = 60_000;

/** Records with a time, listed by it. */
export interface TimedResource {
  readonly path: string;
  /** The member by which it is filtered, and the bounds that the filter has. */
  readonly time: string;
  /**
   * A list of states is filtered from below only. Its pages are counted from the newest: an update would move a state out of a closed window, and a state
   * of the next page into the one that was read.
   */
  readonly isState: boolean;
  readonly pageMax: number;
  readonly windowMs: number;
  /** That of the window for states, whose filter has no end. */
  readonly partMinMs: number;
  readonly retentionMs: number;
}

/** Objects of the directory, listed by a delta query with these properties: those that entities are built from. */
export interface DirectoryResource {
  readonly path: string;
  readonly select: readonly string[];
}

const state = {
  time: 'lastUpdateDateTime',
  isState: true,
  windowMs: 200 * dayMs,
  partMinMs: 200 * dayMs,
  retentionMs: 180 * dayMs,
} as const;
/** Six hours: 120 requests for 30 days, at the 5 requests in 10 s that Microsoft allows for reports. */
const log = {
  isState: false,
  pageMax: 999,
  windowMs: 6 * hourMs,
  partMinMs: 5 * minuteMs,
  retentionMs: 30 * dayMs,
} as const;

export const timedResources: Readonly<Record<string, TimedResource>> = {
  alerts: { path: '/v1.0/security/alerts_v2', pageMax: 100, ...state },
  incidents: { path: '/v1.0/security/incidents', pageMax: 50, ...state },
  'directory-audits': { path: '/v1.0/auditLogs/directoryAudits', time: 'activityDateTime', ...log },
  'sign-ins': { path: '/v1.0/auditLogs/signIns', time: 'createdDateTime', ...log },
};

export const directoryResources: Readonly<Record<string, DirectoryResource>> = {
  users: {
    path: '/v1.0/users/delta',
    select: [
      ...['id', 'displayName', 'userPrincipalName', 'mail', 'userType', 'accountEnabled', 'externalUserState'],
      ...['department', 'jobTitle', 'companyName', 'country', 'assignedLicenses', 'proxyAddresses', 'otherMails'],
      ...['employeeType', 'usageLocation', 'onPremisesSyncEnabled', 'lastPasswordChangeDateTime', 'createdDateTime'],
      ...['securityIdentifier', 'onPremisesSecurityIdentifier'],
    ],
  },
  groups: {
    path: '/v1.0/groups/delta',
    select: [
      ...['id', 'displayName', 'description', 'mail', 'groupTypes', 'mailEnabled', 'securityEnabled', 'visibility'],
      ...['resourceProvisioningOptions', 'isAssignableToRole', 'expirationDateTime', 'membershipRule'],
      ...['securityIdentifier', 'createdDateTime'],
    ],
  },
  devices: {
    path: '/v1.0/devices/delta',
    select: [
      ...['id', 'deviceId', 'displayName', 'operatingSystem', 'operatingSystemVersion', 'manufacturer', 'model'],
      ...['trustType', 'deviceOwnership', 'isManaged', 'isCompliant', 'managementType'],
      ...['approximateLastSignInDateTime', 'registrationDateTime', 'createdDateTime'],
    ],
  },
  'service-principals': {
    path: '/v1.0/servicePrincipals/delta',
    select: [
      ...['id', 'appId', 'displayName', 'appDisplayName', 'servicePrincipalType', 'appOwnerOrganizationId'],
      ...['verifiedPublisher', 'accountEnabled', 'signInAudience', 'keyCredentials', 'passwordCredentials'],
      ...['replyUrls'],
    ],
  },
};

/** Microsoft names no greatest delay; most records can be listed within minutes. */
export const lateListing = {
  overlapMs: 30 * minuteMs,
  rereads: [
    { everyMs: hourMs, backMs: 6 * hourMs },
    { everyMs: dayMs, backMs: 3 * dayMs },
  ],
} as const;
