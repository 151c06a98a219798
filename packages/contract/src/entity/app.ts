import { get, list } from '../operation/operation.ts';
import { choices, flag } from '../parameter/parameter.ts';
import { idReference } from '../record/id-reference.ts';
import {
  count,
  nullableBoolean,
  objects,
  openEnum,
  principalReference,
  referenceTo,
  text,
  texts,
  timestamp,
} from './field.ts';
import {
  entityFilters,
  entityGetNotes,
  entityListNotes,
  entityListOptions,
  entityRecord,
  riskLevels,
} from './record.ts';

const appTypes = ['firstParty', 'thirdParty', 'tenantOwned', 'managedIdentity', 'legacy'] as const;
const aiCategories = ['assistant', 'agentPlatform', 'plugin', 'modelProvider', 'aiFeature'] as const;
const aiClassifiers = ['catalog', 'rule', 'manual'] as const;
const accountableSources = ['nativeOwner', 'nativeSponsor', 'assignment', 'none'] as const;

const app = entityRecord('App', 'An application in the tenant: a service principal.', {
  appId: text('Client id, the same in every tenant.'),
  displayName: text('Display name.'),
  appType: openEnum(appTypes, 'Kind of app:'),
  servicePrincipalType: text("The provider's kind of service principal."),
  publisher: text('Publisher.'),
  isVerifiedPublisher: nullableBoolean('Whether the publisher is verified.'),
  verifiedPublisherName: text('Name of the verified publisher.'),
  homeTenantId: text('Tenant it was registered in.'),
  accountEnabled: nullableBoolean('Whether sign-in to it is allowed.'),
  signInAudience: text('Accounts that can sign in.'),
  isAiApp: nullableBoolean('Whether it is an AI app.'),
  aiCategory: openEnum(aiCategories, 'Kind of AI app:'),
  aiClassifiedBy: openEnum(aiClassifiers, 'Source of the classification:'),
  delegatedPermissionCount: count('Delegated permissions.'),
  applicationPermissionCount: count('Application permissions.'),
  resourceGrantCount: count('Grants on single resources.'),
  highPrivilegePermissionCount: count('Permissions of high privilege.'),
  hasTenantWideReach: nullableBoolean('Whether a permission reaches the whole tenant.'),
  hasAdminConsent: nullableBoolean('Whether an administrator consented for everyone.'),
  hasWriteAccess: nullableBoolean('Whether it may change data.'),
  userConsentCount: count('Users who consented for themselves.'),
  credentialCount: count('Secrets and certificates.'),
  nextCredentialExpiryAt: timestamp('When the next of them expires.'),
  accountableId: idReference('user', 'Id of the accountable person.'),
  accountableName: text('Name of the accountable person.'),
  accountableSource: openEnum(accountableSources, 'How the accountable person was determined:'),
  fileReachCount: count('Files it can read.'),
  sensitiveFileReachCount: count('Files with sensitive information it can read.'),
  labeledFileReachCount: count('Files with a sensitivity label it can read.'),
  reachableInfoTypeCount: count('Kinds of sensitive information it can read.'),
  userCount: count('Users.'),
  externalUserCount: count('External users.'),
  lastSignInAt: timestamp('Last sign-in to it.'),
  riskLevel: openEnum(riskLevels, 'Risk:'),
});

const appDetail = app
  .extend({
    permissions: objects('What it may do.', {
      value: text('Permission, or the id of the app role.'),
      kind: text('delegated or application.'),
      resourceId: idReference('app', 'Id of the resource.'),
      resource: text('Name of the resource.'),
      principalId: idReference('user', 'The user it applies to.'),
      adminConsented: nullableBoolean('Whether an administrator consented.'),
      tenantWide: nullableBoolean('Whether it applies to the whole tenant.'),
    }),
    owners: objects('Owners.', referenceTo('user')),
    credentials: objects('Secrets and certificates, never their values.', {
      kind: text('certificate or secret.'),
      keyId: text('Id.'),
      startsAt: timestamp('Start.'),
      endsAt: timestamp('End.'),
    }),
    replyUrls: texts('Registered redirect addresses.'),
    assignedPrincipals: objects('Assigned principals.', { ...principalReference, type: text('Kind of principal.') }),
    aiReach: objects('What it can read, by kind of sensitive information.', {
      ...referenceTo('sensitiveInfoType'),
      fileCount: count('Files.'),
    }),
  })
  .meta({ id: 'AppDetail', description: 'An app in full.' });

export const listApps = list({
  ...entityListOptions,
  name: 'list_apps',
  path: '/apps',
  scope: 'apps:read',
  summary: 'Apps',
  description: `Apps with publishers, permissions, consents, AI classification and credentials. ${entityListNotes}`,
  toolDescription:
    'Applications and OAuth grants: publisher, verification, consent, permissions, AI apps, credentials. Use it for risky third-party integrations. Next: get_app, list_logs with applicationId.',
  containsUntrustedText: true,
  record: app,
  filters: {
    appType: choices(appTypes, 'Kind of app.', 'thirdParty'),
    isAiApp: flag('Whether it is an AI app.'),
    hasTenantWideReach: flag('Whether a permission reaches the whole tenant.'),
    hasAdminConsent: flag('Whether an administrator consented for everyone.'),
    isVerifiedPublisher: flag('Whether the publisher is verified.', 'false'),
    accountEnabled: flag('Whether sign-in to it is allowed.'),
    riskLevel: choices(riskLevels, 'Risk of the app.', 'medium,high'),
    ...entityFilters('display name', 'contoso'),
  },
  examples: [
    {
      description: 'AI apps of unverified publishers',
      input: { isAiApp: 'true', isVerifiedPublisher: 'false' },
    },
    {
      description: 'Third-party apps that reach the whole tenant',
      input: { appType: 'thirdParty', hasTenantWideReach: 'true' },
    },
  ],
});

export const getApp = get({
  name: 'get_app',
  path: '/apps/{id}',
  scope: 'apps:read',
  summary: 'One app',
  description: `Looked up by id or client id. ${entityGetNotes}`,
  toolDescription:
    'One application: permissions and consents, who granted them, credentials and secrets that expire, reachable data, users.',
  containsUntrustedText: true,
  exampleId: '375e8f5f-e828-470f-93ac-430be3d6ec88',
  record: appDetail,
  examples: [],
});
