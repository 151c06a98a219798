import { get, list } from '../operation/operation.ts';
import { choices, flag, texts as textsFilter } from '../parameter/parameter.ts';
import {
  discriminatedIdReference,
  idReference,
  resourceByKind,
  resourceByPrincipalType,
} from '../record/id-reference.ts';
import { count, nullableBoolean, object, objects, openEnum, referenceTo, text, texts, timestamp } from './field.ts';
import { entityFilters, entityGetNotes, entityListNotes, entityListOptions, entityRecord } from './record.ts';

const driveTypes = ['personal', 'business', 'documentLibrary'] as const;
const sharingScopes = ['private', 'specificPeople', 'organization', 'anyone'] as const;

const file = entityRecord('File', 'A file in a drive.', {
  name: text('Name.'),
  extension: text('Extension in lower case, without the dot.'),
  webUrl: text('Address.'),
  sizeBytes: count('Size in bytes.'),
  siteId: idReference('site', 'Id of its site.'),
  siteName: text('Name of its site.'),
  driveId: text('Id of its drive.'),
  driveType: openEnum(driveTypes, 'Kind of drive:'),
  ownerId: idReference('user', 'Id of its owner.'),
  ownerName: text('Name of its owner.'),
  modifiedAt: timestamp('Last change of its content.'),
  modifiedById: idReference('user', 'Id of the user who last changed it.'),
  modifiedByName: text('Name of the user who last changed it.'),
  lastAccessedAt: timestamp('Last access.'),
  sensitivityLabelId: text('Id of its sensitivity label.'),
  sensitivityLabelName: text('Its sensitivity label.'),
  isProtected: nullableBoolean('Whether it is encrypted by its label.'),
  retentionLabelName: text('Its retention label.'),
  sensitiveInfoTypeCount: count('Kinds of sensitive information in it.'),
  sensitiveInfoCount: count('Instances of sensitive information in it.'),
  sharingScope: openEnum(sharingScopes, 'Widest sharing:'),
  hasAnonymousLink: nullableBoolean('Whether anyone with a link can open it.'),
  hasOrganizationLink: nullableBoolean('Whether everyone in the organization with a link can open it.'),
  externalUserCount: count('External users who can open it.'),
  accessPrincipalCount: count('Users and groups who can open it.'),
  aiAppReachCount: count('AI apps that can read it.'),
  agentReachCount: count('Agents that can read it.'),
  aiAccessCount30d: count('Reads by AI within 30 days.'),
  isRestricted: nullableBoolean('Whether it contains information that was declared restricted.'),
  malwareDetected: nullableBoolean('Whether malware was found in it.'),
});

const fileDetail = file
  .extend({
    permissions: objects('Permissions.', {
      id: text('Id.'),
      roles: texts('read, write or owner.'),
      principalType: text('user, group, application or link.'),
      principalId: discriminatedIdReference('principalType', resourceByPrincipalType, 'Id of the principal.'),
      principalName: text('Name of the principal.'),
      isExternal: nullableBoolean('Whether the principal is external.'),
      linkScope: text('Scope of the link.'),
      linkType: text('Kind of link.'),
      preventsDownload: nullableBoolean('Whether the link prevents download.'),
      hasPassword: nullableBoolean('Whether the link has a password.'),
      expiresAt: timestamp('When it expires.'),
      inheritedFrom: text('Path or id it is inherited from.'),
    }),
    sensitiveInfoTypes: objects('Sensitive information in it.', {
      ...referenceTo('sensitiveInfoType'),
      count: count('Instances.'),
      confidence: count('Confidence in percent.'),
    }),
    hashes: object('Digests of its content.', { sha256: text('SHA-256.'), quickXor: text('QuickXorHash.') }),
    aiReach: objects('AI apps and agents that can read it.', {
      type: text('app or agent.'),
      id: discriminatedIdReference('type', resourceByKind, 'Id.'),
      name: text('Name.'),
      via: text('Path of access.'),
    }),
    path: text('Path within its drive.'),
    aliases: object('Other ids of the file. Events have one of them as resourceId.', {
      listItemUniqueId: text('Unique id of its list item in SharePoint.'),
      googleId: text('Id at Google.'),
    }),
  })
  .meta({ id: 'FileDetail', description: 'A file in full.' });

export const listFiles = list({
  ...entityListOptions,
  name: 'list_files',
  path: '/files',
  scope: 'files:read',
  summary: 'Files',
  description: `Files with sensitive information, permissions, external sharing and access by AI. ${entityListNotes}`,
  toolDescription:
    'Files and documents: sensitivity label, sensitive content, sharing links, external access, readers, AI exposure. Use it to find overshared or leaked documents. Next: get_file, which has the ids that events use.',
  containsUntrustedText: true,
  record: file,
  filters: {
    siteId: textsFilter(
      'Site of the file.',
      'contoso.example,5d2c7126-1370-44e7-a1f5-426573fda80a,2d2244c3-251a-49ea-93a8-39e1c3a060fe',
      { hasCommas: true },
    ),
    ownerId: textsFilter('Owner of the file.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11'),
    extension: textsFilter('Extension, lower case.', 'docx,xlsx'),
    sensitivityLabelId: textsFilter('Sensitivity label.', '1f0c6f3e-3b57-4a61-8d5a-1de0a4f7c2b9'),
    sensitiveInfoTypeId: textsFilter(
      'Kind of sensitive information in the file.',
      '50842eb7-edc8-4019-85dd-5a5c1f2bb085',
    ),
    sharingScope: choices(sharingScopes, 'Widest sharing.', 'anyone'),
    isRestricted: flag('Whether it contains information that was declared restricted.'),
    hasAnonymousLink: flag('Whether anyone with a link can open it.'),
    ...entityFilters('name', 'budget'),
  },
  examples: [
    { description: 'Files anyone can open', input: { sharingScope: 'anyone', limit: '10' } },
    {
      description: 'Spreadsheets with restricted information that a link opens to anyone',
      input: { extension: 'xlsx', isRestricted: 'true', hasAnonymousLink: 'true' },
    },
  ],
});

export const getFile = get({
  name: 'get_file',
  path: '/files/{id}',
  scope: 'files:read',
  summary: 'One file',
  description: `Looked up by id, unique id of its list item, or address. ${entityGetNotes}`,
  toolDescription:
    'One file: owner, labels, sensitive content, sharing links, permissions, who and what read it. Next: list_logs with targetId = its id and aliases for who opened, downloaded or shared it.',
  containsUntrustedText: true,
  exampleId: '934dd7d4-4ddd-49aa-a39b-a8fc50ad57f8',
  record: fileDetail,
  examples: [],
});
