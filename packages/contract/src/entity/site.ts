import { byPrincipal, idOf, idToldBy } from '../id-of.ts';
import { get, list } from '../operation.ts';
import { choices, flag } from '../parameter.ts';
import { count, moment, objects, reference, referenceTo, text, texts, word, yesNo } from './field.ts';
import { entityRecord, everyEntityFilters, everyEntityList, getWords, listWords } from './record.ts';

const siteTypes = ['team', 'communication', 'personal', 'channel', 'hub', 'other'] as const;
const sharingCapabilities = ['disabled', 'existingGuests', 'newAndExistingGuests', 'anyone'] as const;

const site = entityRecord('Site', 'A SharePoint site or a OneDrive.', {
  displayName: text('Display name.'),
  webUrl: text('Address.'),
  siteType: word(siteTypes, 'Kind of site:'),
  ownerId: idOf('user', 'Id of its owner.'),
  ownerName: text('Name of its owner.'),
  groupId: idOf('group', 'Id of its group.'),
  storageUsedBytes: count('Storage used, in bytes.'),
  storageQuotaBytes: count('Storage allowed, in bytes.'),
  fileCount: count('Files.'),
  sensitiveFileCount: count('Files with sensitive information.'),
  labeledFileCount: count('Files with a sensitivity label.'),
  externalSharing: word(sharingCapabilities, 'How far it may be shared:'),
  anonymousLinkCount: count('Links that anyone can open.'),
  externalUserCount: count('External users who can open it.'),
  everyoneAccess: yesNo('Whether everyone in the organization can open it.'),
  sensitivityLabelName: text('Its sensitivity label.'),
  isArchived: yesNo('Whether it is archived.'),
  isExcludedFromAi: yesNo('Whether AI is kept from discovering it.'),
  isAccessRestricted: yesNo('Whether access is restricted to a group.'),
  agentCount: count('Agents.'),
  lastActivityAt: moment('Last activity.'),
});

const siteDetail = site
  .extend({
    admins: objects('Administrators.', referenceTo('user')),
    drives: objects('Drives.', { ...reference, driveType: text('Kind of drive.') }),
    permissions: objects('Who may do what with it.', {
      id: text('Id.'),
      roles: texts('Roles.'),
      principalType: text('Kind of principal.'),
      principalId: idToldBy('principalType', byPrincipal, 'Id of the principal.'),
      principalName: text('Name of the principal.'),
    }),
    topSensitiveFiles: objects('Files with the most sensitive information.', referenceTo('file')),
    sharingLinks: objects('Sharing links by scope.', { scope: text('Scope.'), count: count('Links.') }),
    agents: objects('Agents.', referenceTo('agent')),
  })
  .meta({ id: 'SiteDetail', description: 'A site with all that is known.' });

export const listSites = list({
  ...everyEntityList,
  name: 'list_sites',
  path: '/sites',
  scope: 'sites:read',
  summary: 'Sites',
  description: `How far sites may be shared, who runs them, how much sensitive content they hold, whether they are shielded from AI. ${listWords}`,
  guidance:
    'SharePoint sites: external sharing setting, access for everyone, owners, sensitive content, exposure to AI. Next: get_site, list_files with siteId.',
  textOfOthers: true,
  record: site,
  filters: {
    siteType: choices(siteTypes, 'Kind of site.', 'team'),
    externalSharing: choices(sharingCapabilities, 'How far it may be shared.', 'anyone'),
    everyoneAccess: flag('Whether everyone in the organization can open it.'),
    isExcludedFromAi: flag('Whether AI is kept from discovering it.', 'false'),
    hasNoOwner: flag('Whether no owner is known.'),
    ...everyEntityFilters('display name', 'finance'),
  },
  examples: [
    {
      words: 'Sites open to everyone that AI can discover',
      input: { everyoneAccess: 'true', isExcludedFromAi: 'false' },
    },
    { words: 'Sites that may be shared with anyone', input: { externalSharing: 'anyone' } },
  ],
});

export const getSite = get({
  name: 'get_site',
  path: '/sites/{id}',
  scope: 'sites:read',
  summary: 'One site',
  description: `By id, GUID of the site collection, or address. ${getWords}`,
  guidance: 'One site: administrators, sharing policy, sharing links, sensitive content.',
  textOfOthers: true,
  exampleId: '0869ccdb-861d-4807-acde-8cccd994167f',
  record: siteDetail,
  examples: [],
});
