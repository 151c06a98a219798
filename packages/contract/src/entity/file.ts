import { byKind, byPrincipal, idOf, idToldBy } from '../id-of.ts';
import { get, list } from '../operation.ts';
import { choices, flag, texts as textsFilter } from '../parameter.ts';
import { count, moment, object, objects, referenceTo, text, texts, word, yesNo } from './field.ts';
import { entityRecord, everyEntityFilters, everyEntityList, getWords, listWords } from './record.ts';

const driveTypes = ['personal', 'business', 'documentLibrary'] as const;
export const sharingScopes = ['private', 'specificPeople', 'organization', 'anyone'] as const;

const file = entityRecord('File', 'A file in a drive.', {
  name: text('Name.'),
  extension: text('Extension in lower case, without the dot.'),
  webUrl: text('Address.'),
  sizeBytes: count('Size in bytes.'),
  siteId: idOf('site', 'Id of its site.'),
  siteName: text('Name of its site.'),
  driveId: text('Id of its drive.'),
  driveType: word(driveTypes, 'Kind of drive:'),
  ownerId: idOf('user', 'Id of its owner.'),
  ownerName: text('Name of its owner.'),
  modifiedAt: moment('Last change of its content.'),
  modifiedById: idOf('user', 'Id of who changed it last.'),
  modifiedByName: text('Who changed it last.'),
  lastAccessedAt: moment('Last access.'),
  sensitivityLabelId: text('Id of its sensitivity label.'),
  sensitivityLabelName: text('Its sensitivity label.'),
  isProtected: yesNo('Whether it is encrypted by its label.'),
  retentionLabelName: text('Its retention label.'),
  sensitiveInfoTypeCount: count('Kinds of sensitive information in it.'),
  sensitiveInfoCount: count('Instances of sensitive information in it.'),
  sharingScope: word(sharingScopes, 'Widest sharing:'),
  hasAnonymousLink: yesNo('Whether anyone with a link can open it.'),
  hasOrganizationLink: yesNo('Whether everyone in the organization with a link can open it.'),
  externalUserCount: count('External users who can open it.'),
  accessPrincipalCount: count('Users and groups who can open it.'),
  aiAppReachCount: count('AI apps that can read it.'),
  agentReachCount: count('Agents that can read it.'),
  aiAccessCount30d: count('Reads by AI within 30 days.'),
  isRestricted: yesNo('Whether it holds information that was declared restricted.'),
  malwareDetected: yesNo('Whether malware was found in it.'),
});

const fileDetail = file
  .extend({
    permissions: objects('Who may do what with it.', {
      id: text('Id.'),
      roles: texts('read, write or owner.'),
      principalType: text('user, group, application or link.'),
      principalId: idToldBy('principalType', byPrincipal, 'Id of the principal.'),
      principalName: text('Name of the principal.'),
      isExternal: yesNo('Whether the principal is external.'),
      linkScope: text('Scope of the link.'),
      linkType: text('Kind of link.'),
      preventsDownload: yesNo('Whether the link prevents download.'),
      hasPassword: yesNo('Whether the link has a password.'),
      expiresAt: moment('When it ends.'),
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
      id: idToldBy('type', byKind, 'Id.'),
      name: text('Name.'),
      via: text('How.'),
    }),
    path: text('Path within its drive.'),
  })
  .meta({ id: 'FileDetail', description: 'A file with all that is known.' });

export const listFiles = list({
  ...everyEntityList,
  name: 'list_files',
  path: '/files',
  scope: 'files:read',
  summary: 'Files',
  description: `How sensitive files are, who and what can open them, whether they were shared outside or read by AI. ${listWords}`,
  guidance:
    'Files and documents: sensitivity label, sensitive content, sharing links, external access, readers, AI exposure. Use it to find overshared or leaked documents. Next: get_file, list_logs with resourceId.',
  textOfOthers: true,
  record: file,
  filters: {
    siteId: textsFilter('Site of the file.', 'contoso.example,5d2c7126-1370-44e7-a1f5-426573fda80a'),
    ownerId: textsFilter('Owner of the file.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11'),
    extension: textsFilter('Extension, lower case.', 'docx,xlsx'),
    sensitivityLabelId: textsFilter('Sensitivity label.', '1f0c6f3e-3b57-4a61-8d5a-1de0a4f7c2b9'),
    sensitiveInfoTypeId: textsFilter(
      'Kind of sensitive information in the file.',
      '50842eb7-edc8-4019-85dd-5a5c1f2bb085',
    ),
    sharingScope: choices(sharingScopes, 'Widest sharing.', 'anyone'),
    isRestricted: flag('Whether it holds information that was declared restricted.'),
    hasAnonymousLink: flag('Whether anyone with a link can open it.'),
    ...everyEntityFilters('name', 'budget'),
  },
  examples: [
    { words: 'Files anyone can open', input: { sharingScope: 'anyone' } },
    {
      words: 'Spreadsheets with restricted information that a link opens to anyone',
      input: { extension: 'xlsx', isRestricted: 'true', hasAnonymousLink: 'true' },
    },
  ],
});

export const getFile = get({
  name: 'get_file',
  path: '/files/{id}',
  scope: 'files:read',
  summary: 'One file',
  description: `By id, unique id of its list item, or address. ${getWords}`,
  guidance:
    'One file: owner, labels, sensitive content, sharing links, permissions, who and what read it. Next: list_logs with resourceId for who opened, downloaded or shared it.',
  textOfOthers: true,
  exampleId: '934dd7d4-4ddd-49aa-a39b-a8fc50ad57f8',
  record: fileDetail,
  examples: [],
});
