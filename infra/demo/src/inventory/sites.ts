import type { Company, Site } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { deriveNumber } from '../random.ts';
import { derivePick, deriveSharing, findSensitiveInfo, listColleagues, listReadingAgents } from './file-attributes.ts';
import { deriveDriveId } from './files.ts';
import { listGroups } from './group-list.ts';
import { createEntityState, formatTimeBefore, type InventorySnapshot } from './inventory-snapshot.ts';
import { toReference } from './users.ts';

/** The sites of a company and the OneDrive of each of its people. */
export function listSites({ sites, files }: Company): readonly Site[] {
  return [...new Set([...sites, ...files.map((file) => file.site)])];
}

export function createSiteState(snapshot: InventorySnapshot, site: Site): DemoState {
  const { company } = snapshot;
  const { id, name } = site;
  const isPersonal = !company.sites.includes(site);
  const files = company.files.filter((file) => file.site === site);
  const shared = files.map((file) => deriveSharing(company, file));
  const guests = new Set(shared.flatMap((sharing) => sharing.guests));
  const owner = isPersonal
    ? company.employees.find(({ displayName }) => displayName === name)
    : deriveNumber(5, id, 'owner') === 0
      ? undefined
      : derivePick(listColleagues(company, site.department), id, 'owner');
  const agents = [...new Set(files.flatMap((file) => listReadingAgents(company, file)))];
  const links = (scope: string) => shared.filter((sharing) => sharing.scope === scope).length;
  const isOpen = name === 'Company';
  return createEntityState(snapshot, 'site', id, {
    createdAt: formatTimeBefore(snapshot, 2_000, id, 'created'),
    displayName: isPersonal ? `${name} (OneDrive)` : name,
    webUrl: site.url,
    siteType: isPersonal ? 'personal' : isOpen ? 'communication' : name === 'Plant' ? 'channel' : 'team',
    ownerId: owner?.id ?? null,
    ownerName: owner?.displayName ?? null,
    groupId: isPersonal ? null : (listGroups(company).find((group) => group.name === name)?.id ?? null),
    storageUsedBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    storageQuotaBytes: 1_099_511_627_776,
    fileCount: files.length,
    sensitiveFileCount: files.filter((file) => findSensitiveInfo(company, file).length > 0).length,
    labeledFileCount: files.filter(({ label }) => label !== null).length,
    externalSharing: isPersonal
      ? 'existingGuests'
      : derivePick(['anyone', 'newAndExistingGuests', 'disabled'], id, 'external'),
    anonymousLinkCount: links('anyone'),
    externalUserCount: guests.size,
    everyoneAccess: isOpen,
    sensitivityLabelName: site.department === 'People' ? 'Highly Confidential' : null,
    isArchived: false,
    isExcludedFromAi: site.department === 'People',
    isAccessRestricted: site.department === 'People',
    agentCount: agents.length,
    lastActivityAt: formatTimeBefore(snapshot, 3, id, 'active'),
    admins: owner === undefined ? company.admins.map(toReference) : [toReference(owner)],
    drives: [
      { id: deriveDriveId({ site }), name: 'Documents', driveType: isPersonal ? 'personal' : 'documentLibrary' },
    ],
    permissions:
      owner === undefined
        ? []
        : [
            {
              id: '1',
              roles: ['owner'],
              principalType: 'user',
              principalId: owner.id,
              principalName: owner.displayName,
            },
          ],
    topSensitiveFiles: files
      .filter((file) => findSensitiveInfo(company, file).length > 0)
      .slice(0, 5)
      .map((file) => ({ id: file.id, name: file.name })),
    sharingLinks: ['anyone', 'organization', 'specificPeople'].map((scope) => ({ scope, count: links(scope) })),
    agents: agents.map((agent) => ({ id: agent.id, name: agent.name })),
  });
}
