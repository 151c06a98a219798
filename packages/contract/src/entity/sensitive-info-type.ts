import { get, list } from '../operation/operation.ts';
import { choices, flag } from '../parameter/parameter.ts';
import { idReference } from '../record/id-reference.ts';
import { count, nullableBoolean, object, objects, openEnum, reference, referenceTo, text, timestamp } from './field.ts';
import { entityFilters, entityGetNotes, entityListNotes, entityListOptions, entityRecord } from './record.ts';

const infoKinds = [
  'entity',
  'namedEntity',
  'fingerprint',
  'exactDataMatch',
  'trainableClassifier',
  'credential',
] as const;
const restrictionLevels = ['none', 'monitored', 'noAiAccess', 'noAccess'] as const;

const sensitiveInfoType = entityRecord('SensitiveInfoType', 'A kind of sensitive information.', {
  name: text('Name.'),
  description: text('Description.'),
  publisher: text('Publisher.'),
  isCustom: nullableBoolean('Whether the tenant defined it.'),
  kind: openEnum(infoKinds, 'How it is recognised:'),
  recommendedConfidence: count('Recommended confidence in percent.'),
  fileCount: count('Files that contain it.'),
  emailCount: count('Messages that contain it.'),
  instanceCount: count('Instances found.'),
  siteCount: count('Sites that contain it.'),
  exposedUserCount: count('Users who can read it.'),
  externalUserCount: count('External users who can read it.'),
  aiAppCount: count('AI apps that can read it.'),
  agentCount: count('Agents that can read it.'),
  protectedFileCount: count('Protected files that contain it.'),
  restrictionLevel: openEnum(restrictionLevels, 'Declared restriction:'),
  restrictedById: idReference('user', 'Id of who declared it.'),
  restrictedByName: text('Name of the person who declared it.'),
  restrictedAt: timestamp('Since when.'),
});

const sensitiveInfoTypeDetail = sensitiveInfoType
  .extend({
    topSites: objects('Sites with the most files that contain it.', {
      ...referenceTo('site'),
      fileCount: count('Files.'),
    }),
    labels: objects('Labels of files that contain it.', { ...reference, fileCount: count('Files.') }),
    restrictionHistory: objects('How it was restricted.', {
      event: text('declare, modify or lift.'),
      level: openEnum(restrictionLevels, 'Level:'),
      occurredAt: timestamp('When.'),
      actorId: idReference('user', 'Id of who did it.'),
      actorName: text('Name of the actor.'),
    }),
    readers: object('Readers since it was declared restricted.', {
      users: count('Users.'),
      externalUsers: count('External users.'),
      aiApps: count('AI apps.'),
      agents: count('Agents.'),
    }),
  })
  .meta({ id: 'SensitiveInfoTypeDetail', description: 'A kind of sensitive information in full.' });

export const listSensitiveInfoTypes = list({
  ...entityListOptions,
  name: 'list_sensitive_info_types',
  path: '/sensitive-info-types',
  scope: 'sensitive-info:read',
  summary: 'Sensitive information types',
  description: `Types of sensitive information with locations, reach of users and AI, and restrictions. ${entityListNotes}`,
  toolDescription:
    'Kinds of sensitive data (card numbers, health, personal ids): where they lie, who and which AI reaches them, restrictions. Next: list_files with sensitiveInfoTypeId.',
  containsUntrustedText: true,
  record: sensitiveInfoType,
  filters: {
    isCustom: flag('Whether the tenant defined it.'),
    restrictionLevel: choices(restrictionLevels, 'Declared restriction.', 'noAiAccess,noAccess'),
    hasExternalExposure: flag('Whether external users can read it.'),
    ...entityFilters('name', 'credit'),
  },
  examples: [
    {
      description: 'Restricted information that external users can read',
      input: { restrictionLevel: 'noAiAccess,noAccess', hasExternalExposure: 'true' },
    },
  ],
});

export const getSensitiveInfoType = get({
  name: 'get_sensitive_info_type',
  path: '/sensitive-info-types/{id}',
  scope: 'sensitive-info:read',
  summary: 'One sensitive information type',
  description: `Looked up by id. ${entityGetNotes}`,
  toolDescription: 'One kind of sensitive data: top sites, labels, readers, history of its restriction.',
  containsUntrustedText: true,
  exampleId: '50842eb7-edc8-4019-85dd-5a5c1f2bb085',
  record: sensitiveInfoTypeDetail,
  examples: [],
});
