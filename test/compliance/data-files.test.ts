import * as input from './input-records.ts';
import { many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs } = input;
const iban = { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }] };

/** Files that no share of sensitive files counts, however widely they are shared. */
const uncounted = [
  input.file('plain', { hasAnonymousLink: true, externalUserCount: 3 }),
  input.file('empty', { sensitiveInfoTypes: [], hasAnonymousLink: true }),
  input.file('gone', { ...iban, hasAnonymousLink: true, externalUserCount: 1 }),
  input.deletedEntity('file', 'gone'),
];
type Members = Readonly<Record<string, unknown>>;

/** Sensitive files; the first ones have the given properties. */
const files = (count: number, first: number, those: Members, others: Members = {}) => [
  ...uncounted,
  ...many(count, (index) => input.file(`file${index}`, { ...iban, ...(index < first ? those : others) })),
];

/** Sites with one sensitive file each; the first ones are open to everyone by site permissions or by a file link. */
const sites = (count: number, open: number) => [
  ...many(count, (index) => input.site(`Site${index}`, { everyoneAccess: index < open && index % 3 === 0 })),
  ...many(count, (index) =>
    input.file(`file${index}`, {
      ...iban,
      siteId: `site${index}`,
      hasOrganizationLink: index < open && index % 3 === 1,
      sharingScope: index < open && index % 3 === 2 ? 'anyone' : 'specificPeople',
    }),
  ),
  input.site('harmless', { everyoneAccess: true }),
  input.file('plain', { siteId: 'harmless', hasOrganizationLink: true }),
  input.site('closed', { everyoneAccess: true, sensitiveFileCount: 4 }),
  input.deletedEntity('site', 'closed'),
];
const silent = input.site('silent', { everyoneAccess: null, sensitiveFileCount: 4 });
/** A site that is not open by its permissions, with a sensitive file whose links are not reported. */
const unreportedLinks = [
  input.site('quiet', { everyoneAccess: false }),
  input.file('quiet-file', {
    ...iban,
    siteId: 'quiet',
    sharingScope: null,
    hasAnonymousLink: false,
    hasOrganizationLink: null,
  }),
];

/** Sites; the first ones have an active owner: by name, as an administrator or through their group. */
const owned = (count: number, first: number) => [
  input.user('anna'),
  input.user('left', { accountEnabled: false }),
  input.group('staff', { owners: [{ id: 'anna' }] }),
  input.group('orphans', { owners: [{ id: 'left' }] }),
  input.group('closed', { owners: [{ id: 'anna' }] }),
  input.deletedEntity('group', 'closed'),
  ...many(count, (index) => {
    const [owner, group] =
      index < first ? ['ANNA@contoso.example', 'staff'] : ['left', index % 2 ? 'orphans' : 'closed'];
    return input.site(
      `site${index}`,
      [{ ownerId: owner }, { ownerId: 'left', admins: [{ id: owner }] }, { groupId: group }][index % 3],
    );
  }),
  input.site('archive', { isArchived: true }),
  input.site('closed'),
  input.deletedEntity('site', 'closed'),
];

const scanned = (agoMs: number | null) =>
  input.sourceStatus('sensitive_info_types', agoMs === null ? null : nowMs - agoMs);

