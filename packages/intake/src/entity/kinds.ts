import type { EntityKind } from '@tenantscope/contract';
import { isObject, type Json, type JsonObject, listOf, textOf } from '../json/value.ts';

export type Facts = { readonly [name: string]: Json };
type PerKind<What> = Readonly<Partial<Record<EntityKind, What>>>;

/** Lists that many parts add to, such as the grants of an app, unless the platform's own record gives the whole. */
export const collected: PerKind<readonly string[]> = {
  file: ['permissions'],
  app: ['permissions', 'assignedPrincipals'],
  site: ['drives'],
};

/** Fields that are taken from the part that knows another one: a name without its id would be somebody else's. */
export const followers: PerKind<Readonly<Record<string, string>>> = {
  user: { riskState: 'riskLevel', riskUpdatedAt: 'riskLevel', managerName: 'managerId' },
  agent: { ownerName: 'ownerId', ownerSource: 'ownerId', riskState: 'riskLevel', riskUpdatedAt: 'riskLevel' },
  app: { accountableName: 'accountableId', accountableSource: 'accountableId' },
  file: { ownerName: 'ownerId', modifiedByName: 'modifiedById' },
  site: { ownerName: 'ownerId' },
  device: { primaryUserName: 'primaryUserId' },
};

/** Fields that follow from others, where nobody said them. */
export function derived(kind: EntityKind, facts: Facts): Facts {
  const more = derivations[kind]?.(facts) ?? {};
  const news = Object.entries(more).filter(([name]) => facts[name] == null);
  return { ...facts, ...Object.fromEntries(news) };
}

const derivations: PerKind<(facts: Facts) => Facts> = {
  agent: (facts) => ({ kind: 'other', hasInstructions: facts.instructions == null ? null : true }),
  file: (facts) => ({ extension: extensionOf(textOf(facts.name)), ...sharingOf(facts) }),
  group: (facts) => ({ hasNoOwner: typeof facts.ownerCount === 'number' ? facts.ownerCount === 0 : null }),
  app: permissionsOf,
};

function extensionOf(name: string | null): string | null {
  return /[^.]\.([^.\s]{1,32})$/.exec(name ?? '')?.[1]?.toLowerCase() ?? null;
}

/** From the permissions that are known: without any, nothing is. */
function sharingOf({ permissions }: Facts): Facts {
  if (!Array.isArray(permissions)) return {};
  const all = listOf(permissions).filter(isObject);
  const scopes = new Set(all.map(({ linkScope }) => linkScope));
  const principals = new Set(all.map((one) => textOf(one.principalId) ?? textOf(one.principalName)));
  const external = all.filter(({ isExternal }) => isExternal === true);
  const narrow = all.some(({ roles }) => !listOf(roles).includes('owner')) ? 'specificPeople' : 'private';
  return {
    hasAnonymousLink: scopes.has('anonymous'),
    hasOrganizationLink: scopes.has('organization'),
    sharingScope: scopes.has('anonymous') ? 'anyone' : scopes.has('organization') ? 'organization' : narrow,
    externalUserCount: new Set(external.map((one) => textOf(one.principalId) ?? textOf(one.principalName))).size,
    accessPrincipalCount: [...principals].filter((principal) => principal !== null).length,
  };
}

function permissionsOf({ permissions }: Facts): Facts {
  if (!Array.isArray(permissions)) return {};
  const all = listOf(permissions).filter(isObject);
  const isOf = (kind: string) => (permission: JsonObject) => permission.kind === kind;
  const delegated = all.filter(isOf('delegated'));
  const consenting = delegated.filter(({ adminConsented }) => adminConsented !== true);
  return {
    delegatedPermissionCount: delegated.length,
    applicationPermissionCount: all.filter(isOf('application')).length,
    hasTenantWideReach: all.some(({ tenantWide }) => tenantWide === true),
    hasAdminConsent: all.some(({ adminConsented }) => adminConsented === true),
    // App roles come by id: of those alone nobody can say whether they write.
    hasWriteAccess: delegated.some(({ value }) => writes.test(textOf(value) ?? '')) ? true : null,
    userConsentCount: new Set(consenting.map(({ principalId }) => textOf(principalId))).size,
  };
}

const writes = /write|fullcontrol|\.send|manage|accessasuser|user_impersonation/i;
