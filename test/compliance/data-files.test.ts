import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs } = said;
const iban = { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }] };

/** Files that count in no share of sensitive ones, whatever they are open to. */
const bystanders = [
  said.file('plain', { hasAnonymousLink: true, externalUserCount: 3 }),
  said.file('empty', { sensitiveInfoTypes: [], hasAnonymousLink: true }),
  said.file('gone', { ...iban, hasAnonymousLink: true, externalUserCount: 1 }),
  said.gone('file', 'gone'),
];
type Members = Readonly<Record<string, unknown>>;

/** So many sensitive files, the first of which are so. */
const files = (count: number, first: number, those: Members, others: Members = {}) => [
  ...bystanders,
  ...many(count, (index) => said.file(`file${index}`, { ...iban, ...(index < first ? those : others) })),
];

/** Sites with a sensitive file each, the first open to everybody: by their own rights or by a link of a file. */
const sites = (count: number, open: number) => [
  ...many(count, (index) => said.site(`Site${index}`, { everyoneAccess: index < open && index % 3 === 0 })),
  ...many(count, (index) =>
    said.file(`file${index}`, {
      ...iban,
      siteId: `site${index}`,
      hasOrganizationLink: index < open && index % 3 === 1,
      sharingScope: index < open && index % 3 === 2 ? 'anyone' : 'specificPeople',
    }),
  ),
  said.site('harmless', { everyoneAccess: true }),
  said.file('plain', { siteId: 'harmless', hasOrganizationLink: true }),
  said.site('closed', { everyoneAccess: true, sensitiveFileCount: 4 }),
  said.gone('site', 'closed'),
  said.site('silent', { everyoneAccess: null, sensitiveFileCount: 4 }),
];

/** Sites of which the first have an owner that is there: by name, as an administrator, or through their group. */
const owned = (count: number, first: number) => [
  said.user('anna'),
  said.user('left', { accountEnabled: false }),
  said.group('staff', { owners: [{ id: 'anna' }] }),
  said.group('orphans', { owners: [{ id: 'left' }] }),
  said.group('closed', { owners: [{ id: 'anna' }] }),
  said.gone('group', 'closed'),
  ...many(count, (index) => {
    const [owner, group] =
      index < first ? ['ANNA@contoso.example', 'staff'] : ['left', index % 2 ? 'orphans' : 'closed'];
    return said.site(
      `site${index}`,
      [{ ownerId: owner }, { ownerId: 'left', admins: [{ id: owner }] }, { groupId: group }][index % 3],
    );
  }),
  said.site('archive', { isArchived: true }),
  said.site('closed'),
  said.gone('site', 'closed'),
];

const scanned = (agoMs: number | null) =>
  said.sourceStatus('sensitive_info_types', agoMs === null ? null : nowMs - agoMs);

testOutcomes(prefixesOf.dataFiles, {
  'data.labels.coverage': {
    met: {
      told: files(5, 4, { sensitivityLabelName: 'Confidential' }),
      counts: { sensitiveFiles: 5, labeled: 4, labeledPct: 80 },
    },
    at_risk: { told: files(2, 1, { sensitivityLabelId: 'label' }), counts: { sensitiveFiles: 2, labeled: 1 } },
    not_met: {
      told: files(3, 1, { sensitivityLabelId: 'label' }),
      counts: { sensitiveFiles: 3, labeled: 1, labeledPct: 33.3 },
    },
    empty: { told: bystanders, counts: { sensitiveFiles: 0 } },
  },
  'data.links.anonymous': {
    met: {
      told: [
        ...files(2, 1, { hasOrganizationLink: true }),
        said.file('silent', { ...iban, hasAnonymousLink: null, sharingScope: null }),
      ],
      counts: { sensitiveFiles: 2, anonymous: 0, anonymousPct: 0 },
    },
    at_risk: {
      told: files(100, 1, { hasAnonymousLink: true }),
      counts: { sensitiveFiles: 100, anonymous: 1, anonymousPct: 1 },
    },
    not_met: {
      told: files(99, 1, { hasAnonymousLink: null, sharingScope: 'anyone' }),
      counts: { sensitiveFiles: 99, anonymous: 1, anonymousPct: 1.1 },
    },
    empty: { told: bystanders, counts: { sensitiveFiles: 0 } },
    untold: { told: files(2, 2, { hasAnonymousLink: null, sharingScope: null }), counts: { sensitiveFiles: null } },
  },
  'data.sharing.external': {
    met: {
      told: files(20, 1, { externalUserCount: 2, externalUserIds: ['gus', 'GIA'] }, { externalUserCount: 0 }),
      counts: { sensitiveFiles: 20, external: 1, externalUsers: 2, externalPct: 5 },
    },
    at_risk: {
      told: files(20, 3, { externalUserCount: 1, externalUserIds: ['gus'] }),
      counts: { sensitiveFiles: 20, external: 3, externalUsers: 1 },
    },
    not_met: { told: files(6, 1, { externalUserCount: 9 }), counts: { sensitiveFiles: 6, external: 1 } },
    empty: { told: bystanders, counts: { sensitiveFiles: 0, externalUsers: 0 } },
    untold: { told: files(1, 1, { externalUserCount: null }), counts: { sensitiveFiles: null } },
  },
  'data.sites.overshared': {
    met: { told: sites(50, 1), counts: { sensitiveSites: 50, overshared: 1, oversharedPct: 2 } },
    at_risk: { told: sites(30, 3), counts: { sensitiveSites: 30, overshared: 3, oversharedPct: 10 } },
    not_met: { told: sites(9, 1), counts: { sensitiveSites: 9, overshared: 1 } },
    empty: {
      told: [said.site('harmless', { everyoneAccess: true }), said.file('plain', { siteId: 'harmless' })],
      counts: { sensitiveSites: 0 },
    },
    untold: { told: sites(0, 0), counts: { sensitiveSites: null } },
  },
  'data.sites.owned': {
    met: { told: owned(50, 49), counts: { sites: 50, owned: 49 } },
    at_risk: { told: owned(10, 9), counts: { sites: 10, owned: 9 } },
    not_met: { told: owned(9, 8), counts: { sites: 9, owned: 8 } },
    empty: { told: owned(0, 0), counts: { sites: 0 } },
  },
  'data.inventory.fresh': {
    met: { told: [said.sensitiveInfoType('iban'), scanned(7 * dayMs)], counts: { typesTracked: 1, scanAgeDays: 7 } },
    at_risk: [
      { told: [said.sensitiveInfoType('iban'), scanned(7 * dayMs + 1)], counts: { scanAgeDays: 8 } },
      { told: [said.sensitiveInfoType('iban'), scanned(30 * dayMs)], counts: { scanAgeDays: 30 } },
    ],
    not_met: { told: [said.sensitiveInfoType('iban'), scanned(30 * dayMs + 1)], counts: { scanAgeDays: 31 } },
    empty: {
      told: [said.sensitiveInfoType('iban'), said.gone('sensitiveInfoType', 'iban')],
      counts: { typesTracked: 0 },
    },
  },
});
