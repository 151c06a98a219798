import { idOf } from '../id-of.ts';
import { get, list } from '../operation.ts';
import { choices, flag } from '../parameter.ts';
import { count, moment, object, objects, reference, referenceTo, text, word, yesNo } from './field.ts';
import { entityRecord, everyEntityFilters, everyEntityList, getWords, listWords } from './record.ts';

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
  isCustom: yesNo('Whether the tenant made it.'),
  kind: word(infoKinds, 'How it is recognised:'),
  recommendedConfidence: count('Recommended confidence in percent.'),
  fileCount: count('Files that hold it.'),
  emailCount: count('Messages that hold it.'),
  instanceCount: count('Instances found.'),
  siteCount: count('Sites that hold it.'),
  exposedUserCount: count('Users who can read it.'),
  externalUserCount: count('External users who can read it.'),
  aiAppCount: count('AI apps that can read it.'),
  agentCount: count('Agents that can read it.'),
  protectedFileCount: count('Files that hold it and are protected.'),
  restrictionLevel: word(restrictionLevels, 'Declared restriction:'),
  restrictedById: idOf('user', 'Id of who declared it.'),
  restrictedByName: text('Who declared it.'),
  restrictedAt: moment('Since when.'),
});

const sensitiveInfoTypeDetail = sensitiveInfoType
  .extend({
    topSites: objects('Sites that hold the most of it.', { ...referenceTo('site'), fileCount: count('Files.') }),
    labels: objects('Labels on files that hold it.', { ...reference, fileCount: count('Files.') }),
    restrictionHistory: objects('How it was restricted.', {
      event: text('declare, modify or lift.'),
      level: word(restrictionLevels, 'Level:'),
      occurredAt: moment('When.'),
      actorId: idOf('user', 'Id of who did it.'),
      actorName: text('Who did it.'),
    }),
    readers: object('Readers since it was declared restricted.', {
      users: count('Users.'),
      externalUsers: count('External users.'),
      aiApps: count('AI apps.'),
      agents: count('Agents.'),
    }),
  })
  .meta({ id: 'SensitiveInfoTypeDetail', description: 'A kind of sensitive information with all that is known.' });

export const listSensitiveInfoTypes = list({
  ...everyEntityList,
  name: 'list_sensitive_info_types',
  path: '/sensitive-info-types',
  scope: 'sensitive-info:read',
  summary: 'Sensitive information types',
  description: `Where each kind of sensitive information lies, who and which AI can reach it, whether it is restricted. ${listWords}`,
  guidance:
    'Kinds of sensitive data (card numbers, health, personal ids): where they lie, who and which AI reaches them, restrictions. Next: list_files with sensitiveInfoTypeId.',
  textOfOthers: true,
  record: sensitiveInfoType,
  filters: {
    isCustom: flag('Whether the tenant made it.'),
    restrictionLevel: choices(restrictionLevels, 'Declared restriction.', 'noAiAccess,noAccess'),
    hasExternalExposure: flag('Whether external users can read it.'),
    ...everyEntityFilters('name', 'credit'),
  },
  examples: [
    {
      words: 'Restricted information that external users can read',
      input: { restrictionLevel: 'noAiAccess,noAccess', hasExternalExposure: 'true' },
    },
  ],
});

export const getSensitiveInfoType = get({
  name: 'get_sensitive_info_type',
  path: '/sensitive-info-types/{id}',
  scope: 'sensitive-info:read',
  summary: 'One sensitive information type',
  description: `By id. ${getWords}`,
  guidance: 'One kind of sensitive data: top sites, labels, readers, history of its restriction.',
  textOfOthers: true,
  exampleId: '50842eb7-edc8-4019-85dd-5a5c1f2bb085',
  record: sensitiveInfoTypeDetail,
  examples: [],
});
