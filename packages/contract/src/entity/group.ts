import { idOf } from '../id-of.ts';
import { get, list } from '../operation.ts';
import { choices, flag } from '../parameter.ts';
import { count, moment, objects, referenceByType, referenceTo, text, texts, word, yesNo } from './field.ts';
import { entityRecord, everyEntityFilters, everyEntityList, getWords, listWords } from './record.ts';

const groupTypes = ['microsoft365', 'security', 'mailEnabledSecurity', 'distribution'] as const;
const membershipTypes = ['assigned', 'dynamic'] as const;
const visibilities = ['private', 'public', 'hiddenMembership'] as const;

const group = entityRecord('Group', 'A group or team.', {
  displayName: text('Display name.'),
  description: text('Description.'),
  mail: text('Mail address.'),
  groupType: word(groupTypes, 'Kind of group:'),
  membershipType: word(membershipTypes, 'How members come in:'),
  visibility: word(visibilities, 'Who can see and join it:'),
  isTeam: yesNo('Whether it is a team.'),
  isRoleAssignable: yesNo('Whether directory roles can be assigned to it.'),
  memberCount: count('Members.'),
  guestCount: count('Guests among its members.'),
  ownerCount: count('Owners.'),
  hasNoOwner: yesNo('Whether it has no owner.'),
  siteId: idOf('site', 'Id of its site.'),
  sensitivityLabelName: text('Its sensitivity label.'),
  externalSharingAllowed: yesNo('Whether its content may be shared outside.'),
  expiresAt: moment('When it expires.'),
  lastActivityAt: moment('Last activity.'),
  sensitiveFileCount: count('Files with sensitive information.'),
  agentCount: count('Agents.'),
});

const groupDetail = group
  .extend({
    owners: objects('Owners.', referenceTo('user')),
    members: objects('Members.', { ...referenceByType, type: text('Kind of member.') }),
    membersTruncated: yesNo('Whether there are more members than listed.'),
    membershipRule: text('Rule of a dynamic membership.'),
    apps: objects('Apps it opens.', referenceTo('app')),
    licenses: texts('Licenses it gives, by SKU.'),
    nestedGroups: objects('Groups inside it.', referenceTo('group')),
  })
  .meta({ id: 'GroupDetail', description: 'A group with all that is known.' });

export const listGroups = list({
  ...everyEntityList,
  name: 'list_groups',
  path: '/groups',
  scope: 'groups:read',
  summary: 'Groups',
  description: `Who owns groups and teams, whether guests are in them, what they open. ${listWords}`,
  guidance:
    'Groups and teams: owners, members, guests, visibility, roles. Use it for ownerless or public teams and memberships. Next: get_group.',
  textOfOthers: true,
  record: group,
  filters: {
    groupType: choices(groupTypes, 'Kind of group.', 'microsoft365'),
    visibility: choices(visibilities, 'Who can see and join it.', 'public'),
    isTeam: flag('Whether it is a team.'),
    hasNoOwner: flag('Whether it has no owner.'),
    hasGuests: flag('Whether guests are in it.'),
    isRoleAssignable: flag('Whether directory roles can be assigned to it.'),
    ...everyEntityFilters('display name or mail address', 'project'),
  },
  examples: [
    { words: 'Public teams', input: { isTeam: 'true', visibility: 'public' } },
    { words: 'Groups without an owner that have guests', input: { hasNoOwner: 'true', hasGuests: 'true' } },
  ],
});

export const getGroup = get({
  name: 'get_group',
  path: '/groups/{id}',
  scope: 'groups:read',
  summary: 'One group',
  description: `By id, mail address or security identifier. ${getWords}`,
  guidance: 'One group or team: owners, members, guests, sites and apps it opens.',
  textOfOthers: true,
  exampleId: 'finance@larkspur-instruments.example',
  record: groupDetail,
  examples: [],
});
