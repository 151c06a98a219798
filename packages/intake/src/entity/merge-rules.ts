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

/** Adds fields that follow from others, where no part has them. */
export function addDerivedFields(kind: EntityKind, facts: Facts): Facts {
  const more = derivations[kind]?.(facts) ?? {};
  const missing = Object.entries(more).filter(([name]) => facts[name] == null);
  return { ...facts, ...Object.fromEntries(missing) };
}

const derivations: PerKind<(facts: Facts) => Facts> = {
  agent: (facts) => ({ kind: 'other', hasInstructions: facts.instructions == null ? null : true }),
  file: (facts) => ({ extension: readExtension(toText(facts.name)), ...deriveSharing(facts) }),
  group: (facts) => ({ hasNoOwner: typeof facts.ownerCount === 'number' ? facts.ownerCount === 0 : null }),
  app: derivePermissions,
};

function readExtension(name: string | null): string | null {
  return /[^.]\.([^.\s]{1,32})$/.exec(name ?? '')?.[1]?.toLowerCase() ?? null;
}

/** Derived from the known permissions; without permissions nothing is derived. */
function deriveSharing({ permissions }: Facts): Facts {
  if (!Array.isArray(permissions)) return {};
  const all = toList(permissions).filter(isObject);
  const scopes = new Set(all.map(({ linkScope }) => linkScope));
  const principals = new Set(all.map((one) => toText(one.principalId) ?? toText(one.principalName)));
  const external = all.filter(({ isExternal }) => isExternal === true);
  const narrow = all.some(({ roles }) => !toList(roles).includes('owner')) ? 'specificPeople' : 'private';
  return {
    hasAnonymousLink: scopes.has('anonymous'),
    hasOrganizationLink: scopes.has('organization'),
    sharingScope: scopes.has('anonymous') ? 'anyone' : scopes.has('organization') ? 'organization' : narrow,
    externalUserCount: new Set(external.map((one) => toText(one.principalId) ?? toText(one.principalName))).size,
    accessPrincipalCount: [...principals].filter((principal) => principal !== null).length,
  };
}

function derivePermissions({ permissions }: Facts): Facts {
  if (!Array.isArray(permissions)) return {};
  const all = toList(permissions).filter(isObject);
  const isOf = (kind: string) => (permission: JsonObject) => permission.kind === kind;
  const delegated = all.filter(isOf('delegated'));
  const consenting = delegated.filter(({ adminConsented }) => adminConsented !== true);
  return {
    delegatedPermissionCount: delegated.length,
    applicationPermissionCount: all.filter(isOf('application')).length,
    hasTenantWideReach: all.some(({ tenantWide }) => tenantWide === true),
    hasAdminConsent: all.some(({ adminConsented }) => adminConsented === true),
    // App roles have an id only, which does not show whether they allow writing.
    hasWriteAccess: delegated.some(({ value }) => writes.test(toText(value) ?? '')) ? true : null,
    userConsentCount: new Set(consenting.map(({ principalId }) => toText(principalId))).size,
  };
}

const writes = /write|fullcontrol|\.send|manage|accessasuser|user_impersonation/i;
