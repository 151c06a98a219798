import type { Company, File } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import {
  derivePick,
  deriveSharing,
  findFileOwner,
  findRestriction,
  findSensitiveInfo,
  isProtected,
  listColleagues,
  listReadingAgents,
  listReadingApps,
} from './file-attributes.ts';
import { createEntityState, formatTimeBefore, type InventorySnapshot } from './inventory-snapshot.ts';

export function createFileState(snapshot: InventorySnapshot, file: File): DemoState {
  const { company } = snapshot;
  const { id, site } = file;
  const owner = findFileOwner(company, file);
  const editor = derivePick(listColleagues(company, site.department), id, 'editor');
  const info = findSensitiveInfo(company, file);
  const { scope, guests } = deriveSharing(company, file);
  const agents = listReadingAgents(company, file);
  const apps = listReadingApps(company, file);
  return createEntityState(snapshot, 'file', id, {
    createdAt: formatTimeBefore(snapshot, 700, id, 'created'),
    name: file.name,
    extension: file.extension,
    // As audit records write it.
    webUrl: file.url,
    sizeBytes: file.sizeBytes,
    siteId: site.id,
    siteName: site.name,
    driveId: deriveDriveId(file),
    driveType: file.workload === 'OneDrive' ? 'personal' : 'documentLibrary',
    ownerId: owner.id,
    ownerName: owner.displayName,
    modifiedAt: formatTimeBefore(snapshot, 30, id, 'modified'),
    modifiedById: editor.id,
    modifiedByName: editor.displayName,
    lastAccessedAt: formatTimeBefore(snapshot, 4, id, 'opened'),
    sensitivityLabelId: file.labelId,
    sensitivityLabelName: file.label,
    isProtected: isProtected(file),
    retentionLabelName: site.department === 'Finance' ? 'Keep ten years' : null,
    sensitiveInfoTypeCount: info.length,
    sensitiveInfoCount: info.reduce((sum, { count }) => sum + count, 0),
    sharingScope: scope,
    hasAnonymousLink: scope === 'anyone',
    hasOrganizationLink: scope === 'organization',
    externalUserCount: guests.length,
    accessPrincipalCount: permissionsOf(company, file).length,
    aiAppReachCount: apps.length,
    agentReachCount: agents.length,
    aiAccessCount30d: deriveNumber(20, id, 'read by AI'),
    isRestricted: info.some(
      ({ type }) => findRestriction(type) === 'noAccess' || findRestriction(type) === 'noAiAccess',
    ),
    malwareDetected: false,
    permissions: permissionsOf(company, file),
    sensitiveInfoTypes: info.map(({ type, count }) => ({
      id: type.id,
      name: type.name,
      count,
      confidence: type.confidence,
    })),
    hashes: { sha256: `${deriveGuid(id, 'a')}${deriveGuid(id, 'b')}`.replaceAll('-', ''), quickXor: null },
    aiReach: [
      ...agents.map((agent) => ({
        type: 'agent',
        id: agent.id,
        name: agent.name,
        via: agent.marks.includes('wide') ? 'tenantWide' : 'site',
      })),
      ...apps.map((app) => ({ type: 'app', id: app.servicePrincipalId, name: app.name, via: 'delegated' })),
    ],
    path: `${file.folder}/${file.name}`,
  });
}

function permissionsOf(company: Company, file: File) {
  const owner = findFileOwner(company, file);
  const { scope, guests } = deriveSharing(company, file);
  const direct = { linkScope: null, linkType: null, preventsDownload: null, hasPassword: null, expiresAt: null };
  const grant = (person: { id: string; displayName: string }, roles: string[], isExternal: boolean) => ({
    id: deriveGuid(file.id, person.id),
    roles,
    principalType: 'user',
    principalId: person.id,
    principalName: person.displayName,
    isExternal,
    ...direct,
    inheritedFrom: file.workload === 'OneDrive' ? null : file.folder,
  });
  const link = scope === 'anyone' || scope === 'organization';
  return [
    grant(owner, ['owner'], false),
    ...guests.map((guest) => grant(guest, ['read'], true)),
    ...(link
      ? [
          {
            id: deriveGuid(file.id, 'link'),
            roles: ['read'],
            principalType: 'link',
            principalId: null,
            principalName: null,
            isExternal: scope === 'anyone',
            ...direct,
            linkScope: scope === 'anyone' ? 'anonymous' : 'organization',
            linkType: 'view',
            preventsDownload: false,
            hasPassword: false,
            inheritedFrom: null,
          },
        ]
      : []),
  ];
}

export function deriveDriveId({ site }: Pick<File, 'site'>): string {
  return `b!${Buffer.from(`${site.id}${site.listId}`.replaceAll('-', ''), 'hex').toString('base64url')}`;
}

/** A file whose name contains a right-to-left override, and one that was deleted. */
export function createUnusualFiles(snapshot: InventorySnapshot): DemoState[] {
  const { azureTenantId } = snapshot.company.plan;
  const [site] = snapshot.company.sites;
  const odd = (id: string, name: string) =>
    createEntityState(snapshot, 'file', id, {
      name,
      extension: 'xlsx',
      siteId: site?.id ?? null,
      siteName: site?.name ?? null,
      sharingScope: 'private',
      isRestricted: false,
      hasAnonymousLink: false,
    });
  const hostile = odd(deriveGuid(azureTenantId, 'hostile file'), 'Payments \u202Efdp.xlsx');
  const gone = odd(deriveGuid(azureTenantId, 'deleted file'), 'Old price list.xlsx');
  return [
    hostile,
    gone,
    {
      topic: 'entity',
      kind: 'file',
      id: gone.id,
      changedAtMs: gone.changedAtMs + 60_000,
      removedBecause: 'deleted by its owner',
    },
  ];
}
