import { idOf } from '../id-of.ts';
import { get, list } from '../operation.ts';
import { choices, flag } from '../parameter.ts';
import { count, moment, objects, referenceByType, referenceTo, text, texts, word, yesNo } from './field.ts';
import { entityRecord, everyEntityFilters, everyEntityList, getWords, listWords, riskLevels } from './record.ts';

const appTypes = ['firstParty', 'thirdParty', 'tenantOwned', 'managedIdentity', 'legacy'] as const;
const aiCategories = ['assistant', 'agentPlatform', 'plugin', 'modelProvider', 'aiFeature'] as const;
const aiClassifiers = ['catalog', 'rule', 'manual'] as const;
const accountableSources = ['nativeOwner', 'nativeSponsor', 'assignment', 'none'] as const;

const app = entityRecord('App', 'An application in the tenant: a service principal.', {
  appId: text('Client id, the same in every tenant.'),
  displayName: text('Display name.'),
  appType: word(appTypes, 'Kind of app:'),
  servicePrincipalType: text("The provider's kind of service principal."),
  publisher: text('Publisher.'),
  isVerifiedPublisher: yesNo('Whether the publisher is verified.'),
  verifiedPublisherName: text('Name of the verified publisher.'),
  homeTenantId: text('Tenant it was registered in.'),
  accountEnabled: yesNo('Whether sign-in to it is allowed.'),
  signInAudience: text('Whose accounts can sign in.'),
  isAiApp: yesNo('Whether it is an AI app.'),
  aiCategory: word(aiCategories, 'Kind of AI app:'),
  aiClassifiedBy: word(aiClassifiers, 'What says so:'),
  delegatedPermissionCount: count('Delegated permissions.'),
  applicationPermissionCount: count('Application permissions.'),
  resourceGrantCount: count('Grants on single resources.'),
  highPrivilegePermissionCount: count('Permissions of high privilege.'),
  hasTenantWideReach: yesNo('Whether a permission reaches the whole tenant.'),
  hasAdminConsent: yesNo('Whether an administrator consented for everyone.'),
  hasWriteAccess: yesNo('Whether it may change data.'),
  userConsentCount: count('Users who consented for themselves.'),
  credentialCount: count('Secrets and certificates.'),
  nextCredentialExpiryAt: moment('When the next of them expires.'),
  accountableId: idOf('user', 'Id of the accountable person.'),
  accountableName: text('Name of the accountable person.'),
  accountableSource: word(accountableSources, 'How the accountable person is known:'),
  fileReachCount: count('Files it can read.'),
  sensitiveFileReachCount: count('Files with sensitive information it can read.'),
  labeledFileReachCount: count('Files with a sensitivity label it can read.'),
  reachableInfoTypeCount: count('Kinds of sensitive information it can read.'),
  userCount: count('Users.'),
  externalUserCount: count('External users.'),
  lastSignInAt: moment('Last sign-in to it.'),
  riskLevel: word(riskLevels, 'Risk:'),
});

const appDetail = app
  .extend({
    permissions: objects('What it may do.', {
      value: text('Permission, or the id of the app role.'),
      kind: text('delegated or application.'),
      resourceId: idOf('app', 'Id of the resource.'),
      resource: text('Name of the resource.'),
      principalId: idOf('user', 'The one user it holds for.'),
      adminConsented: yesNo('Whether an administrator consented.'),
      tenantWide: yesNo('Whether it holds for the whole tenant.'),
    }),
    owners: objects('Owners.', referenceTo('user')),
    credentials: objects('Secrets and certificates, never their values.', {
      kind: text('certificate or secret.'),
      keyId: text('Id.'),
      startsAt: moment('Start.'),
      endsAt: moment('End.'),
    }),
    replyUrls: texts('Addresses it may answer to.'),
    assignedPrincipals: objects('Who is assigned to it.', { ...referenceByType, type: text('Kind of principal.') }),
    aiReach: objects('What it can read, by kind of sensitive information.', {
      ...referenceTo('sensitiveInfoType'),
      fileCount: count('Files.'),
    }),
  })
  .meta({ id: 'AppDetail', description: 'An app with all that is known.' });

export const listApps = list({
  ...everyEntityList,
  name: 'list_apps',
  path: '/apps',
  scope: 'apps:read',
  summary: 'Apps',
  description: `Who published apps, what they were granted and by whom, which are AI, whether they still have credentials. ${listWords}`,
  guidance:
    'Applications and OAuth grants: publisher, verification, consent, permissions, AI apps, credentials. Use it for risky third-party integrations. Next: get_app, list_logs with applicationId.',
  textOfOthers: true,
  record: app,
  filters: {
    appType: choices(appTypes, 'Kind of app.', 'thirdParty'),
    isAiApp: flag('Whether it is an AI app.'),
    hasTenantWideReach: flag('Whether a permission reaches the whole tenant.'),
    hasAdminConsent: flag('Whether an administrator consented for everyone.'),
    isVerifiedPublisher: flag('Whether the publisher is verified.', 'false'),
    accountEnabled: flag('Whether sign-in to it is allowed.'),
    riskLevel: choices(riskLevels, 'Risk of the app.', 'medium,high'),
    ...everyEntityFilters('display name', 'contoso'),
  },
  examples: [
    {
      words: 'AI apps of publishers nobody verified',
      input: { isAiApp: 'true', isVerifiedPublisher: 'false' },
    },
    {
      words: 'Third-party apps that reach the whole tenant',
      input: { appType: 'thirdParty', hasTenantWideReach: 'true' },
    },
  ],
});

export const getApp = get({
  name: 'get_app',
  path: '/apps/{id}',
  scope: 'apps:read',
  summary: 'One app',
  description: `By id or client id. ${getWords}`,
  guidance:
    'One application: permissions and consents, who granted them, credentials and secrets that expire, reachable data, users.',
  textOfOthers: true,
  exampleId: '375e8f5f-e828-470f-93ac-430be3d6ec88',
  record: appDetail,
  examples: [],
});
