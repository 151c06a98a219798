import type { App } from '../company.ts';
import type { Activity, Scene } from '../scene.ts';
import { firstParty, signInTargets } from './first-party.ts';

const viaGraph = {
  by: 'anyone',
  feed: 'entra',
  format: 'entra.signin.graph',
  rhythm: 'office hours',
  delay: 'minutes',
} as const;
const viaAzureMonitor = { ...viaGraph, format: 'entra.signin.azuremonitor' } as const;

export const signInActivities: readonly Activity[] = [
  { ...viaGraph, weight: 34, record: (scene) => signInOfPerson(scene) },
  { ...viaGraph, weight: 4, record: (scene) => signInOfPerson(scene, { errorCode: 50126 }) },
  { ...viaGraph, weight: 1, record: (scene) => signInOfPerson(scene, { riskLevel: 'low' }) },
  { ...viaGraph, weight: 3, by: 'guest', record: (scene) => signInOfPerson(scene) },
  {
    ...viaAzureMonitor,
    weight: 10,
    record: (scene) => exported(scene, 'NonInteractiveUserSignInLogs', signInOfPerson(scene)),
  },
  { ...viaAzureMonitor, weight: 8, rhythm: 'any hour', record: principalSignIn },
  { ...viaAzureMonitor, weight: 3, rhythm: 'any hour', record: agentSignIn },
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
export function signInOfPerson(scene: Scene, outcome: SignInOutcome = {}) {
  const { chance, company, device, person } = scene;
  const { errorCode = 0, riskLevel = 'none', city = company.plan.city, country = company.plan.country } = outcome;
  const target = chance.pick(signInTargets);
  return {
    id: chance.guid(),
    createdDateTime: `${new Date(scene.atMs).toISOString().slice(0, 19)}Z`,
    userDisplayName: person.displayName,
    userPrincipalName: person.userPrincipalName.toLowerCase(),
    userId: person.id,
    userType: person.isGuest ? 'guest' : 'member',
    homeTenantId: person.homeTenantId,
    resourceTenantId: company.plan.azureTenantId,
    appId: firstParty.officeHome.id,
    appDisplayName: firstParty.officeHome.name,
    ipAddress: scene.address,
    clientAppUsed: chance.weighted(clients).name,
    correlationId: chance.guid(),
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
function principalSignIn(scene: Scene) {
  const app = scene.chance.pick(scene.company.apps);
  const category = app.kind === 'managedIdentity' ? 'ManagedIdentitySignInLogs' : 'ServicePrincipalSignInLogs';
  return exported(scene, category, principal(scene, app));
}

/** An agent signing in by itself, as the application it is. */
function agentSignIn(scene: Scene) {
  const agent = scene.chance.pick(scene.company.agents);
  const address = scene.company.officeAddress;
  return exported(scene, 'ServicePrincipalSignInLogs', {
    ...principal(scene, { ...agent, kind: 'tenantOwned', address }),
    agent: { agentType: 'agenticAppInstance', agentSubjectType: 'notAgentic', agentSubjectParentId: null },
  });
}

function principal({ chance, atMs, company }: Scene, app: Omit<App, 'publisher' | 'aiCategory'>) {
  return {
    id: chance.guid(),
    createdDateTime: new Date(atMs).toISOString().replace('Z', '+00:00'),
    userId: null,
    appId: app.appId,
    ipAddress: app.kind === 'managedIdentity' ? '' : app.address,
    status: { errorCode: chance.is(0.05) ? 7_000_222 : 0 },
    correlationId: chance.guid(),
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
function exported(scene: Scene, category: string, properties: Record<string, unknown>) {
  const tenantId = scene.company.plan.azureTenantId;
  const time = `${new Date(scene.atMs).toISOString().slice(0, 23)}0000Z`;
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
