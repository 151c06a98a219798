import { type EntityKind, listMax } from '@tenantscope/contract';
import { isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { writeJson } from '../json/write.ts';
import { listFields } from './served-fields.ts';

/**
 * JSON text of what rules and evidence count of an entity, served or not, without braces. What is not known is left out; lists are as short
 * as in records, apart from ids.
 */
export function entityFactsOf(kind: EntityKind, record: JsonObject): string {
  const picked = { ...pickOf(kind, record), deletedAt: record.deletedAt, lastSeenAt: record.lastSeenAt };
  const known = Object.entries(picked).filter(([, value]) => value !== null && value !== undefined);
  return writeJson(Object.fromEntries(known) as JsonObject).slice(1, -1);
}

function pickOf(kind: EntityKind, record: JsonObject): JsonObject {
  const names = [...(listed.has(kind) ? listFields[kind] : []), ...own[kind]];
  const members = names.map((name) => [name, shortened(record[name] ?? null)]);
  return { ...Object.fromEntries(members), ...more[kind]?.(record) };
}

/** Kinds whose list row is all counted. */
const listed: ReadonlySet<EntityKind> = new Set(['agent', 'app', 'site', 'sensitiveInfoType']);

const own: Readonly<Record<EntityKind, readonly string[]>> = {
  user: [
    'displayName',
    'userPrincipalName',
    'userType',
    'accountEnabled',
    'isExternal',
    'isAdmin',
    'roles',
    'mfaRegistered',
    'methodsRegistered',
    'lastSignInAt',
    'lastNonInteractiveSignInAt',
    'createdAt',
    'disabledAt',
    'riskLevel',
    'riskState',
    'riskUpdatedAt',
    'licenseSkus',
    'hasCopilotLicense',
    'department',
  ],
  agent: [
    'instructionsHash',
    'owners',
    'sponsors',
    'accountable',
    'authentication',
    'orchestration',
    'runsAs',
    'riskUpdatedAt',
    'environmentId',
    'lastPublishedAt',
    'isPublisherVerified',
    'verifiedPublisherId',
    'verifiedPublisherAt',
    'sensitiveInfoTypes',
    'knowledgeSources',
    'elementPermissions',
    'dataSensitivity',
    'labeledFileReachCount',
    'protectedFileReachCount',
    'siteReachCount',
    'mailboxReachCount',
    'reachBasis',
    'reachComputedAt',
  ],
  file: [
    'name',
    'siteId',
    'ownerId',
    'sensitivityLabelId',
    'sensitivityLabelName',
    'isProtected',
    'sharingScope',
    'hasAnonymousLink',
    'hasOrganizationLink',
    'externalUserCount',
    'aiAppReachCount',
    'agentReachCount',
    'isRestricted',
    'modifiedAt',
    'sensitiveInfoTypeCount',
  ],
  group: ['displayName', 'groupType', 'ownerCount', 'hasNoOwner', 'guestCount'],
  site: [],
  app: [
    'owners',
    'accountable',
    'verifiedPublisherId',
    'verifiedPublisherAt',
    'ictServiceType',
    'contractRef',
    'providerCode',
    'protectedFileReachCount',
    'siteReachCount',
    'mailboxReachCount',
    'reachBasis',
    'reachComputedAt',
    'aiReach',
  ],
  device: [
    'deviceId',
    'isManaged',
    'isCompliant',
    'complianceState',
    'isEncrypted',
    'lastSyncAt',
    'primaryUserId',
    'enrolledAt',
  ],
  email: ['internetMessageId', 'networkMessageId', 'direction', 'deliveryLocation', 'threatTypes', 'dlpMatchCount'],
  license: [
    'displayName',
    'skuId',
    'skuPartNumber',
    'appliesTo',
    'capabilityStatus',
    'totalUnits',
    'consumedUnits',
    'isAiLicense',
  ],
  sensitiveInfoType: [],
};

const more: Readonly<Partial<Record<EntityKind, (record: JsonObject) => JsonObject>>> = {
  user: ({ roleAssignments }) => ({ rolesHeld: roleAssignments }),
  agent: ({ aliases, packageId, manifestId, botId }) => {
    const named = objectOf(aliases);
    return {
      packageId: packageId ?? named.packageId,
      manifestId: manifestId ?? named.manifestId,
      botId: botId ?? named.botId,
      servicePrincipalId: named.servicePrincipalId,
    };
  },
  file: ({ sensitiveInfoTypes, aiReach, externalUserIds, permissions }) => ({
    sensitiveInfoTypes: objectsOf(sensitiveInfoTypes, ['id', 'name']),
    aiReach: objectsOf(aiReach, ['type', 'id']),
    externalUserIds: externalUserIds ?? externalIdsOf(permissions),
  }),
  group: ({ owners }) => ({ ownerIds: idsOf(owners) }),
  site: ({ admins }) => ({ adminIds: idsOf(admins) }),
  app: ({ permissions, createdAt }) => ({ permissions: countsPerResource(permissions), grantedAt: createdAt }),
  license: ({ servicePlans }) => ({
    servicePlans: objectsOf(servicePlans, ['name'])?.flatMap(({ name }) => textOf(name) ?? []),
  }),
};

/** The named members of each object of a list; undefined where there is no list. */
function objectsOf(list: Json | undefined, names: readonly string[]): JsonObject[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return listOf(list)
    .slice(0, listMax)
    .map((item) => Object.fromEntries(names.map((name) => [name, objectOf(item)[name] ?? null])));
}

function idsOf(list: Json | undefined): string[] | undefined {
  return Array.isArray(list) ? listOf(list).flatMap((item) => textOf(objectOf(item).id) ?? []) : undefined;
}

function externalIdsOf(permissions: Json | undefined): string[] | undefined {
  if (!Array.isArray(permissions)) return undefined;
  const external = listOf(permissions)
    .filter(isObject)
    .filter(({ isExternal }) => isExternal === true);
  return [...new Set(external.flatMap((one) => textOf(one.principalId) ?? textOf(one.principalName) ?? []))];
}

/** Permissions by the name of their resource, else its id. */
function countsPerResource(permissions: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(permissions)) return undefined;
  const counts = new Map<string, number>();
  for (const permission of listOf(permissions).filter(isObject)) {
    const resource = textOf(permission.resource) ?? textOf(permission.resourceId) ?? 'unknown';
    counts.set(resource, (counts.get(resource) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

function shortened(value: Json): Json {
  return Array.isArray(value) ? value.slice(0, listMax) : value;
}
