import type { Activity, ActivityContext } from '../activity.ts';
import type { App } from '../company.ts';
import { firstParty, signInTargets } from './first-party.ts';

const viaGraph = {
  by: 'anyone',
  feed: 'entra',
  format: 'entra.signin.graph',
  schedule: 'office hours',
  delay: 'minutes',
} as const;
const viaAzureMonitor = { ...viaGraph, format: 'entra.signin.azuremonitor' } as const;

export const signInActivities: readonly Activity[] = [
  { ...viaGraph, weight: 34, record: (context) => signInOfPerson(context) },
  { ...viaGraph, weight: 4, record: (context) => signInOfPerson(context, { errorCode: 50126 }) },
  { ...viaGraph, weight: 1, record: (context) => signInOfPerson(context, { riskLevel: 'low' }) },
  { ...viaGraph, weight: 3, by: 'guest', record: (context) => signInOfPerson(context) },
  {
    ...viaAzureMonitor,
    weight: 10,
    record: (context) => exported(context, 'NonInteractiveUserSignInLogs', signInOfPerson(context)),
  },
  { ...viaAzureMonitor, weight: 8, schedule: 'any hour', record: principalSignIn },
  { ...viaAzureMonitor, weight: 3, schedule: 'any hour', record: agentSignIn },
];

export interface SignInOutcome {
  readonly errorCode?: number;
  readonly riskLevel?: 'none' | 'low' | 'medium' | 'high';
  readonly city?: string;
  readonly country?: string;
}

const failureReasons: Record<number, string> = {
  0: 'Other.',
  50126: 'Error validating credentials due to invalid username or password.',
  50053: 'The account is locked because of too many wrong passwords.',
  50076: 'Multi-factor authentication is required.',
};

/** A sign-in of a person, as Microsoft Graph lists it. */
export function signInOfPerson(context: ActivityContext, outcome: SignInOutcome = {}) {
  const { random, company, device, person } = context;
  const { errorCode = 0, riskLevel = 'none', city = company.plan.city, country = company.plan.country } = outcome;
  const target = random.pick(signInTargets);
  return {
    id: random.guid(),
    createdDateTime: `${new Date(context.atMs).toISOString().slice(0, 19)}Z`,
    userDisplayName: person.displayName,
    userPrincipalName: person.userPrincipalName.toLowerCase(),
    userId: person.id,
    userType: person.isGuest ? 'guest' : 'member',
    homeTenantId: person.homeTenantId,
    resourceTenantId: company.plan.azureTenantId,
    appId: firstParty.officeHome.id,
    appDisplayName: firstParty.officeHome.name,
    ipAddress: context.address,
    clientAppUsed: random.weighted(clients).name,
    correlationId: random.guid(),
    conditionalAccessStatus: errorCode === 0 ? 'success' : 'notApplied',
    isInteractive: true,
    riskDetail: 'none',
    riskLevelAggregated: riskLevel,
    riskLevelDuringSignIn: riskLevel,
    riskState: riskLevel === 'none' ? 'none' : 'atRisk',
    riskEventTypes_v2: riskLevel === 'none' ? [] : ['unfamiliarFeatures'],
    resourceDisplayName: target.name,
    resourceId: target.id,
    status: { errorCode, failureReason: failureReasons[errorCode] ?? 'Other.', additionalDetails: null },
    deviceDetail: {
      deviceId: device.id,
      displayName: device.name,
      operatingSystem: device.operatingSystem,
      browser: device.browser,
      isCompliant: device.isManaged === true,
      isManaged: device.isManaged,
      trustType: device.isManaged === true ? 'Azure AD joined' : '',
    },
    location: { city, state: '', countryOrRegion: country },
  };
}

const clients = [
  { weight: 12, name: 'Browser' },
  { weight: 7, name: 'Mobile Apps and Desktop clients' },
  { weight: 1, name: 'Exchange ActiveSync' },
] as const;

/** A service principal or managed identity signing in, as Azure Monitor exports it. */
function principalSignIn(context: ActivityContext) {
  const app = context.random.pick(context.company.apps);
  const category = app.kind === 'managedIdentity' ? 'ManagedIdentitySignInLogs' : 'ServicePrincipalSignInLogs';
  return exported(context, category, principal(context, app));
}

/** An agent that signs in as an application. */
function agentSignIn(context: ActivityContext) {
  const agent = context.random.pick(context.company.agents);
  const address = context.company.officeAddress;
  return exported(context, 'ServicePrincipalSignInLogs', {
    ...principal(context, { ...agent, kind: 'tenantOwned', address }),
    agent: { agentType: 'agenticAppInstance', agentSubjectType: 'notAgentic', agentSubjectParentId: null },
  });
}

function principal({ random, atMs, company }: ActivityContext, app: Omit<App, 'publisher' | 'aiCategory'>) {
  return {
    id: random.guid(),
    createdDateTime: new Date(atMs).toISOString().replace('Z', '+00:00'),
    userId: null,
    appId: app.appId,
    ipAddress: app.kind === 'managedIdentity' ? '' : app.address,
    status: { errorCode: random.bool(0.05) ? 7_000_222 : 0 },
    correlationId: random.guid(),
    conditionalAccessStatus: 'notApplied',
    isInteractive: false,
    riskLevelDuringSignIn: 'none',
    resourceDisplayName: firstParty.graph.name,
    resourceId: firstParty.graph.id,
    resourceTenantId: company.plan.azureTenantId,
    servicePrincipalName: app.name,
    servicePrincipalId: app.servicePrincipalId,
  };
}

/** What Azure Monitor wraps around a sign-in; times there have seven fraction digits. */
function exported(context: ActivityContext, category: string, properties: Record<string, unknown>) {
  const tenantId = context.company.plan.azureTenantId;
  const time = `${new Date(context.atMs).toISOString().slice(0, 23)}0000Z`;
  const { errorCode } = properties.status as { errorCode: number };
  return {
    time,
    resourceId: `/tenants/${tenantId}/providers/Microsoft.aadiam`,
    operationName: 'Sign-in activity',
    operationVersion: '1.0',
    category,
    tenantId,
    resultType: String(errorCode),
    resultSignature: 'None',
    durationMs: 0,
    callerIpAddress: properties.ipAddress,
    correlationId: properties.correlationId,
    Level: 4,
    properties: { ...properties, createdDateTime: time.replace('Z', '+00:00') },
  };
}
