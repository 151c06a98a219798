import { get, list } from '../operation/operation.ts';
import { choices, flag } from '../parameter/parameter.ts';
import { discriminatedIdReference, idReference, resourceByPrincipalType } from '../record/id-reference.ts';
import {
  count,
  nullableBoolean,
  object,
  objects,
  openEnum,
  reference,
  referenceTo,
  text,
  texts,
  timestamp,
} from './field.ts';
import { entityFilters, entityGetNotes, entityListNotes, entityListOptions, entityRecord } from './record.ts';

const siteTypes = ['team', 'communication', 'personal', 'channel', 'hub', 'other'] as const;
const sharingCapabilities = ['disabled', 'existingGuests', 'newAndExistingGuests', 'anyone'] as const;

const site = entityRecord('Site', 'A SharePoint site or a OneDrive.', {
  displayName: text('Display name.'),
  webUrl: text('Address.'),
  siteType: openEnum(siteTypes, 'Kind of site:'),
  ownerId: idReference('user', 'Id of its owner.'),
  ownerName: text('Name of its owner.'),
  groupId: idReference('group', 'Id of its group.'),
  storageUsedBytes: count('Storage used, in bytes.'),
  storageQuotaBytes: count('Storage allowed, in bytes.'),
  fileCount: count('Files.'),
  sensitiveFileCount: count('Files with sensitive information.'),
  labeledFileCount: count('Files with a sensitivity label.'),
  externalSharing: openEnum(sharingCapabilities, 'How far it may be shared:'),
  anonymousLinkCount: count('Links that anyone can open.'),
  externalUserCount: count('External users who can open it.'),
  everyoneAccess: nullableBoolean('Whether everyone in the organization can open it.'),
  sensitivityLabelName: text('Its sensitivity label.'),
  isArchived: nullableBoolean('Whether it is archived.'),
  isExcludedFromAi: nullableBoolean('Whether AI is excluded from discovering it.'),
  isAccessRestricted: nullableBoolean('Whether access is restricted to a group.'),
  agentCount: count('Agents.'),
  lastActivityAt: timestamp('Last activity.'),
});

const siteDetail = site
  .extend({
    admins: objects('Administrators.', referenceTo('user')),
    drives: objects('Drives.', { ...reference, driveType: text('Kind of drive.') }),
    permissions: objects('Who may do what with it.', {
      id: text('Id.'),
      roles: texts('Roles.'),
      principalType: text('Kind of principal.'),
      principalId: discriminatedIdReference('principalType', resourceByPrincipalType, 'Id of the principal.'),
      principalName: text('Name of the principal.'),
    }),
    topSensitiveFiles: objects('Files with the most sensitive information.', referenceTo('file')),
    sharingLinks: objects('Sharing links by scope.', { scope: text('Scope.'), count: count('Links.') }),
    agents: objects('Agents.', referenceTo('agent')),
    aliases: object('Other ids of the site. Events have one of them as resourceId.', {
      siteCollectionId: text('GUID of the site collection.'),
    }),
  })
  .meta({ id: 'SiteDetail', description: 'A site in full.' });

export const listSites = list({
  ...entityListOptions,
  name: 'list_sites',
  path: '/sites',
  scope: 'sites:read',
  summary: 'Sites',
  description: `Sites with sharing settings, owners, sensitive content and protection from AI. ${entityListNotes}`,
  toolDescription:
    'SharePoint sites: external sharing setting, access for everyone, owners, sensitive content, exposure to AI. Next: get_site, list_files with siteId.',
  containsUntrustedText: true,
  record: site,
  filters: {
    siteType: choices(siteTypes, 'Kind of site.', 'team'),
    externalSharing: choices(sharingCapabilities, 'How far it may be shared.', 'anyone'),
    everyoneAccess: flag('Whether everyone in the organization can open it.'),
    isExcludedFromAi: flag('Whether AI is excluded from discovering it.', 'false'),
    hasNoOwner: flag('Whether the site has no recorded owner.'),
    ...entityFilters('display name', 'finance'),
  },
  examples: [
    {
      description: 'Sites open to everyone that AI can discover',
      input: { everyoneAccess: 'true', isExcludedFromAi: 'false' },
    },
    { description: 'Sites that may be shared with anyone', input: { externalSharing: 'anyone' } },
  ],
});

export const getSite = get({
  name: 'get_site',
  path: '/sites/{id}',
  scope: 'sites:read',
  summary: 'One site',
  description: `Looked up by id, GUID of the site collection, or address. ${entityGetNotes}`,
  toolDescription: 'One site: administrators, sharing policy, sharing links, sensitive content.',
  containsUntrustedText: true,
  exampleId: '0869ccdb-861d-4807-acde-8cccd994167f',
  record: siteDetail,
  examples: [],
});
