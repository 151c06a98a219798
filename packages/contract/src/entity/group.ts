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
import { entityFilters, entityGetNotes, entityListNotes, entityListOptions, entityRecord } from './record.ts';

const groupTypes = ['microsoft365', 'security', 'mailEnabledSecurity', 'distribution'] as const;
const membershipTypes = ['assigned', 'dynamic'] as const;
const visibilities = ['private', 'public', 'hiddenMembership'] as const;

const group = entityRecord('Group', 'A group or team.', {
  displayName: text('Display name.'),
  description: text('Description.'),
  mail: text('Mail address.'),
  groupType: openEnum(groupTypes, 'Kind of group:'),
  membershipType: openEnum(membershipTypes, 'How members are added:'),
  visibility: openEnum(visibilities, 'Who can see and join it:'),
  isTeam: nullableBoolean('Whether it is a team.'),
  isRoleAssignable: nullableBoolean('Whether directory roles can be assigned to it.'),
  memberCount: count('Members.'),
  guestCount: count('Guests among its members.'),
  ownerCount: count('Owners.'),
  hasNoOwner: nullableBoolean('Whether it has no owner.'),
  siteId: idReference('site', 'Id of its site.'),
  sensitivityLabelName: text('Its sensitivity label.'),
  externalSharingAllowed: nullableBoolean('Whether its content may be shared outside.'),
  expiresAt: timestamp('When it expires.'),
  lastActivityAt: timestamp('Last activity.'),
  sensitiveFileCount: count('Files with sensitive information.'),
  agentCount: count('Agents.'),
});

const groupDetail = group
  .extend({
    owners: objects('Owners.', referenceTo('user')),
    members: objects('Members.', { ...principalReference, type: text('Kind of member.') }),
    membersTruncated: nullableBoolean('Whether there are more members than listed.'),
    membershipRule: text('Rule of a dynamic membership.'),
    apps: objects('Apps assigned through the group.', referenceTo('app')),
    licenses: texts('SKUs of licenses assigned through the group.'),
    nestedGroups: objects('Nested groups.', referenceTo('group')),
  })
  .meta({ id: 'GroupDetail', description: 'A group in full.' });

export const listGroups = list({
  ...entityListOptions,
  name: 'list_groups',
  path: '/groups',
  scope: 'groups:read',
  summary: 'Groups',
  description: `Groups and teams with owners, guests and granted access. ${entityListNotes}`,
  toolDescription:
    'Groups and teams: owners, members, guests, visibility, roles. Use it for ownerless or public teams and memberships. Next: get_group.',
  containsUntrustedText: true,
  record: group,
  filters: {
    groupType: choices(groupTypes, 'Kind of group.', 'microsoft365'),
    visibility: choices(visibilities, 'Who can see and join it.', 'public'),
    isTeam: flag('Whether it is a team.'),
    hasNoOwner: flag('Whether it has no owner.'),
    hasGuests: flag('Whether guests are in it.'),
    isRoleAssignable: flag('Whether directory roles can be assigned to it.'),
    ...entityFilters('display name or mail address', 'project'),
  },
  examples: [
    { description: 'Public teams', input: { isTeam: 'true', visibility: 'public' } },
    { description: 'Groups without an owner that have guests', input: { hasNoOwner: 'true', hasGuests: 'true' } },
  ],
});

export const getGroup = get({
  name: 'get_group',
  path: '/groups/{id}',
  scope: 'groups:read',
  summary: 'One group',
  description: `Looked up by id, mail address or security identifier. ${entityGetNotes}`,
  toolDescription: 'One group or team: owners, members, guests, sites and apps it opens.',
  containsUntrustedText: true,
  exampleId: 'finance@larkspur-instruments.example',
  record: groupDetail,
  examples: [],
});
