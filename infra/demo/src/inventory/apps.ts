import type { App, Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { type FirstPartyApp, firstParty } from '../records/first-party.ts';
import { derivePick, findSensitiveInfo, isProtected, listReadingApps } from './file-attributes.ts';
import { createEntityState, deriveRisk, formatTimeBefore, type InventorySnapshot } from './inventory-snapshot.ts';
import { toReference } from './users.ts';

/** The tenant in which the suite's own applications were registered, for the whole world. */
const suiteTenantId = 'f8cdef31-a31e-4b4a-93e4-5f571e91255a';

export function createAppState(snapshot: InventorySnapshot, app: App): DemoState {
  const { company } = snapshot;
  const { servicePrincipalId: id, name, publisher, kind } = app;
  const isOwn = kind !== 'thirdParty';
  const isAi = app.aiCategory !== null;
  const isVerified = !isOwn && !isUnverified(app);
  const grants = grantsOf(app);
  const files = company.files.filter((file) => listReadingApps(company, file).includes(app));
  const sensitive = files.filter((file) => findSensitiveInfo(company, file).length > 0);
  const accountable = isOwn ? derivePick(company.admins, id, 'owner') : null;
  const credentials = credentialsOf(snapshot, app);
  const [nextExpiry] = credentials.map(({ endsAt }) => endsAt).sort();
  return createEntityState(snapshot, 'app', id, {
    createdAt: formatTimeBefore(snapshot, 900, id, 'created'),
    appId: app.appId,
    displayName: name,
    appType: kind,
    servicePrincipalType: kind === 'managedIdentity' ? 'ManagedIdentity' : 'Application',
    publisher,
    isVerifiedPublisher: isVerified,
    verifiedPublisherName: isVerified ? publisher : null,
    homeTenantId: isOwn ? company.plan.azureTenantId : deriveGuid('home tenant', publisher),
    accountEnabled: deriveNumber(9, id, 'enabled') > 0,
    signInAudience: isOwn ? 'AzureADMyOrg' : 'AzureADMultipleOrgs',
    isAiApp: isAi,
    aiCategory: app.aiCategory,
    aiClassifiedBy: isAi ? derivePick(['catalog', 'rule'], id) : null,
    delegatedPermissionCount: grants.filter((grant) => grant.kind === 'delegated').length,
    applicationPermissionCount: grants.filter((grant) => grant.kind === 'application').length,
    resourceGrantCount: 0,
    highPrivilegePermissionCount: grants.filter(({ tenantWide }) => tenantWide).length,
    hasTenantWideReach: grants.some(({ tenantWide }) => tenantWide),
    hasAdminConsent: grants.some(({ adminConsented }) => adminConsented),
    hasWriteAccess: grants.some(({ value }) => value.includes('ReadWrite')),
    userConsentCount: isOwn ? 0 : deriveNumber(9, id, 'consents'),
    credentialCount: credentials.length,
    nextCredentialExpiryAt: nextExpiry ?? null,
    accountableId: accountable?.id ?? null,
    accountableName: accountable?.displayName ?? null,
    accountableSource: accountable === null ? 'none' : 'nativeOwner',
    fileReachCount: files.length,
    sensitiveFileReachCount: sensitive.length,
    labeledFileReachCount: files.filter(({ label }) => label !== null).length,
    reachableInfoTypeCount: new Set(
      sensitive.flatMap((file) => findSensitiveInfo(company, file).map(({ type }) => type.id)),
    ).size,
    userCount: 1 + deriveNumber(company.employees.length, id, 'users'),
    externalUserCount: 0,
    lastSignInAt: formatTimeBefore(snapshot, 10, id, 'used'),
    riskLevel: deriveRisk(snapshot, id),
    permissions: grants,
    owners: accountable === null ? [] : [toReference(accountable)],
    credentials,
    replyUrls:
      kind === 'managedIdentity' ? [] : [`https://${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.example/signin`],
    assignedPrincipals: [],
    ...registerOf(app),
    verifiedPublisherId: isVerified ? String(1_000_000 + deriveNumber(9_000_000, publisher)) : null,
    verifiedPublisherAt: isVerified ? formatTimeBefore(snapshot, 900, publisher, 'verified') : null,
    reachBasis: 'permissions',
    reachComputedAt: formatTimeBefore(snapshot, 1, id, 'reach'),
    protectedFileReachCount: files.filter(isProtected).length,
    siteReachCount: new Set(files.map((file) => file.site)).size,
    mailboxReachCount: grants.some(({ value, tenantWide }) => tenantWide && value.startsWith('Mail.'))
      ? company.employees.length
      : 0,
    aiReach: isAi
      ? sensitive
          .flatMap((file) => findSensitiveInfo(company, file).slice(0, 1))
          .slice(0, 3)
          .map(({ type }) => ({ id: type.id, name: type.name, fileCount: 1 }))
      : [],
  });
}

/** The suite's own applications, as log rows name them by client id. */
export function createFirstPartyStates(snapshot: InventorySnapshot): DemoState[] {
  return Object.values(firstParty).map((app: FirstPartyApp) => {
    const { id: appId, name } = app;
    const isAi = app === firstParty.copilot;
    return createEntityState(snapshot, 'app', deriveFirstPartyId(snapshot.company, app), {
      appId,
      displayName: name,
      appType: 'firstParty',
      servicePrincipalType: 'Application',
      publisher: 'Microsoft Services',
      isVerifiedPublisher: true,
      verifiedPublisherName: 'Microsoft Services',
      homeTenantId: suiteTenantId,
      accountEnabled: true,
      isAiApp: isAi,
      aiCategory: isAi ? 'assistant' : null,
      aiClassifiedBy: isAi ? 'catalog' : null,
      hasTenantWideReach: false,
      hasAdminConsent: false,
      hasWriteAccess: false,
      riskLevel: 'none',
    });
  });
}

export function deriveFirstPartyId({ plan }: Company, { name }: FirstPartyApp): string {
  return deriveGuid(plan.azureTenantId, 'service principal', name);
}

/** The app that the intruder consented to, and a few more with unverified publishers. */
function isUnverified({ name }: App): boolean {
  return ['NoteHarvest AI', 'Meeting Magpie', 'Snapform Surveys', 'RecallMate'].includes(name);
}

/** The contract register data of an app; small ones have none. */
function registerOf({ kind, name, publisher }: App) {
  if (kind !== 'thirdParty' || deriveNumber(3, name, 'contract') === 0) return {};
  return {
    ictServiceType: 'S19',
    contractRef: `C-${2020 + deriveNumber(6, name, 'year')}-${100 + deriveNumber(900, name, 'number')}`,
    providerCode: { code: `NLNHR.${10_000_000 + deriveNumber(89_999_999, publisher)}`, codeType: 'EUID' },
  };
}

function grantsOf({ name, kind, aiCategory }: App) {
  const grant = (value: string, grantKind: 'delegated' | 'application', tenantWide: boolean) => ({
    value,
    kind: grantKind,
    resourceId: firstParty.graph.id,
    resource: firstParty.graph.name,
    principalId: null,
    adminConsented: tenantWide,
    tenantWide,
  });
  const profile = grant('User.Read', 'delegated', false);
  if (name === 'NoteHarvest AI')
    return [profile, grant('Files.Read.All', 'delegated', true), grant('Mail.Read', 'delegated', true)];
  if (kind === 'managedIdentity') return [grant('Sites.Selected', 'application', false)];
  if (kind === 'tenantOwned') return [profile, grant('Files.ReadWrite.All', 'application', true)];
  return aiCategory === null ? [profile] : [profile, grant('Files.Read', 'delegated', false)];
}

function credentialsOf(snapshot: InventorySnapshot, { servicePrincipalId: id, kind }: App) {
  if (kind !== 'tenantOwned') return [];
  const startsMs = snapshot.atMs - deriveNumber(300, id, 'credential') * 86_400_000;
  const shown = (atMs: number) => new Date(atMs).toISOString();
  return [
    {
      kind: 'secret',
      keyId: deriveGuid(id, 'key'),
      startsAt: shown(startsMs),
      endsAt: shown(startsMs + 365 * 86_400_000),
    },
  ];
}
