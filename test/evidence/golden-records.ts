import * as input from '../compliance/input-records.ts';

const { dayMs } = input;
/** The end of the window and the time of the last records. */
export const noonMs = Date.UTC(2026, 5, 15, 12);
/** The time of these records. */
export const earlierMs = noonMs - 20 * dayMs;
export const clientId = '11111111-1111-4111-8111-111111111111';
export const graphId = '22222222-2222-4222-8222-222222222222';

const usersAndAgents: readonly input.InputRecord[] = [
  input.user('anna'),
  input.user('ben', { accountEnabled: false, displayName: 'Ben' }),
  input.sensitiveInfoType('iban'),
  input.agent('sales', {
    displayName: 'Sales helper',
    description: 'Answers questions about offers',
    kind: 'copilotStudioAgent',
    platform: 'copilotStudio',
    runsAs: 'agentIdentity',
    orchestration: 'Generative',
    authentication: 'Microsoft Entra',
    model: 'gpt-5',
    publisher: 'Contoso',
    isPublisherVerified: true,
    verifiedPublisherId: 'vp-1',
    verifiedPublisherAt: '2025-06-01T00:00:00Z',
    blueprintId: 'bp-1',
    blueprintName: 'Helpers',
    agentIdentityId: 'identity-1',
    environmentId: 'env-1',
    appId: clientId,
    creatorId: 'anna',
    creatorName: 'Anna',
    creatorTool: 'Copilot Studio',
    supportedHosts: ['teams', 'word'],
    ownerId: 'anna',
    ownerName: 'Anna',
    ownerSource: 'nativeOwner',
    instructions: 'Be helpful.',
    elementPermissions: ['Web.Search', 'Files.Read'],
    lastPublishedAt: '2026-01-02T03:04:05Z',
    aliases: { packageId: 'package-1', manifestId: 'manifest-1', botId: 'bot-1' },
    userReachCount: 12,
    externalUserReachCount: 3,
  }),
  input.agent('shelf', {
    displayName: 'Translator',
    publisher: 'Fabrikam',
    publisherType: 'external',
    availableTo: 'all',
    deployedTo: 'none',
    lifecycleStatus: 'published',
    supportedHosts: ['outlook'],
    agentVersion: '2.1',
    elementPermissions: ['Mail.Read'],
    dataSensitivity: 'general',
  }),
  input.accountable('agent', 'shelf', 'ben'),
];

const apps: readonly input.InputRecord[] = [
  input.app(graphId, { displayName: 'Microsoft Graph', appType: 'firstParty' }),
  input.app('crm', {
    appId: clientId,
    displayName: 'CRM connector',
    publisher: 'Fabrikam',
    isVerifiedPublisher: false,
    homeTenantId: '33333333-3333-4333-8333-333333333333',
    signInAudience: 'AzureADMultipleOrgs',
    delegatedPermissionCount: 2,
    applicationPermissionCount: 1,
    hasTenantWideReach: true,
    hasWriteAccess: true,
    hasAdminConsent: true,
    isAiApp: true,
    aiCategory: 'plugin',
    userCount: 40,
    externalUserCount: 0,
    fileReachCount: 900,
    sensitiveFileReachCount: 120,
    labeledFileReachCount: 60,
    lastSignInAt: '2026-06-01T00:00:00Z',
    nextCredentialExpiryAt: '2026-09-01T00:00:00Z',
    ictServiceType: 'S17',
    contractRef: 'C-2025-7',
    providerCode: { code: '529900T8BM49AURSDO55', codeType: 'LEI' },
    permissions: [
      { value: 'Files.Read.All', kind: 'delegated', resourceId: graphId, resource: 'Microsoft Graph' },
      {
        value: 'Mail.Send',
        kind: 'delegated',
        resourceId: graphId,
        resource: 'Graph as the grant calls it',
        principalId: 'anna',
        adminConsented: false,
        tenantWide: false,
      },
    ],
  }),
  input.accountable('app', 'crm', 'ben'),
];

const files: readonly input.InputRecord[] = [
  input.file('plan', {
    aiReach: [{ type: 'agent', id: 'sales' }],
    sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }],
    sensitivityLabelId: 'label-1',
    isProtected: true,
  }),
  input.file('memo', { aiReach: [{ type: 'agent', id: 'sales' }], siteId: 'legal' }),
];

const grantsAndDecisions: readonly input.InputRecord[] = [
  input.grant('g1', 'sales', {
    value: 'Files.Read.All',
    consentType: 'allPrincipals',
    tenantWide: undefined,
    writeAccess: undefined,
    resourceId: graphId,
    consentedAt: '2026-02-03T04:05:06Z',
    consentedBy: { userId: 'chief', name: 'Chief' },
    lastUsedAt: '2026-06-10T00:00:00Z',
  }),
  input.grant('g2', 'sales', {
    value: 'Sites.ReadWrite.All',
    permissionKind: 'application',
    source: 'inherited',
    consentType: undefined,
    tenantWide: undefined,
    writeAccess: undefined,
    resourceName: 'SharePoint',
  }),
  input.grant('g3', 'sales', { value: 'Web.Search', source: 'declared', permissionKind: 'connector' }),
  input.restriction('r1', 'iban', 'noAiAccess', earlierMs),
  input.decision('agent', 'shelf', 'approved', earlierMs),
  input.decision('app', 'crm', 'restricted', earlierMs),
  input.riskClass('agent', 'sales', 'high'),
  input.sourceStatus('agents', earlierMs, { connectedAt: '2026-01-01T00:00:00Z', gaps: [] }),
];

/** The records of a tenant whose evidence pack is compared field by field. */
export const goldenRecords: readonly input.InputRecord[] = [
  ...usersAndAgents,
  ...apps,
  ...files,
  ...grantsAndDecisions,
];
