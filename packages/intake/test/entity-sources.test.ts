import { describe, expect, test } from 'vitest';
import { eventTime, listParts, mergeRecord, readSource } from './entity.ts';

const lastSeenAt = eventTime;
const id = '87d349ed-44d7-43e1-9a83-5f2406dee5bd';
const other = 'c3f5d7a9-1b2e-4f60-9c84-7d6e5a4b3c21';

/** Format, object, the entity it is about, its parts' names in order, and what is served of it alone. */
const golden: [
  string,
  Record<string, unknown>,
  { kind: string; id: string } | null,
  string,
  Record<string, unknown> | null,
][] = [
  [
    'graph.user',
    {
      id: id.toUpperCase(),
      displayName: 'Adele Vance',
      userPrincipalName: 'AdeleV@contoso.example',
      userType: 'Guest',
      externalUserState: 'PendingAcceptance',
      accountEnabled: true,
      assignedLicenses: [{ skuId: '639dec6b-bb19-468b-871c-c5c441c4b0cb' }],
      signInActivity: {
        lastSignInDateTime: '2026-11-02T00:00:00Z',
        lastSuccessfulSignInDateTime: '2026-11-01T00:00:00Z',
      },
    },
    { kind: 'user', id },
    `user/${id}/graph.user`,
    {
      displayName: 'Adele Vance',
      userPrincipalName: 'AdeleV@contoso.example',
      userType: 'guest',
      isExternal: true,
      externalUserState: 'pendingAcceptance',
      accountEnabled: true,
      licenseSkus: ['639dec6b-bb19-468b-871c-c5c441c4b0cb'],
      hasCopilotLicense: true,
      lastSignInAt: '2026-11-01T00:00:00.000Z',
      aliases: { puid: null, sid: null, googleId: null },
    },
  ],
  [
    'graph.riskyUser',
    { id, isDeleted: true, riskLevel: 'hidden', riskState: 'atRisk', riskLastUpdatedDateTime: '2026-11-19T00:00:00Z' },
    null,
    `user/${id}/graph.riskyUser`,
    {
      riskLevel: 'unknown',
      riskState: 'atRisk',
      riskUpdatedAt: '2026-11-19T00:00:00.000Z',
      lastSeenAt: '2026-11-19T00:00:00.000Z',
    },
  ],
  [
    'graph.group',
    {
      id,
      displayName: 'Falcon',
      groupTypes: ['Unified', 'DynamicMembership'],
      visibility: 'Public',
      resourceProvisioningOptions: ['Team'],
      assignedLabels: [{ labelId: 'x', displayName: 'Secret' }],
      owners: [],
    },
    { kind: 'group', id },
    `group/${id}/graph.group`,
    {
      displayName: 'Falcon',
      groupType: 'microsoft365',
      membershipType: 'dynamic',
      visibility: 'public',
      isTeam: true,
      ownerCount: 0,
      hasNoOwner: true,
      sensitivityLabelName: 'Secret',
      owners: [],
    },
  ],
  [
    'graph.device',
    {
      id: other,
      deviceId: id,
      displayName: 'Laptop',
      trustType: 'ServerAd',
      operatingSystem: 'Windows',
      isCompliant: false,
    },
    { kind: 'device', id: other },
    `device/${id}/graph.device`,
    { displayName: 'Laptop', deviceId: id, operatingSystem: 'Windows', trustType: 'hybridJoined', isCompliant: false },
  ],
  [
    'graph.manageddevice',
    { id: other, azureADDeviceId: id, deviceName: 'Laptop', complianceState: 'noncompliant', jailBroken: 'Unknown' },
    { kind: 'device', id },
    `device/${id}/graph.manageddevice`,
    {
      displayName: 'Laptop',
      deviceId: id,
      managedDeviceId: other,
      isManaged: true,
      isCompliant: false,
      complianceState: 'noncompliant',
    },
  ],
  [
    'graph.device',
    { id, deviceId: '00000000-0000-0000-0000-000000000000', displayName: 'Not joined' },
    null,
    `device/${id}/graph.device`,
    { displayName: 'Not joined' },
  ],
  [
    'graph.serviceprincipal',
    {
      id,
      appId: other,
      displayName: 'An app',
      servicePrincipalType: 'Application',
      appOwnerOrganizationId: 'a1b2c3d4-0000-4000-8000-00000000cafe',
      keyCredentials: [{ keyId: 'k', key: 'never shown', endDateTime: '2027-01-01T00:00:00Z' }],
      passwordCredentials: [{ keyId: 'p', secretText: 'never shown', endDateTime: '2026-12-01T00:00:00Z' }],
    },
    { kind: 'app', id },
    `app/${id}/graph.serviceprincipal`,
    {
      appId: other,
      displayName: 'An app',
      appType: 'tenantOwned',
      servicePrincipalType: 'Application',
      homeTenantId: 'a1b2c3d4-0000-4000-8000-00000000cafe',
      credentialCount: 2,
      nextCredentialExpiryAt: '2026-12-01T00:00:00.000Z',
      credentials: [
        { kind: 'certificate', keyId: 'k', startsAt: null, endsAt: '2027-01-01T00:00:00.000Z' },
        { kind: 'secret', keyId: 'p', startsAt: null, endsAt: '2026-12-01T00:00:00.000Z' },
      ],
    },
  ],
  [
    'graph.oauth2permissiongrant',
    { id: 'grant', clientId: id, consentType: 'AllPrincipals', resourceId: other, scope: ' User.Read  Mail.Send' },
    null,
    `app/${id}/graph.oauth2permissiongrant:grant`,
    null,
  ],
  [
    'graph.approleassignment',
    { id: 'assigned', principalId: id, principalType: 'ServicePrincipal', resourceId: other, appRoleId: 'role' },
    { kind: 'app', id },
    `app/${id}/graph.approleassignment:assigned`,
    null,
  ],
  [
    'graph.approleassignment',
    { id: 'assigned', principalId: id, principalType: 'Group', resourceId: other, appRoleId: 'role' },
    null,
    `app/${other}/graph.approleassignment:assigned`,
    null,
  ],
  [
    'graph.site',
    {
      id: `contoso.example,${id},${other}`,
      displayName: 'Team',
      webUrl: 'https://contoso.example/team',
      isPersonalSite: true,
    },
    { kind: 'site', id: `contoso.example,${id},${other}` },
    `site/contoso.example,${id},${other}/graph.site`,
    { displayName: 'Team', webUrl: 'https://contoso.example/team', siteType: 'personal' },
  ],
  [
    'graph.drive',
    { id: 'b!1', driveType: 'documentLibrary', name: 'Documents', quota: { used: 5, total: 10 } },
    { kind: 'site', id: 's' },
    'site/s/graph.drive:b!1',
    null,
  ],
  [
    'graph.driveitem',
    {
      id: '01ABC',
      name: 'Budget 2027.XLSX',
      size: 12,
      lastModifiedDateTime: '2026-11-18T00:00:00Z',
      file: { hashes: { quickXorHash: 'x' } },
      parentReference: { driveId: 'd', driveType: 'business', path: '/drive/root:/Plans' },
    },
    { kind: 'file', id: '01ABC' },
    'file/01ABC/graph.driveitem',
    {
      name: 'Budget 2027.XLSX',
      extension: 'xlsx',
      sizeBytes: 12,
      driveId: 'd',
      driveType: 'business',
      modifiedAt: '2026-11-18T00:00:00.000Z',
      hashes: { sha256: null, quickXor: 'x' },
      path: '/drive/root:/Plans',
      lastSeenAt: '2026-11-18T00:00:00.000Z',
    },
  ],
  [
    'graph.driveitem',
    { id: '01DEF', name: 'Plans', folder: { childCount: 2 } },
    null,
    'file/01DEF/graph.driveitem',
    null,
  ],
  [
    'graph.permission',
    { id: 'p', roles: ['read'], link: { scope: 'anonymous', type: 'view' } },
    { kind: 'file', id: 'f' },
    'file/f/graph.permission:p',
    null,
  ],
  ['graph.listitem', { id: '20', driveItem: { id: '01ABC' } }, null, 'file/01ABC/graph.listitem', null],
  [
    'graph.subscribedsku',
    {
      id: 'account_sku',
      skuPartNumber: 'Microsoft_365_Copilot',
      capabilityStatus: 'Enabled',
      consumedUnits: 14,
      prepaidUnits: { enabled: 10, suspended: 1, warning: 2 },
      servicePlans: [],
    },
    { kind: 'license', id: 'account_sku' },
    'license/account_sku/graph.subscribedsku',
    {
      skuPartNumber: 'Microsoft_365_Copilot',
      displayName: 'Microsoft 365 Copilot',
      capabilityStatus: 'enabled',
      totalUnits: 10,
      consumedUnits: 14,
      availableUnits: 0,
      warningUnits: 2,
      suspendedUnits: 1,
      isAiLicense: true,
      servicePlans: [],
    },
  ],
  [
    'graph.message',
    {
      id: 'AAMk=',
      internetMessageId: '<ABC@Contoso.example>',
      subject: 'Invoice\u202etxt',
      body: { content: 'never kept' },
      bodyPreview: 'never kept',
      from: { emailAddress: { address: 'billing@contoso.example' } },
      toRecipients: [{ emailAddress: { address: 'ada@contoso.example' } }],
    },
    { kind: 'email', id: '<abc@contoso.example>' },
    'email/d316e90f-e06c-5c59-847b-c39a8d987e26/graph.message',
    {
      internetMessageId: '<ABC@Contoso.example>',
      subject: 'Invoice\\u{202E}txt',
      senderAddress: 'billing@contoso.example',
      recipientCount: 1,
      recipients: ['ada@contoso.example'],
    },
  ],
  [
    'graph.copilotPackage',
    {
      id: 'P_1',
      displayName: 'Sales',
      type: 'custom',
      appId: other,
      ownerId: id,
      isBlocked: false,
      availableTo: 'all',
      deployedTo: 'none',
      elementTypes: ['declarativeAgent'],
      version: '1.2.3',
      elementDetails: [{ elementType: 'bot', elements: [{ definition: '{"botId":"bot-1"}' }] }],
    },
    { kind: 'agent', id: other },
    `agent/${other}/graph.copilotPackage`,
    {
      displayName: 'Sales',
      kind: 'declarativeAgent',
      platform: 'microsoft365Copilot',
      publisherType: 'custom',
      agentVersion: '1.2.3',
      lifecycleStatus: 'published',
      isBlocked: false,
      availableTo: 'all',
      deployedTo: 'none',
      appId: other,
      ownerId: id,
      ownerSource: 'nativeOwner',
      aliases: { packageId: 'P_1', manifestId: null, botId: 'bot-1', servicePrincipalId: null },
    },
  ],
  [
    'graph.agentIdentity',
    {
      id,
      displayName: 'Agent',
      servicePrincipalType: 'ServiceIdentity',
      sponsors: [{ id: other, displayName: 'Grace' }],
    },
    { kind: 'agent', id },
    `agent/${id}/graph.agentIdentity`,
    {
      displayName: 'Agent',
      kind: 'agentIdentity',
      agentIdentityId: id,
      ownerId: other,
      ownerName: 'Grace',
      ownerSource: 'nativeSponsor',
      sponsors: [{ id: other, name: 'Grace' }],
      aliases: { packageId: null, manifestId: null, botId: null, servicePrincipalId: id },
    },
  ],
  [
    'graph.riskyAgent',
    { id, agentDisplayName: 'Agent', riskLevel: 'high', riskState: 'atRisk' },
    null,
    `agent/${id}/graph.riskyAgent`,
    { displayName: 'Agent', kind: 'other', riskLevel: 'high', riskState: 'atRisk' },
  ],
  [
    'powerplatform.bot',
    { botid: id, name: 'Helper', publishedon: '2026-11-01T00:00:00Z', _ownerid_value: other },
    null,
    `agent/${id}/powerplatform.bot`,
    {
      displayName: 'Helper',
      kind: 'copilotStudioAgent',
      platform: 'copilotStudio',
      lifecycleStatus: 'published',
      creatorTool: 'Copilot Studio',
      ownerId: other,
      ownerSource: 'nativeOwner',
      aliases: { packageId: null, manifestId: null, botId: id, servicePrincipalId: null },
    },
  ],
  [
    'm365d.agentsinfo',
    {
      properties: {
        AgentId: 'a',
        EntraAgentID: id,
        Name: 'Clerk',
        Platform: 'Copilot Studio',
        Instructions: 'api_key=abcdef123456',
      },
    },
    null,
    `agent/${id}/m365d.agentsinfo`,
    {
      displayName: 'Clerk',
      kind: 'other',
      platform: 'copilotStudio',
      agentIdentityId: id,
      hasInstructions: true,
      instructions: 'api_key=[removed]',
    },
  ],
  [
    'google.directory.user',
    { id: '117', primaryEmail: 'ada@contoso.example', name: { fullName: 'Ada' }, suspended: true, isAdmin: true },
    { kind: 'user', id: 'google:117' },
    'user/google:117/google.directory.user',
    {
      displayName: 'Ada',
      userPrincipalName: 'ada@contoso.example',
      mail: 'ada@contoso.example',
      userType: 'member',
      accountEnabled: false,
      isExternal: false,
      isAdmin: true,
      aliases: { puid: null, sid: null, googleId: '117' },
    },
  ],
];

