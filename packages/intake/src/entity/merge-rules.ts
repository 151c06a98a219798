import type { EntityKind } from '@tenantscope/contract';
import { isObject, type Json, type JsonObject, toList, toText } from '../json/value.ts';

export type Facts = { readonly [name: string]: Json };
type PerKind<What> = Readonly<Partial<Record<EntityKind, What>>>;

/**
 * Lists that several parts contribute to, such as the grants of an app, unless the platform's own record has the complete
 * list.
 */
export const collectedLists: PerKind<readonly string[]> = {
  file: ['permissions'],
  app: ['permissions', 'assignedPrincipals'],
  site: ['drives'],
};

/** Fields that are taken from the part that has another field: a name must come from the same part as its id. */
export const dependentFields: PerKind<Readonly<Record<string, string>>> = {
  user: { riskState: 'riskLevel', riskUpdatedAt: 'riskLevel', managerName: 'managerId' },
  agent: { ownerName: 'ownerId', ownerSource: 'ownerId', riskState: 'riskLevel', riskUpdatedAt: 'riskLevel' },
  app: { accountableName: 'accountableId', accountableSource: 'accountableId' },
  file: { ownerName: 'ownerId', modifiedByName: 'modifiedById' },
  site: { ownerName: 'ownerId' },
  device: { primaryUserName: 'primaryUserId' },
};

/** Collected lists, as the parts have them: an entity may have thousands. */
export type PartLists = { readonly [name: string]: readonly (readonly Json[])[] };

/** Adds fields that follow from others, where no part has them. */
export function addDerivedFields(kind: EntityKind, facts: Facts, lists: PartLists): Facts {
  const more = derivations[kind]?.(facts, lists) ?? {};
  const missing = Object.entries(more).filter(([name]) => facts[name] == null);
  return { ...facts, ...Object.fromEntries(missing) };
}

const derivations: PerKind<(facts: Facts, lists: PartLists) => Facts> = {
  agent: (facts) => ({ kind: 'other', hasInstructions: facts.instructions == null ? null : true }),
  file: (facts, { permissions }) => ({ extension: readExtension(toText(facts.name)), ...deriveSharing(permissions) }),
  group: (facts) => ({ hasNoOwner: typeof facts.ownerCount === 'number' ? facts.ownerCount === 0 : null }),
  app: (_, { permissions }) => derivePermissions(permissions),
};

function readExtension(name: string | null): string | null {
  return /[^.]\.([^.\s]{1,32})$/.exec(name ?? '')?.[1]?.toLowerCase() ?? null;
}

/** Derived from the known permissions; without permissions nothing is derived. */
function deriveSharing(lists: PartLists[string] | undefined): Facts {
  if (lists === undefined) return {};
  const all = lists.map(readSharing);
  const scopes = new Set(all.flatMap((one) => one.scopes));
  const principals = new Set(all.flatMap((one) => one.principals));
  const external = new Set(all.flatMap((one) => one.external));
  const narrow = all.some(({ isShared }) => isShared) ? 'specificPeople' : 'private';
  return {
    hasAnonymousLink: scopes.has('anonymous'),
    hasOrganizationLink: scopes.has('organization'),
    sharingScope: scopes.has('anonymous') ? 'anyone' : scopes.has('organization') ? 'organization' : narrow,
    externalUserCount: external.size,
    externalUserIds: [...external].filter((id) => id !== null),
    accessPrincipalCount: [...principals].filter((principal) => principal !== null).length,
  };
}

const readSharing = readOnce((permissions) => {
  const external = permissions.filter(({ isExternal }) => isExternal === true);
  return {
    scopes: permissions.map(({ linkScope }) => linkScope),
    principals: permissions.map(namePrincipal),
    external: external.map(namePrincipal),
    isShared: permissions.some(({ roles }) => !toList(roles).includes('owner')),
  };
});

const namePrincipal = ({ principalId, principalName }: JsonObject): string | null =>
  toText(principalId) ?? toText(principalName);

function derivePermissions(lists: PartLists[string] | undefined): Facts {
  if (lists === undefined) return {};
  const all = lists.map(readGrants);
  const perResource = new Map<string, number>();
  for (const { resources } of all)
    for (const resource of resources) perResource.set(resource, (perResource.get(resource) ?? 0) + 1);
  return {
    delegatedPermissionCount: all.reduce((sum, { delegatedCount }) => sum + delegatedCount, 0),
    applicationPermissionCount: all.reduce((sum, { applicationCount }) => sum + applicationCount, 0),
    hasTenantWideReach: all.some(({ isTenantWide }) => isTenantWide),
    hasAdminConsent: all.some(({ isAdminConsented }) => isAdminConsented),
    // App roles have an id only, which does not show whether they allow writing.
    hasWriteAccess: all.some(({ mayWrite }) => mayWrite) ? true : null,
    userConsentCount: new Set(all.flatMap(({ consenting }) => consenting)).size,
    permissionsPerResource: Object.fromEntries(perResource),
  };
}

const readGrants = readOnce((permissions) => {
  const isOf = (kind: string) => (permission: JsonObject) => permission.kind === kind;
  const delegated = permissions.filter(isOf('delegated'));
  const consenting = delegated.filter(({ adminConsented }) => adminConsented !== true);
  return {
    delegatedCount: delegated.length,
    applicationCount: permissions.filter(isOf('application')).length,
    isTenantWide: permissions.some(({ tenantWide }) => tenantWide === true),
    isAdminConsented: permissions.some(({ adminConsented }) => adminConsented === true),
    mayWrite: delegated.some(({ value }) => writes.test(toText(value) ?? '')),
    consenting: [...new Set(consenting.map(({ principalId }) => toText(principalId)))],
    resources: permissions.map(({ resource, resourceId }) => toText(resource) ?? toText(resourceId) ?? 'unknown'),
  };
});

const writes = /write|fullcontrol|\.send|manage|accessasuser|user_impersonation/i;

/** Reads a list of a part once: of cached parts, most lists are those of the last batch. */
function readOnce<Result extends object>(
  read: (permissions: readonly JsonObject[]) => Result,
): (list: readonly Json[]) => Result {
  const results = new WeakMap<readonly Json[], Result>();
  return (list) => {
    const earlier = results.get(list);
    if (earlier !== undefined) return earlier;
    const result = read(list.filter(isObject));
    results.set(list, result);
    return result;
  };
}
