import { firstGuid } from '../../field/guid.ts';
import { toEpochMs } from '../../field/time.ts';
import { firstText, type JsonObject, toBoolean, toList, toObject, toText } from '../../json/value.ts';
import {
  matchValue,
  type SourceReader,
  sourceObject,
  toRiskLevel,
  toRiskState,
  toServedTime,
} from '../source-object.ts';

/** An app of the tenant. An agent's identity is an app too, and then also contributes to the agent. */
export const graphServicePrincipal: SourceReader = (record, azureTenantId) => {
  const type = toText(record.servicePrincipalType);
  const verified = toObject(record.verifiedPublisher);
  const keys = record.keyCredentials === undefined ? null : toList(record.keyCredentials);
  const secrets = record.passwordCredentials === undefined ? null : toList(record.passwordCredentials);
  const credentials =
    keys === null && secrets === null
      ? null
      : [
          ...(keys ?? []).map((key) => toCredential('certificate', toObject(key))),
          ...(secrets ?? []).map((key) => toCredential('secret', toObject(key))),
        ];
  const app = sourceObject(record, {
    kind: 'app',
    id: toText(record.id),
    names: [toText(record.appId)],
    facts: {
      appId: toText(record.appId),
      displayName: firstText(record.displayName, record.appDisplayName),
      appType: readAppType(type, firstGuid(record.appOwnerOrganizationId), azureTenantId),
      servicePrincipalType: type,
      publisher: toText(record.publisherName),
      isVerifiedPublisher:
        record.verifiedPublisher === undefined ? null : toText(verified.verifiedPublisherId) !== null,
      verifiedPublisherName: toText(verified.displayName),
      verifiedPublisherId: toText(verified.verifiedPublisherId),
      verifiedPublisherAt: toServedTime(verified.addedDateTime),
      homeTenantId: firstGuid(record.appOwnerOrganizationId),
      accountEnabled: toBoolean(record.accountEnabled),
      signInAudience: toText(record.signInAudience),
      credentialCount: credentials?.length ?? null,
      nextCredentialExpiryAt:
        credentials
          ?.map(({ endsAt }) => endsAt)
          .filter((end) => end !== null)
          .sort()[0] ?? null,
      credentials,
      owners: record.owners === undefined ? null : toList(record.owners).map(toReference),
      replyUrls: record.replyUrls === undefined ? null : toList(record.replyUrls).map(toText),
      createdAt: toServedTime(record.createdDateTime),
    },
  });
  return type === 'ServiceIdentity' ? [app, ...graphAgentIdentity(record, azureTenantId)] : [app];
};

export const graphAgentIdentity: SourceReader = (record) => {
  const sponsors = record.sponsors === undefined ? null : toList(record.sponsors).map(toReference);
  const sponsor = sponsors?.[0] ?? null;
  return [
    sourceObject(record, {
      kind: 'agent',
      id: toText(record.id),
      names: [toText(record.appId)],
      facts: {
        displayName: toText(record.displayName),
        kind: 'agentIdentity',
        blueprintId: toText(record.agentIdentityBlueprintId),
        agentIdentityId: toText(record.id),
        appId: toText(record.appId),
        ownerId: sponsor?.id ?? null,
        ownerName: sponsor?.name ?? null,
        ownerSource: sponsor && 'nativeSponsor',
        sponsors,
        owners: record.owners === undefined ? null : toList(record.owners).map(toReference),
        aliases: { packageId: null, manifestId: null, botId: null, servicePrincipalId: toText(record.id) },
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

export const graphRiskyServicePrincipal: SourceReader = (record) => [
  sourceObject(record, {
    kind: 'app',
    id: toText(record.id),
    lifecycle: 'live',
    modifiedAtMs: toEpochMs(record.riskLastUpdatedDateTime),
    names: [toText(record.appId)],
    facts: {
      appId: toText(record.appId),
      displayName: toText(record.displayName),
      servicePrincipalType: toText(record.servicePrincipalType),
      riskLevel: toRiskLevel(toText(record.riskLevel)),
      riskState: toRiskState(toText(record.riskState)),
    },
  }),
];

/** One permission per word of the scope, which may have leading and double spaces. */
export const graphPermissionGrant: SourceReader = (record) => {
  const forAll = toText(record.consentType) === 'AllPrincipals';
  const scopes = (toText(record.scope) ?? '').split(/\s+/).filter((word) => word !== '');
  return [
    sourceObject(record, {
      kind: 'app',
      id: toText(record.clientId),
      discriminator: toText(record.id),
      facts: {
        permissions: scopes.map((value) => ({
          value,
          kind: 'delegated',
          resourceId: toText(record.resourceId),
          resource: null,
          principalId: toText(record.principalId),
          adminConsented: forAll,
          tenantWide: forAll,
        })),
      },
    }),
  ];
};

/** Assigned to an app, it is a permission; assigned to a user or group, it grants access to the app that is its resource. */
export const graphRoleAssignment: SourceReader = (record) => {
  const isPermission = toText(record.principalType) === 'ServicePrincipal';
  const principal = {
    id: toText(record.principalId),
    name: toText(record.principalDisplayName),
    type: matchValue(['user', 'group', 'servicePrincipal'], toText(record.principalType)),
  };
  const permission = {
    value: toText(record.appRoleId),
    kind: 'application',
    resourceId: toText(record.resourceId),
    resource: toText(record.resourceDisplayName),
    principalId: null,
    adminConsented: true,
    tenantWide: true,
  };
  return [
    sourceObject(record, {
      kind: 'app',
      id: isPermission ? principal.id : toText(record.resourceId),
      discriminator: toText(record.id),
      facts: isPermission ? { permissions: [permission] } : { assignedPrincipals: [principal] },
    }),
  ];
};

function readAppType(type: string | null, owner: string | null, azureTenantId: string | null): string | null {
  if (type === 'ManagedIdentity') return 'managedIdentity';
  if (type === 'Legacy') return 'legacy';
  if (owner === null) return null;
  if (owner === azureTenantId?.toLowerCase()) return 'tenantOwned';
  return microsoftTenants.has(owner) ? 'firstParty' : 'thirdParty';
}

function toCredential(kind: string, { keyId, startDateTime, endDateTime }: JsonObject) {
  return { kind, keyId: toText(keyId), startsAt: toServedTime(startDateTime), endsAt: toServedTime(endDateTime) };
}

function toReference(entry: unknown): JsonObject {
  const { id, displayName } = toObject(entry as JsonObject);
  return { id: toText(id), name: toText(displayName) };
}

/** Tenants in which Microsoft registers its own apps. */
const microsoftTenants: ReadonlySet<string> = new Set([
  'f8cdef31-a31e-4b4a-93e4-5f571e91255a',
  '72f988bf-86f1-41af-91ab-2d7cd011db47',
]);
