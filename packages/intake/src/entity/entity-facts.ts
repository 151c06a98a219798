import { type EntityKind, nestedListMax } from '@tenantscope/contract';
import { type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { writeJson } from '../json/write-json.ts';
import { findLongAddress } from './aliases.ts';
import { listFields } from './served-fields.ts';

/**
 * JSON text, without braces, of the members of an entity that rules and evidence count, served or not. Unknown members are
 * left out; lists are limited as in records, except lists of ids.
 */
export function writeEntityFacts(kind: EntityKind, record: JsonObject): string {
  const picked = { ...pickFacts(kind, record), deletedAt: record.deletedAt, lastSeenAt: record.lastSeenAt };
  const present = Object.entries(picked).filter(([, value]) => value !== null && value !== undefined);
  return writeJson(Object.fromEntries(present) as JsonObject).slice(1, -1);
}

function pickFacts(kind: EntityKind, record: JsonObject): JsonObject {
  const names = [...(listedKinds.has(kind) ? listFields[kind] : []), ...ownFields[kind]];
  const members = names.map((name) => [name, shorten(record[name] ?? null)]);
  return { ...Object.fromEntries(members), ...derivedFacts[kind]?.(record) };
}

/** Kinds whose whole list row is counted. */
const listedKinds: ReadonlySet<EntityKind> = new Set(['agent', 'app', 'site', 'sensitiveInfoType']);

const ownFields: Readonly<Record<EntityKind, readonly string[]>> = {
  user: [
    'displayName',
    'userPrincipalName',
    'userType',
    'employeeType',
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

const derivedFacts: Readonly<Partial<Record<EntityKind, (record: JsonObject) => JsonObject>>> = {
  user: ({ roleAssignments }) => ({ roleAssignments }),
  agent: ({ aliases, packageId, manifestId, botId }) => {
    const named = toObject(aliases);
    return {
      packageId: packageId ?? named.packageId,
      manifestId: manifestId ?? named.manifestId,
      botId: botId ?? named.botId,
      servicePrincipalId: named.servicePrincipalId,
    };
  },
  file: ({ webUrl, sensitiveInfoTypes, aiReach, externalUserIds }) => ({
    longAddress: findLongAddress(webUrl),
    sensitiveInfoTypes: pickMembers(sensitiveInfoTypes, ['id', 'name']),
    aiReach: pickMembers(aiReach, ['type', 'id']),
    externalUserIds,
  }),
  group: ({ owners }) => ({ ownerIds: listIds(owners) }),
  site: ({ admins }) => ({ adminIds: listIds(admins) }),
  app: ({ permissionsPerResource, createdAt }) => ({ permissions: permissionsPerResource, grantedAt: createdAt }),
  license: ({ servicePlans }) => ({
    servicePlans: pickMembers(servicePlans, ['name'])?.flatMap(({ name }) => toText(name) ?? []),
  }),
};

/** The named members of each object of a list; undefined where there is no list. */
function pickMembers(list: Json | undefined, names: readonly string[]): JsonObject[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return toList(list)
    .slice(0, nestedListMax)
    .map((item) => Object.fromEntries(names.map((name) => [name, toObject(item)[name] ?? null])));
}

function listIds(list: Json | undefined): string[] | undefined {
  return Array.isArray(list) ? toList(list).flatMap((item) => toText(toObject(item).id) ?? []) : undefined;
}

function shorten(value: Json): Json {
  return Array.isArray(value) ? value.slice(0, nestedListMax) : value;
}
