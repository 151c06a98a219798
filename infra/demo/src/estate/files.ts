import { guidOf, numberOf } from '../chance.ts';
import type { Company, File } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import {
  agentsReading,
  appsReading,
  colleaguesOf,
  infoIn,
  isProtected,
  one,
  ownerOf,
  restrictionOf,
  sharingOf,
} from './file-facts.ts';
import { entityState, momentBefore, type Picture } from './picture.ts';

export function fileState(picture: Picture, file: File): DemoState {
  const { company } = picture;
  const { id, site } = file;
  const owner = ownerOf(company, file);
  const editor = one(colleaguesOf(company, site.department), id, 'editor');
  const info = infoIn(company, file);
  const { scope, guests } = sharingOf(company, file);
  const agents = agentsReading(company, file);
  const apps = appsReading(company, file);
  return entityState(picture, 'file', id, {
    createdAt: momentBefore(picture, 700, id, 'created'),
    name: file.name,
    extension: file.extension,
    // As audit records write it.
    webUrl: file.url,
    sizeBytes: file.sizeBytes,
    siteId: site.id,
    siteName: site.name,
    driveId: driveOf(file),
    driveType: file.workload === 'OneDrive' ? 'personal' : 'documentLibrary',
    ownerId: owner.id,
    ownerName: owner.displayName,
    modifiedAt: momentBefore(picture, 30, id, 'modified'),
    modifiedById: editor.id,
    modifiedByName: editor.displayName,
    lastAccessedAt: momentBefore(picture, 4, id, 'opened'),
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
    aiAccessCount30d: numberOf(20, id, 'read by AI'),
    isRestricted: info.some(({ type }) => restrictionOf(type) === 'noAccess' || restrictionOf(type) === 'noAiAccess'),
    malwareDetected: false,
    permissions: permissionsOf(company, file),
    sensitiveInfoTypes: info.map(({ type, count }) => ({
      id: type.id,
      name: type.name,
      count,
      confidence: type.confidence,
    })),
    hashes: { sha256: `${guidOf(id, 'a')}${guidOf(id, 'b')}`.replaceAll('-', ''), quickXor: null },
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
  const owner = ownerOf(company, file);
  const { scope, guests } = sharingOf(company, file);
  const direct = { linkScope: null, linkType: null, preventsDownload: null, hasPassword: null, expiresAt: null };
  const grant = (person: { id: string; displayName: string }, roles: string[], isExternal: boolean) => ({
    id: guidOf(file.id, person.id),
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
            id: guidOf(file.id, 'link'),
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

export function driveOf({ site }: Pick<File, 'site'>): string {
  return `b!${Buffer.from(`${site.id}${site.listId}`.replaceAll('-', ''), 'hex').toString('base64url')}`;
}

/** A file whose name reads from right to left, and one that was deleted. */
export function oddFiles(picture: Picture): DemoState[] {
  const { azureTenantId } = picture.company.plan;
  const [site] = picture.company.sites;
  const odd = (id: string, name: string) =>
    entityState(picture, 'file', id, {
      name,
      extension: 'xlsx',
      siteId: site?.id ?? null,
      siteName: site?.name ?? null,
      sharingScope: 'private',
      isRestricted: false,
      hasAnonymousLink: false,
    });
  const hostile = odd(guidOf(azureTenantId, 'hostile file'), 'Payments \u202Efdp.xlsx');
  const gone = odd(guidOf(azureTenantId, 'deleted file'), 'Old price list.xlsx');
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
