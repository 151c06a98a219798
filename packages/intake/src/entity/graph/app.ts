import { firstGuid } from '../../field/guid.ts';
import { timeOf } from '../../field/time.ts';
import { booleanOf, firstText, type JsonObject, listOf, objectOf, textOf } from '../../json/value.ts';
import { moment, oneOf, riskLevelOf, riskStateOf, type SourceFormat, sourceObject } from '../source-object.ts';

/** An app of the tenant. An agent's identity is one too, and then says something of the agent. */
export const graphServicePrincipal: SourceFormat = (record, azureTenantId) => {
  const type = textOf(record.servicePrincipalType);
  const verified = objectOf(record.verifiedPublisher);
  const keys = record.keyCredentials === undefined ? null : listOf(record.keyCredentials);
  const secrets = record.passwordCredentials === undefined ? null : listOf(record.passwordCredentials);
  const credentials =
    keys === null && secrets === null
      ? null
      : [
          ...(keys ?? []).map((key) => credential('certificate', objectOf(key))),
          ...(secrets ?? []).map((key) => credential('secret', objectOf(key))),
        ];
  const app = sourceObject(record, {
    kind: 'app',
    id: textOf(record.id),
    names: [textOf(record.appId)],
    facts: {
      appId: textOf(record.appId),
      displayName: firstText(record.displayName, record.appDisplayName),
      appType: appTypeOf(type, firstGuid(record.appOwnerOrganizationId), azureTenantId),
      servicePrincipalType: type,
      publisher: textOf(record.publisherName),
      isVerifiedPublisher:
        record.verifiedPublisher === undefined ? null : textOf(verified.verifiedPublisherId) !== null,
      verifiedPublisherName: textOf(verified.displayName),
      verifiedPublisherId: textOf(verified.verifiedPublisherId),
      verifiedPublisherAt: moment(verified.addedDateTime),
      homeTenantId: firstGuid(record.appOwnerOrganizationId),
      accountEnabled: booleanOf(record.accountEnabled),
      signInAudience: textOf(record.signInAudience),
      credentialCount: credentials?.length ?? null,
      nextCredentialExpiryAt:
        credentials
          ?.map(({ endsAt }) => endsAt)
          .filter((end) => end !== null)
          .sort()[0] ?? null,
      credentials,
      owners: record.owners === undefined ? null : listOf(record.owners).map(reference),
      replyUrls: record.replyUrls === undefined ? null : listOf(record.replyUrls).map(textOf),
      createdAt: moment(record.createdDateTime),
    },
  });
  return type === 'ServiceIdentity' ? [app, ...graphAgentIdentity(record, azureTenantId)] : [app];
};

export const graphAgentIdentity: SourceFormat = (record) => {
  const sponsors = record.sponsors === undefined ? null : listOf(record.sponsors).map(reference);
  const sponsor = sponsors?.[0] ?? null;
  return [
    sourceObject(record, {
      kind: 'agent',
      id: textOf(record.id),
      names: [textOf(record.appId)],
      facts: {
        displayName: textOf(record.displayName),
        kind: 'agentIdentity',
        blueprintId: textOf(record.agentIdentityBlueprintId),
        agentIdentityId: textOf(record.id),
        appId: textOf(record.appId),
        ownerId: sponsor?.id ?? null,
        ownerName: sponsor?.name ?? null,
        ownerSource: sponsor && 'nativeSponsor',
        sponsors,
        owners: record.owners === undefined ? null : listOf(record.owners).map(reference),
        aliases: { packageId: null, manifestId: null, botId: null, servicePrincipalId: textOf(record.id) },
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};

export const graphRiskyServicePrincipal: SourceFormat = (record) => [
  sourceObject(record, {
    kind: 'app',
    id: textOf(record.id),
    ending: 'live',
    modifiedAtMs: timeOf(record.riskLastUpdatedDateTime),
    names: [textOf(record.appId)],
    facts: {
      appId: textOf(record.appId),
      displayName: textOf(record.displayName),
      servicePrincipalType: textOf(record.servicePrincipalType),
      riskLevel: riskLevelOf(textOf(record.riskLevel)),
      riskState: riskStateOf(textOf(record.riskState)),
    },
  }),
];

/** One permission per word of the scope, which may begin with a space and hold two in a row. */
export const graphPermissionGrant: SourceFormat = (record) => {
  const forAll = textOf(record.consentType) === 'AllPrincipals';
  const words = (textOf(record.scope) ?? '').split(/\s+/).filter((word) => word !== '');
  return [
    sourceObject(record, {
      kind: 'app',
      id: textOf(record.clientId),
      which: textOf(record.id),
      facts: {
        permissions: words.map((value) => ({
          value,
          kind: 'delegated',
          resourceId: textOf(record.resourceId),
          resource: null,
          principalId: textOf(record.principalId),
          adminConsented: forAll,
          tenantWide: forAll,
        })),
      },
    }),
  ];
};

/** To an app it is a permission; to a person or group it opens the app that is its resource. */
export const graphRoleAssignment: SourceFormat = (record) => {
  const isPermission = textOf(record.principalType) === 'ServicePrincipal';
  const principal = {
    id: textOf(record.principalId),
    name: textOf(record.principalDisplayName),
    type: oneOf(['user', 'group', 'servicePrincipal'], textOf(record.principalType)),
  };
  const permission = {
    value: textOf(record.appRoleId),
    kind: 'application',
    resourceId: textOf(record.resourceId),
    resource: textOf(record.resourceDisplayName),
    principalId: null,
    adminConsented: true,
    tenantWide: true,
  };
  return [
    sourceObject(record, {
      kind: 'app',
      id: isPermission ? principal.id : textOf(record.resourceId),
      which: textOf(record.id),
      facts: isPermission ? { permissions: [permission] } : { assignedPrincipals: [principal] },
    }),
  ];
};

function appTypeOf(type: string | null, owner: string | null, azureTenantId: string | null): string | null {
  if (type === 'ManagedIdentity') return 'managedIdentity';
  if (type === 'Legacy') return 'legacy';
  if (owner === null) return null;
  if (owner === azureTenantId?.toLowerCase()) return 'tenantOwned';
  return microsoftTenants.has(owner) ? 'firstParty' : 'thirdParty';
}

function credential(kind: string, { keyId, startDateTime, endDateTime }: JsonObject) {
  return { kind, keyId: textOf(keyId), startsAt: moment(startDateTime), endsAt: moment(endDateTime) };
}

function reference(entry: unknown): JsonObject {
  const { id, displayName } = objectOf(entry as JsonObject);
  return { id: textOf(id), name: textOf(displayName) };
}

/** Tenants that Microsoft registers its own apps in. */
const microsoftTenants: ReadonlySet<string> = new Set([
  'f8cdef31-a31e-4b4a-93e4-5f571e91255a',
  '72f988bf-86f1-41af-91ab-2d7cd011db47',
]);
