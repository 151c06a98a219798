import { numberOf } from '../chance.ts';
import type { DemoState } from '../demo-state.ts';
import { one } from './file-facts.ts';
import type { Group } from './group-facts.ts';
import { licensesOf } from './license-facts.ts';
import { entityState, momentBefore, type Picture } from './picture.ts';
import { reference } from './users.ts';

export function groupState(picture: Picture, group: Group): DemoState {
  const { company } = picture;
  const { id, name, kind, members } = group;
  const guests = members.filter(({ isGuest }) => isGuest);
  const isTeam = kind === 'team';
  const hasNoOwner = kind === 'list' && numberOf(3, id, 'owner') === 0;
  const owners =
    hasNoOwner || kind === 'department' ? [] : [one(members.length > 0 ? members : company.admins, id, 'owner')];
  const site = company.sites.find((candidate) => candidate.name === name || candidate.department === name);
  const mailName = name.toLowerCase().replaceAll(' ', '-');
  const groupType = isTeam ? 'microsoft365' : kind === 'department' ? 'security' : one(listTypes, id, 'type');
  return entityState(picture, 'group', id, {
    createdAt: momentBefore(picture, 1_200, id, 'created'),
    displayName: name,
    description: kind === 'department' ? `Everybody in ${name.replace('Department ', '')}.` : null,
    mail: groupType === 'security' ? null : `${mailName}@${company.plan.domain}`,
    groupType,
    membershipType: kind === 'department' ? 'dynamic' : 'assigned',
    visibility: isTeam ? one(['private', 'public'], id, 'visibility') : 'private',
    isTeam,
    isRoleAssignable: name.startsWith('Break-glass'),
    memberCount: members.length,
    guestCount: guests.length,
    ownerCount: owners.length,
    hasNoOwner: owners.length === 0,
    siteId: isTeam ? (site?.id ?? null) : null,
    sensitivityLabelName: isTeam ? 'Confidential' : null,
    externalSharingAllowed: guests.length > 0,
    expiresAt: null,
    lastActivityAt: momentBefore(picture, 20, id, 'active'),
    sensitiveFileCount:
      site === undefined ? 0 : company.files.filter((file) => file.site === site && file.label !== null).length,
    agentCount: 0,
    owners: owners.map(reference),
    members: members.map((member) => ({ ...reference(member), type: 'user' })),
    membersTruncated: false,
    membershipRule: kind === 'department' ? `(user.department -eq "${name.replace('Department ', '')}")` : null,
    apps: [],
    licenses:
      name === 'Copilot pilot'
        ? licensesOf(company)
            .filter(({ isAi }) => isAi)
            .map(({ partNumber }) => partNumber)
        : [],
    nestedGroups: [],
  });
}

const listTypes = ['security', 'mailEnabledSecurity', 'distribution', 'microsoft365'];
