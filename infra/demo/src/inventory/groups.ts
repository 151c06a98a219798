import type { DemoState } from '../demo-state.ts';
import { deriveNumber } from '../random.ts';
import { derivePick } from './file-attributes.ts';
import type { Group } from './group-list.ts';
import { createEntityState, formatTimeBefore, type InventorySnapshot } from './inventory-snapshot.ts';
import { listLicenses } from './license-list.ts';
import { toReference } from './users.ts';

export function createGroupState(snapshot: InventorySnapshot, group: Group): DemoState {
  const { company } = snapshot;
  const { id, name, kind, members } = group;
  const guests = members.filter(({ isGuest }) => isGuest);
  const isTeam = kind === 'team';
  const hasNoOwner = kind === 'list' && deriveNumber(3, id, 'owner') === 0;
  const owners =
    hasNoOwner || kind === 'department' ? [] : [derivePick(members.length > 0 ? members : company.admins, id, 'owner')];
  const site = company.sites.find((candidate) => candidate.name === name || candidate.department === name);
  const mailName = name.toLowerCase().replaceAll(' ', '-');
  const groupType = isTeam ? 'microsoft365' : kind === 'department' ? 'security' : derivePick(listTypes, id, 'type');
  return createEntityState(snapshot, 'group', id, {
    createdAt: formatTimeBefore(snapshot, 1_200, id, 'created'),
    displayName: name,
    description: kind === 'department' ? `Everybody in ${name.replace('Department ', '')}.` : null,
    mail: groupType === 'security' ? null : `${mailName}@${company.plan.domain}`,
    groupType,
    membershipType: kind === 'department' ? 'dynamic' : 'assigned',
    visibility: isTeam ? derivePick(['private', 'public'], id, 'visibility') : 'private',
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
    lastActivityAt: formatTimeBefore(snapshot, 20, id, 'active'),
    sensitiveFileCount:
      site === undefined ? 0 : company.files.filter((file) => file.site === site && file.label !== null).length,
    agentCount: 0,
    owners: owners.map(toReference),
    members: members.map((member) => ({ ...toReference(member), type: 'user' })),
    membersTruncated: false,
    membershipRule: kind === 'department' ? `(user.department -eq "${name.replace('Department ', '')}")` : null,
    apps: [],
    licenses:
      name === 'Copilot pilot'
        ? listLicenses(company)
            .filter(({ isAi }) => isAi)
            .map(({ partNumber }) => partNumber)
        : [],
    nestedGroups: [],
  });
}

const listTypes = ['security', 'mailEnabledSecurity', 'distribution', 'microsoft365'];
