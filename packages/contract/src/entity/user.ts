import { idOf } from '../id-of.ts';
import { get, list } from '../operation.ts';
import { choices, flag, texts as textsFilter } from '../parameter.ts';
import { count, moment, object, objects, referenceTo, text, texts, word, yesNo } from './field.ts';
import {
  entityRecord,
  everyEntityFilters,
  everyEntityList,
  getWords,
  listWords,
  riskLevels,
  riskStates,
} from './record.ts';

const userTypes = ['member', 'guest'] as const;
const externalUserStates = ['pendingAcceptance', 'accepted'] as const;

const user = entityRecord('User', 'A person, or an account that stands for one.', {
  displayName: text('Display name.'),
  userPrincipalName: text('Sign-in name.'),
  mail: text('Primary mail address.'),
  userType: word(userTypes, 'One of'),
  accountEnabled: yesNo('Whether sign-in is allowed.'),
  isExternal: yesNo('Whether the account comes from another organization.'),
  externalUserState: word(externalUserStates, 'State of an invitation:'),
  department: text('Department.'),
  jobTitle: text('Job title.'),
  companyName: text('Company.'),
  country: text('Country.'),
  managerId: idOf('user', 'Id of the manager.'),
  managerName: text('Name of the manager.'),
  isAdmin: yesNo('Whether the user holds any directory role.'),
  roles: texts('Names of the directory roles held.'),
  mfaRegistered: yesNo('Whether a second factor is registered.'),
  lastSignInAt: moment('Last interactive sign-in, a successful one where that is told apart.'),
  lastNonInteractiveSignInAt: moment('Last sign-in without the user present.'),
  riskLevel: word(riskLevels, 'Risk:'),
  riskState: word(riskStates, 'State of the risk:'),
  riskUpdatedAt: moment('When the risk last changed.'),
  licenseSkus: texts('Licenses held, by SKU.'),
  hasCopilotLicense: yesNo('Whether a Copilot license is held.'),
  groupCount: count('Groups the user is in.'),
  deviceCount: count('Devices of the user.'),
  ownedAgentCount: count('Agents owned.'),
  ownedAppCount: count('Apps owned.'),
  ownedFileCount: count('Files owned.'),
  sensitiveFileCount: count('Files owned that hold sensitive information.'),
  externalShareCount: count('Files shared outside the organization.'),
  aiInteractionCount30d: count('Interactions with AI within 30 days.'),
  openDetectionCount: count('Open detections about the user.'),
  openAlertCount: count('Open security alerts about the user.'),
});

const userDetail = user
  .extend({
    proxyAddresses: texts('All mail addresses.'),
    employeeType: text('Employee type.'),
    usageLocation: text('Usage location.'),
    onPremisesSyncEnabled: yesNo('Whether the account is synchronised from a local directory.'),
    lastPasswordChangeAt: moment('Last change of password.'),
    disabledAt: moment('When sign-in was blocked.'),
    methodsRegistered: texts('Authentication methods registered.'),
    roleAssignments: objects('Directory roles held and whether for good.', {
      name: text('Name of the role.'),
      permanent: yesNo('Whether held without an end or an activation.'),
    }),
    sponsors: objects('Sponsors of a guest.', referenceTo('user')),
    groups: objects('Groups the user is in.', referenceTo('group')),
    devices: objects('Devices of the user.', referenceTo('device')),
    appGrants: objects('What apps may do in the name of the user.', {
      appId: idOf('app', 'Id of the app.'),
      name: text('Name of the app.'),
      scopes: texts('Permissions.'),
      consentType: text('Who consented.'),
    }),
    mailboxForwarding: object('Where the mailbox forwards to.', {
      address: text('Address.'),
      external: yesNo('Whether outside the organization.'),
    }),
    externalInboxRuleCount: count('Inbox rules that forward outside the organization.'),
    sensitiveInfoTypes: objects('Sensitive information in files of the user.', {
      ...referenceTo('sensitiveInfoType'),
      fileCount: count('Files.'),
    }),
    aliases: object('Other names of the user.', {
      puid: text('PUID.'),
      sid: text('Security identifier.'),
      googleId: text('Id at Google.'),
    }),
    recentDetections: objects('Recent detections about the user.', {
      id: idOf('detection', 'Id.'),
      summary: text('Summary.'),
    }),
    recentAlerts: objects('Recent security alerts about the user.', {
      id: idOf('securityAlert', 'Id.'),
      title: text('Title.'),
    }),
  })
  .meta({ id: 'UserDetail', description: 'A user with all that is known.' });

export const listUsers = list({
  ...everyEntityList,
  name: 'list_users',
  path: '/users',
  scope: 'users:read',
  summary: 'Users',
  description: `Who is privileged, external, dormant, risky or licensed for Copilot. ${listWords}`,
  guidance:
    'People and accounts: administrators, guests, risky, disabled or dormant ones, missing second factor (MFA), Copilot licences. Use it to find a person by name or mail. Next: get_user, list_logs with actorId.',
  textOfOthers: true,
  record: user,
  filters: {
    userType: choices(userTypes, 'Members or guests.', 'guest'),
    accountEnabled: flag('Whether sign-in is allowed.'),
    isAdmin: flag('Whether any directory role is held.'),
    isExternal: flag('Whether the account comes from another organization.'),
    riskLevel: choices(riskLevels, 'Risk of the user.', 'medium,high'),
    hasCopilotLicense: flag('Whether a Copilot license is held.'),
    department: textsFilter('Department.', 'Finance'),
    role: textsFilter('Directory role held.', 'Global Administrator'),
    ...everyEntityFilters('display name, sign-in name or mail address', 'adele'),
  },
  examples: [
    { words: 'Administrators whose risk is not low', input: { isAdmin: 'true', riskLevel: 'medium,high' } },
    { words: 'Guests whose name begins with ada', input: { userType: 'guest', search: 'ada' } },
  ],
});

export const getUser = get({
  name: 'get_user',
  path: '/users/{id}',
  scope: 'users:read',
  summary: 'One user',
  description: `By id, sign-in name, PUID or security identifier. ${getWords}`,
  guidance:
    'One person by id or sign-in name: roles, groups, devices, sign-in, mail forwarding, app grants, recent detections and alerts. Next: list_logs with actorId.',
  textOfOthers: true,
  exampleId: 'mara.lindqvist@larkspur-instruments.example',
  record: userDetail,
  examples: [],
});
