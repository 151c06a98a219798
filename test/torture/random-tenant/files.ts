import * as events from '../../compliance/events.ts';
import * as input from '../../compliance/input-records.ts';
import { type Chooser, count, dayMs, hourMs, type Maybe, nowMs, type Part, times } from './part.ts';

const createFile = (choose: Chooser) => ({
  hasAnonymousLink: choose.maybe(false),
  hasOrganizationLink: choose.maybe(false),
  sharingScope: null,
  externalUserCount: choose.optional([...times(20).map(() => 0), 2]),
  sensitivityLabelName: choose.pick([null, 'Secret', 'Secret', 'Secret']),
  isProtected: choose.maybe(true),
  aiAppReachCount: choose.optional([0, 1]),
  agentReachCount: null,
  siteId: choose.pick(['s0', 's1', 's2', 's3']),
});

type File = ReturnType<typeof createFile>;

/** The file of which `createRestrictedReads` has reads. */
const plan: File = {
  hasAnonymousLink: false,
  hasOrganizationLink: false,
  sharingScope: null,
  externalUserCount: 0,
  sensitivityLabelName: null,
  isProtected: false,
  aiAppReachCount: 0,
  agentReachCount: null,
  siteId: 'elsewhere',
};

/** Sensitive files, and the sites that they are in. */
export function createFiles(choose: Chooser): Part {
  const files = [plan, ...times(choose.size).map(() => createFile(choose))];
  const inReach = files.filter((one) => one.aiAppReachCount !== 0);
  const isUnknownInReach = (one: File) =>
    one.aiAppReachCount === null || (one.sensitivityLabelName !== null && one.isProtected === null);
  const isOpen = (one: File): Maybe => {
    if (one.hasAnonymousLink || one.hasOrganizationLink) return true;
    return one.hasAnonymousLink === null || one.hasOrganizationLink === null ? null : false;
  };
  const sites = times(4).map((index) => {
    const open = files.filter(({ siteId }) => siteId === `s${index}`).map(isOpen);
    const everyoneAccess = choose.maybe(false);
    const isOvershared = [everyoneAccess, ...open].includes(true);
    const isUnknown = !isOvershared && [everyoneAccess, ...open].includes(null);
    return { everyoneAccess, isSensitive: open.length > 0, isOvershared, isUnknown };
  });
  const sensitive = sites.filter(({ isSensitive }) => isSensitive);
  const toRecord = (one: File, index: number) =>
    input.file(one === plan ? 'plan' : `f${index}`, {
      ...one,
      sensitiveInfoTypes: [{ id: one === plan ? 'payroll' : 'cards' }],
    });
  return {
    written: {
      files: files.map(toRecord),
      sites: sites.map(({ everyoneAccess }, index) => input.site(`s${index}`, { everyoneAccess })),
    },
    counts: {
      'data.links.anonymous': {
        sensitiveFiles: files.length,
        anonymous: count(files, (one) => one.hasAnonymousLink !== false),
        unknown: count(files, (one) => one.hasAnonymousLink === null),
      },
      'data.sharing.external': {
        sensitiveFiles: files.length,
        external: count(files, (one) => one.externalUserCount !== 0),
        unknown: count(files, (one) => one.externalUserCount === null),
      },
      'data.labels.coverage': {
        sensitiveFiles: files.length,
        labeled: count(files, (one) => one.sensitivityLabelName !== null),
        unknown: 0,
      },
      'ai.data.sensitive_reach_protected': {
        sensitiveInReach: inReach.length,
        unprotected: count(inReach, (one) => isUnknownInReach(one) || one.isProtected !== true),
        unknown: count(inReach, isUnknownInReach),
      },
      'data.sites.overshared': {
        sensitiveSites: sensitive.length,
        overshared: count(sensitive, (one) => one.isOvershared || one.isUnknown),
        unknown: count(sensitive, (one) => one.isUnknown),
      },
    },
  };
}

const appId = (number: number) => `${number}0000000-0000-4000-8000-000000000000`;
/** Who read the restricted file, and whether that is AI. */
const readers: readonly { readonly isAi: Maybe; read(occurredMs: number): input.InputRecord }[] = [
  { isAi: false, read: (ms) => events.fileEvent('FileAccessed', 'plan', 'anna', ms) },
  { isAi: false, read: (ms) => events.fileEvent('FileAccessed', 'plan', 'anna', ms, { ApplicationId: appId(1) }) },
  { isAi: true, read: (ms) => events.fileEvent('FileAccessed', 'plan', 'anna', ms, { ApplicationId: appId(2) }) },
  { isAi: null, read: (ms) => events.fileEvent('FileAccessed', 'plan', 'anna', ms, { ApplicationId: appId(3) }) },
  // The inventory does not have this app.
  { isAi: null, read: (ms) => events.fileEvent('FileAccessed', 'plan', 'anna', ms, { ApplicationId: appId(4) }) },
  {
    isAi: true,
    read: (ms) => events.interaction('anna', ms, { resources: [{ listItemUniqueId: 'plan', Type: 'docx' }] }),
  },
];

/** Reads of a file since and before its restriction, by users, assistants and programs. */
export function createRestrictedReads(choose: Chooser): Part {
  const level = choose.pick(['monitored', 'noAiAccess', 'noAccess'] as const);
  const declaredMs = nowMs - 10 * dayMs;
  const likely = choose.pick([[0], [0, 1], [0, 1], [3], [4], [0, 2], [0, 1, 2, 3, 4, 5]]);
  const reads = times(choose.pick([0, 0, 1, 4])).map(() => ({
    atMs: nowMs - choose.pick([2, 20, 100, 230, 250, 800]) * hourMs,
    reader: readers[choose.pick(likely)] as (typeof readers)[number],
  }));
  const restricted = reads.filter(({ atMs }) => atMs >= declaredMs);
  const ofInteractions = reads.filter(({ reader }) => reader === readers[5]);
  const write = (some: typeof reads) => some.map(({ atMs, reader }) => reader.read(atMs));
  return {
    written: {
      data_restrictions: [input.restriction('r1', 'payroll', level, declaredMs)],
      apps: [false, true, null].map((isAiApp, index) =>
        input.app(`app${index + 1}`, { appId: appId(index + 1), isAiApp, hasTenantWideReach: false }),
      ),
      'logs/Audit.SharePoint': write(reads.filter((one) => !ofInteractions.includes(one))),
      'logs/Audit.General': write(ofInteractions),
    },
    counts: {
      'ai.data.no_ai_reads_of_restricted': {
        restrictionsNoAi: level === 'monitored' ? 0 : 1,
        aiReads: level === 'monitored' ? 0 : count(restricted, ({ reader }) => reader.isAi !== false),
        unknown: level === 'monitored' ? 0 : count(restricted, ({ reader }) => reader.isAi === null),
      },
      'ai.data.restriction_no_access_violations': {
        restrictionsNoAccess: level === 'noAccess' ? 1 : 0,
        reads: level === 'noAccess' ? restricted.length : 0,
        externalReads: 0,
        unknown: 0,
      },
    },
    newestEventMs: Math.max(0, ...reads.map(({ atMs }) => atMs)),
  };
}