test.each(golden)('an object of %s gives its parts: %j', (format, object, key, name, served) => {
  const parts = listParts(readSource(format, object, key));
  const [part] = parts;
  expect(parts.map((one) => `${one.entityKind}/${one.id}/${one.part}`)).toEqual([name]);
  expect(part?.isRemoval).toBe(false);
  const record = mergeRecord(parts);
  expect(record).toEqual(served && { lastSeenAt, ...served });
});

describe('the entity of an object', () => {
  const user = { id, displayName: 'Ada' };
  const ends = (outcomes: ReturnType<typeof readSource>) =>
    outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.reason : outcome.kind));

  test('is named by its key in any spelling, or rejected', () => {
    expect(ends(readSource('graph.user', user, { kind: 'user', id: id.toUpperCase() }))).toEqual(['part']);
    expect(ends(readSource('graph.user', user))).toEqual(['part']);
    expect(ends(readSource('graph.user', user, { kind: 'user', id: other }))).toEqual(['KEY_MISMATCH']);
    expect(ends(readSource('graph.user', user, { kind: 'group', id }))).toEqual(['KEY_MISMATCH']);
    expect(ends(readSource('graph.user', user, { kind: 'robot', id }))).toEqual(['KEY_MISMATCH']);
    expect(ends(readSource('graph.permission', { id: 'p' }))).toEqual(['SCHEMA_VIOLATION']);
    expect(ends(readSource('graph.user', { id: 'a b' }))).toEqual(['SCHEMA_VIOLATION']);
    expect(ends(readSource('graph.application', user))).toEqual(['UNKNOWN_TYPE']);
  });

  test('is decided by the key where collectors know which ids are one agent', () => {
    const [part] = listParts(readSource('graph.copilotPackage', { id: 'P_1', appId: other }, { kind: 'agent', id }));
    expect(part).toMatchObject({ id, aliases: [other, 'p_1'] });
  });

  test('is read for each object of a page', () => {
    const page = { value: [user, { id: other, displayName: 'Bob' }, 5] };
    expect(ends(readSource('graph.user', page))).toEqual(['part', 'part', 'SCHEMA_VIOLATION']);
  });

  test("can be two entities: an agent's identity is an app too", () => {
    const identity = { id, displayName: 'Agent', servicePrincipalType: 'ServiceIdentity' };
    expect(listParts(readSource('graph.serviceprincipal', identity)).map((part) => part.entityKind)).toEqual([
      'app',
      'agent',
    ]);
  });
});

test('a removed object is a removal, with its last state where the object has one', () => {
  const removed = listParts(readSource('graph.user', { id, '@removed': { reason: 'deleted' } }));
  expect(removed.map(({ isRemoval }) => isRemoval)).toEqual([true]);
  const deleted = listParts(readSource('graph.driveitem', { id: 'f', name: 'a.txt', deleted: { state: 'deleted' } }));
  expect(deleted.map(({ isRemoval }) => isRemoval)).toEqual([true, false]);
  expect(mergeRecord(deleted)).toMatchObject({ name: 'a.txt', deletedAt: eventTime });
});