testOutcomes(requirementPrefixes.dataFiles, {
  'data.labels.coverage': {
    met: {
      records: files(5, 4, { sensitivityLabelName: 'Confidential' }),
      counts: { sensitiveFiles: 5, labeled: 4, labeledPct: 80 },
    },
    at_risk: { records: files(2, 1, { sensitivityLabelId: 'label' }), counts: { sensitiveFiles: 2, labeled: 1 } },
    not_met: {
      records: files(3, 1, { sensitivityLabelId: 'label' }),
      counts: { sensitiveFiles: 3, labeled: 1, labeledPct: 33.3 },
    },
    empty: { records: uncounted, counts: { sensitiveFiles: 0 } },
  },
  'data.links.anonymous': {
    met: {
      records: files(2, 1, { hasOrganizationLink: true }),
      counts: { sensitiveFiles: 2, anonymous: 0, anonymousPct: 0 },
    },
    at_risk: {
      records: files(100, 1, { hasAnonymousLink: true }),
      counts: { sensitiveFiles: 100, anonymous: 1, anonymousPct: 1 },
    },
    not_met: {
      records: files(99, 1, { hasAnonymousLink: null, sharingScope: 'anyone' }),
      counts: { sensitiveFiles: 99, anonymous: 1, anonymousPct: 1.1 },
    },
    empty: { records: uncounted, counts: { sensitiveFiles: 0 } },
    untold: { records: files(2, 2, { hasAnonymousLink: null, sharingScope: null }), counts: { sensitiveFiles: 2 } },
    unknown: {
      records: files(100, 1, { hasAnonymousLink: null, sharingScope: null }),
      counts: { sensitiveFiles: 100, anonymous: 1, unknown: 1 },
    },
    half: {
      records: files(100, 99, { hasAnonymousLink: null, sharingScope: null }),
      counts: { sensitiveFiles: 100, anonymous: 99, unknown: 99 },
    },
  },
  'data.sharing.external': {
    met: {
      records: files(20, 1, { externalUserCount: 2, externalUserIds: ['gus', 'GIA'] }, { externalUserCount: 0 }),
      counts: { sensitiveFiles: 20, external: 1, externalUsers: 2, externalPct: 5 },
    },
    at_risk: {
      records: files(20, 3, { externalUserCount: 1, externalUserIds: ['gus'] }),
      counts: { sensitiveFiles: 20, external: 3, externalUsers: 1 },
    },
    not_met: { records: files(6, 1, { externalUserCount: 9 }), counts: { sensitiveFiles: 6, external: 1 } },
    empty: { records: uncounted, counts: { sensitiveFiles: 0, externalUsers: 0 } },
    untold: { records: files(1, 1, { externalUserCount: null }), counts: { sensitiveFiles: 1 } },
  },
  'data.sites.overshared': {
    met: { records: sites(50, 1), counts: { sensitiveSites: 50, overshared: 1, oversharedPct: 2 } },
    at_risk: { records: sites(30, 3), counts: { sensitiveSites: 30, overshared: 3, oversharedPct: 10 } },
    not_met: { records: sites(9, 1), counts: { sensitiveSites: 9, overshared: 1 } },
    empty: {
      records: [input.site('harmless', { everyoneAccess: true }), input.file('plain', { siteId: 'harmless' })],
      counts: { sensitiveSites: 0 },
    },
    untold: { records: [...sites(0, 0), silent], counts: { sensitiveSites: 1 } },
    unknown: [
      { records: [...sites(20, 0), silent], counts: { sensitiveSites: 21, overshared: 1, unknown: 1 } },
      {
        records: [...sites(20, 0), ...unreportedLinks],
        counts: { sensitiveSites: 21, overshared: 1, unknown: 1 },
      },
    ],
  },
  'data.sites.owned': {
    met: [
      { records: owned(50, 49), counts: { sites: 50, owned: 49 } },
      {
        // GUIDs in upper case, as some producers write them.
        records: [
          input.user('anna'),
          input.group('ABCDEF00-0000-4000-8000-000000000001', { owners: [{ id: 'anna' }] }),
          input.site('finance', { groupId: 'ABCDEF00-0000-4000-8000-000000000001' }),
        ],
        counts: { sites: 1, owned: 1, unknown: 0 },
      },
    ],
    at_risk: { records: owned(10, 9), counts: { sites: 10, owned: 9 } },
    not_met: { records: owned(9, 8), counts: { sites: 9, owned: 8 } },
    empty: { records: owned(0, 0), counts: { sites: 0 } },
  },
  'data.inventory.fresh': {
    met: {
      records: [input.sensitiveInfoType('iban'), scanned(7 * dayMs)],
      counts: { typesTracked: 1, scanAgeDays: 7 },
    },
    at_risk: [
      { records: [input.sensitiveInfoType('iban'), scanned(7 * dayMs + 1)], counts: { scanAgeDays: 8 } },
      { records: [input.sensitiveInfoType('iban'), scanned(30 * dayMs)], counts: { scanAgeDays: 30 } },
      {
        // A scan that claims to end more than an hour ahead of now.
        records: [
          input.sensitiveInfoType('iban'),
          scanned(-input.hourMs - 1),
          input.sourceStatus('sensitiveInfoType', nowMs - 20 * dayMs),
        ],
        counts: { scanAgeDays: 20 },
      },
      {
        // The oldest one decides that is in use.
        records: [
          input.sensitiveInfoType('iban'),
          scanned(dayMs),
          input.sourceStatus('sensitive_info_types/purview', nowMs - 21 * dayMs),
          input.sourceStatus('sensitive_info_types/old', nowMs - 90 * dayMs, { enabled: false }),
          input.sourceStatus('sensitive_info_types/never', nowMs - 90 * dayMs, { licensed: false }),
        ],
        counts: { scanAgeDays: 21 },
      },
    ],
    not_met: { records: [input.sensitiveInfoType('iban'), scanned(30 * dayMs + 1)], counts: { scanAgeDays: 31 } },
    empty: {
      records: [input.sensitiveInfoType('iban'), input.deletedEntity('sensitiveInfoType', 'iban')],
      counts: { typesTracked: 0 },
    },
    untold: {
      // A scan that is disabled finds nothing new.
      records: [input.sensitiveInfoType('iban'), input.sourceStatus('sensitive_info_types', nowMs, { enabled: false })],
      counts: { typesTracked: 1, scanAgeDays: null },
    },
  },
});
