import { get, list } from '../operation/operation.ts';
import { choices, flag, texts as textsFilter } from '../parameter/parameter.ts';
import { idReference } from '../record/id-reference.ts';
import { count, nullableBoolean, object, objects, openEnum, referenceTo, text, texts, timestamp } from './field.ts';
import {
  entityFilters,
  entityGetNotes,
  entityListNotes,
  entityListOptions,
  entityRecord,
  riskLevels,
  riskStates,
} from './record.ts';

const userTypes = ['member', 'guest'] as const;
const externalUserStates = ['pendingAcceptance', 'accepted'] as const;

const user = entityRecord('User', 'A user account, of a person or a service.', {
  displayName: text('Display name.'),
  userPrincipalName: text('Sign-in name.'),
  mail: text('Primary mail address.'),
  userType: openEnum(userTypes, 'One of'),
  accountEnabled: nullableBoolean('Whether sign-in is allowed.'),
  isExternal: nullableBoolean('Whether the account comes from another organization.'),
  externalUserState: openEnum(externalUserStates, 'State of an invitation:'),
  department: text('Department.'),
  jobTitle: text('Job title.'),
  companyName: text('Company.'),
  country: text('Country.'),
  managerId: idReference('user', 'Id of the manager.'),
  managerName: text('Name of the manager.'),
  isAdmin: nullableBoolean('Whether the user has a directory role.'),
  roles: texts('Names of the assigned directory roles.'),
  mfaRegistered: nullableBoolean('Whether a second factor is registered.'),
  lastSignInAt: timestamp('Last interactive sign-in; the last successful one where the provider distinguishes.'),
  lastNonInteractiveSignInAt: timestamp('Last sign-in without the user present.'),
  riskLevel: openEnum(riskLevels, 'Risk:'),
  riskState: openEnum(riskStates, 'State of the risk:'),
  riskUpdatedAt: timestamp('When the risk last changed.'),
  licenseSkus: texts('SKUs of the assigned licenses.'),
  hasCopilotLicense: nullableBoolean('Whether a Copilot license is assigned.'),
  groupCount: count('Groups the user is in.'),
  deviceCount: count('Devices of the user.'),
  ownedAgentCount: count('Agents owned.'),
  ownedAppCount: count('Apps owned.'),
  ownedFileCount: count('Files owned.'),
  sensitiveFileCount: count('Owned files with sensitive information.'),
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
    onPremisesSyncEnabled: nullableBoolean('Whether the account is synchronised from a local directory.'),
    lastPasswordChangeAt: timestamp('Last change of password.'),
    disabledAt: timestamp('When sign-in was blocked.'),
    methodsRegistered: texts('Authentication methods registered.'),
    roleAssignments: objects('Assigned directory roles, and whether the assignment is permanent.', {
      name: text('Name of the role.'),
      permanent: nullableBoolean('Whether the assignment needs no activation and does not expire.'),
    }),
    sponsors: objects('Sponsors of a guest.', referenceTo('user')),
    groups: objects('Groups the user is in.', referenceTo('group')),
    devices: objects('Devices of the user.', referenceTo('device')),
    appGrants: objects('Permissions of apps on behalf of the user.', {
      appId: idReference('app', 'Id of the app.'),
      name: text('Name of the app.'),
      scopes: texts('Permissions.'),
      consentType: text('Who consented.'),
    }),
    mailboxForwarding: object('Where the mailbox forwards to.', {
      address: text('Address.'),
      external: nullableBoolean('Whether outside the organization.'),
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
      oktaId: text('Id at Okta.'),
    }),
    recentDetections: objects('Recent detections about the user.', {
      id: idReference('detection', 'Id.'),
      summary: text('Summary.'),
    }),
    recentAlerts: objects('Recent security alerts about the user.', {
      id: idReference('securityAlert', 'Id.'),
      title: text('Title.'),
    }),
  })
  .meta({ id: 'UserDetail', description: 'A user in full.' });

export const listUsers = list({
  ...entityListOptions,
  name: 'list_users',
  path: '/users',
  scope: 'users:read',
  summary: 'Users',
  description: `Users: privileged, external, dormant, risky or licensed for Copilot. ${entityListNotes}`,
  toolDescription:
    'Users and guests: administrators, guests, risky, disabled or dormant ones, missing second factor (MFA), Copilot licenses. Use it to find a person by name or mail. Next: get_user, list_logs with user = id.',
  containsUntrustedText: true,
  record: user,
  filters: {
    userType: choices(userTypes, 'Members or guests.', 'guest'),
    accountEnabled: flag('Whether sign-in is allowed.'),
    isAdmin: flag('Whether the user has a directory role.'),
    isExternal: flag('Whether the account comes from another organization.'),
    riskLevel: choices(riskLevels, 'Risk of the user.', 'medium,high'),
    hasCopilotLicense: flag('Whether a Copilot license is assigned.'),
    department: textsFilter('Department.', 'Finance', { hasCommas: true }),
    role: textsFilter('Name of an assigned directory role.', 'Global Administrator', { hasCommas: true }),
    ...entityFilters('display name, sign-in name or mail address', 'adele'),
  },
  examples: [
    { description: 'Administrators whose risk is not low', input: { isAdmin: 'true', riskLevel: 'medium,high' } },
    { description: 'Guests whose name begins with ada', input: { userType: 'guest', search: 'ada' } },
  ],
});

export const getUser = get({
  name: 'get_user',
  path: '/users/{id}',
  scope: 'users:read',
  summary: 'One user',
  description: `Looked up by id, sign-in name, PUID or security identifier. ${entityGetNotes}`,
  toolDescription:
    'One person by id or sign-in name: roles, groups, devices, sign-in, mail forwarding, app grants, recent detections and alerts. Next: list_logs with user = id.',
  containsUntrustedText: true,
  exampleId: 'mara.lindqvist@larkspur-instruments.example',
  record: userDetail,
  examples: [],
});
