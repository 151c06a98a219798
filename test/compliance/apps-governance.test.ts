import * as events from './events.ts';
import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs } = input;
type Members = Readonly<Record<string, unknown>>;
const ago = (ms: number) => input.at(nowMs - ms);
const clientId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const users = [input.user('anna'), input.user('left', { accountEnabled: false })];

/** Third-party apps; the first ones have the given properties. */
const apps = (
  count: number,
  first: number,
  those: (index: number) => Members,
  others: Members = {},
  all: Members = {},
) =>
  many(count, (index) =>
    input.app(`app${index}`, { appId: clientId(index), ...all, ...(index < first ? those(index) : others) }),
  );
const uncounted = [
  input.app('microsofts', { appType: 'firstParty', isAiApp: true, delegatedPermissionCount: 0 }),
  input.app('own', { appType: 'tenantOwned', hasTenantWideReach: true, highPrivilegePermissionCount: 9 }),
  input.app('without-access', { isAiApp: true, delegatedPermissionCount: 0, hasTenantWideReach: false }),
  input.app('gone', { isAiApp: true, hasTenantWideReach: true, highPrivilegePermissionCount: 9 }),
  input.deletedEntity('app', 'gone'),
];

/** The first ones have an owner or an assigned person; the others have no person or a departed user. */
const withOwner = (count: number, first: number) => [
  ...users,
  ...uncounted,
  ...apps(
    count,
    first,
    (index) => (index % 2 ? { owners: [{ id: 'anna' }] } : {}),
    { owners: [{ id: 'left' }] },
    { isAiApp: true },
  ),
  ...many(count, (index) =>
    input.accountable('app', `app${index}`, index % 2 ? null : index < first ? 'anna' : 'left'),
  ),
];

/** AI apps used this month according to the log, an interaction or the directory; the first ones have a decision. */
const decided = (count: number, first: number) => [
  ...uncounted,
  ...apps(count, count, (index) => ({ isAiApp: true, lastSignInAt: index % 3 === 0 ? ago(30 * dayMs) : null })),
  ...many(count, (index) => {
    const usedMs = nowMs - 30 * dayMs + 1_000;
    return index % 3 === 1
      ? events.appUse(clientId(index), 'anna', usedMs)
      : events.interaction('anna', usedMs, index % 3 ? { clientId: clientId(index) } : {});
  }),
  ...many(count, (index) =>
    input.decision(
      'app',
      `app${index}`,
      index >= first ? 'reviewed' : ((['approved', 'restricted', 'blocked'] as const)[index % 3] ?? 'approved'),
      nowMs,
    ),
  ),
  input.app('idle', { isAiApp: true, appId: clientId(900), lastSignInAt: ago(30 * dayMs + 1) }),
  events.appUse(clientId(900), 'anna', nowMs - 30 * dayMs - 1_000),
  input.app('no-ai', { appId: clientId(901) }),
  events.appUse(clientId(901), 'anna', nowMs),
];

/** Licensed users with nine of ten events from managed devices; each of the last ones lacks something, or its data are missing. */
const assistants = (count: number, governed: number, isReported = true) => [
  input.device('laptop', { isManaged: true }),
  input.device('phone', { isManaged: false }),
  ...many(count, (index) =>
    input.user(`user${index}`, {
      hasCopilotLicense: true,
      mfaRegistered: index >= governed && index % 4 === 0 ? (isReported ? false : null) : true,
    }),
  ),
  ...many(count, (index) => {
    const lack = index < governed ? null : isReported ? 3 : index % 4;
    const from = (device: Members) => events.fileEvent('FileAccessed', 'plan', `user${index}`, nowMs - dayMs, device);
    if (lack === 1) return [];
    if (lack === 2) return [from({}), from({ DeviceId: 'unheard-of' })];
    const unmanaged = lack === 3 ? 2 : 1;
    return [
      ...many(9, () => from(index % 2 ? { IsManagedDevice: true } : { DeviceId: 'LAPTOP' })),
      ...many(unmanaged, () => from(index % 2 ? { DeviceId: 'phone' } : { IsManagedDevice: false })),
      events.fileEvent('FileAccessed', 'plan', `user${index}`, nowMs - 30 * dayMs - 1_000, {
        IsManagedDevice: false,
      }),
    ];
  }).flat(),
  input.user('unlicensed', { hasCopilotLicense: false, mfaRegistered: false }),
  input.user('left', { hasCopilotLicense: true, accountEnabled: false }),
];

const powerful = { hasTenantWideReach: true, highPrivilegePermissionCount: 2 };
/** Apps with full access; the first ones have an unverified publisher and no approval. */
const powers = (count: number, unverified: number) => [
  ...uncounted,
  ...apps(count, unverified, () => ({ isVerifiedPublisher: false }), { isVerifiedPublisher: true }, powerful),
  input.decision('app', 'app0', 'restricted', nowMs - dayMs),
  // Their privileges are unknown.
  input.app('approved', { hasTenantWideReach: true, isVerifiedPublisher: false }),
  input.decision('app', 'approved', 'approved', nowMs - dayMs),
  input.app('harmless', { hasTenantWideReach: true, highPrivilegePermissionCount: 0 }),
];

/** Old grants; the first ones were not used for 90 days. */
const grants = (count: number, unused: number) => [
  ...uncounted.filter((one) => !('id' in one && one.id === 'without-access')),
  ...apps(
    count,
    unused,
    (index) => ({ lastSignInAt: index % 2 ? ago(90 * dayMs + 1) : null }),
    {},
    { createdAt: ago(90 * dayMs) },
  ),
  ...many(count, (index) =>
    events.appUse(clientId(index), 'anna', nowMs - 90 * dayMs + (index < unused ? -1_000 : 1_000)),
  ),
  input.app('new', { createdAt: ago(90 * dayMs - 1) }),
];

/** The log has the use of an app whose record arrives later, with its client id in the other case. */
const usedBeforeInventory = [
  ingestedAt(nowMs - dayMs, events.appUse('a0000000-0000-4000-8000-00000000000b', 'anna', nowMs - 2 * dayMs)),
  input.app('late', { appId: 'A0000000-0000-4000-8000-00000000000B', isAiApp: true }),
];

const complete = { purpose: 'Invoices', dataCategories: ['contact data'] };
const lacking: readonly Members[] = [
  { ...complete, purpose: ' ' },
  { ...complete, dataCategories: [] },
  complete,
  complete,
];
/** The register entry of the first ones is complete; the others lack a purpose, categories, a publisher or a person in rotation. */
const registered = (count: number, first: number) => [
  ...users,
  ...uncounted,
  ...many(count, (index) =>
    input.app(`app${index}`, {
      publisher: index >= first && index % 4 === 2 ? null : 'Fabrikam',
      owners: [{ id: index >= first && index % 4 === 3 ? 'left' : 'anna' }],
    }),
  ),
  ...many(count, (index) =>
    input.decision('app', `app${index}`, 'reviewed', nowMs, index < first ? complete : lacking[index % 4]),
  ),
];

testOutcomes(requirementPrefixes.apps, {
  'ai.apps.accountable': {
    met: { records: withOwner(20, 19), counts: { aiApps: 20, withAccountable: 19 } },
    at_risk: { records: withOwner(5, 4), counts: { aiApps: 5, withAccountable: 4 } },
    not_met: { records: withOwner(4, 3), counts: { aiApps: 4, withAccountable: 3 } },
    empty: { records: withOwner(0, 0), counts: { aiApps: 0 } },
  },
  'ai.apps.decision': {
    met: [
      { records: decided(20, 19), counts: { aiAppsUsed: 20, decided: 19 } },
      {
        // A review of an app that is blocked decides nothing.
        records: [
          input.app('app', { isAiApp: true, lastSignInAt: ago(dayMs) }),
          input.decision('app', 'app', 'blocked', nowMs - 2 * dayMs),
          input.decision('app', 'app', 'reviewed', nowMs - dayMs, {}, 'review'),
        ],
        counts: { aiAppsUsed: 1, decided: 1 },
      },
      {
        // Another decision under the same id is dated ahead: until then the first one is in force.
        records: [
          input.app('app', { isAiApp: true, lastSignInAt: ago(dayMs) }),
          ingestedAt(nowMs - 2 * dayMs, input.decision('app', 'app', 'approved', nowMs - 2 * dayMs)),
          ingestedAt(nowMs - dayMs, input.decision('app', 'app', 'reviewed', nowMs + 1)),
        ],
        counts: { aiAppsUsed: 1, decided: 1 },
      },
    ],
    at_risk: { records: decided(10, 7), counts: { aiAppsUsed: 10, decided: 7 } },
    not_met: [
      { records: decided(3, 2), counts: { aiAppsUsed: 3, decided: 2 } },
      { records: usedBeforeInventory, counts: { aiAppsUsed: 1, decided: 0 } },
      {
        // A decision replaces the one before it under its id, also where that was made later.
        records: [
          input.app('app', { isAiApp: true, lastSignInAt: ago(dayMs) }),
          ingestedAt(nowMs - 2 * dayMs, input.decision('app', 'app', 'approved', nowMs - 2 * dayMs)),
          ingestedAt(nowMs - dayMs, input.decision('app', 'app', 'reviewed', nowMs - 3 * dayMs)),
        ],
        counts: { aiAppsUsed: 1, decided: 0 },
      },
    ],
    empty: { records: decided(0, 0), counts: { aiAppsUsed: 0 } },
  },
  'ai.copilot.governed_users': {
    met: { records: assistants(20, 19), counts: { licensedUsers: 20, governed: 19 } },
    at_risk: { records: assistants(20, 16), counts: { licensedUsers: 20, governed: 16 } },
    not_met: { records: assistants(4, 0), counts: { licensedUsers: 4, governed: 0 } },
    empty: { records: assistants(0, 0), counts: { licensedUsers: 0 } },
    unknown: [
      { records: assistants(20, 17, false), counts: { licensedUsers: 20, governed: 17, unknown: 2 } },
      {
        // Users whose licences are not reported.
        records: [...assistants(20, 20), input.user('any1'), input.user('any2')],
        counts: { licensedUsers: 22, governed: 20, unknown: 2 },
      },
    ],
  },
  'iam.apps.unverified_high_privilege': {
    met: { records: powers(2, 0), counts: { privilegedApps: 3, unverified: 0 } },
    at_risk: { records: powers(9, 1), counts: { privilegedApps: 10, unverified: 1, unverifiedPct: 10 } },
    not_met: { records: powers(8, 1), counts: { privilegedApps: 9, unverified: 1 } },
    empty: {
      records: uncounted.concat(input.app('harmless', { hasTenantWideReach: false })),
      counts: { privilegedApps: 0 },
    },
    unknown: {
      // Whether a publisher is verified matters for an app that is not approved.
      records: [
        ...powers(8, 0),
        ...['unreported', 'approved-unreported'].map((id) => input.app(id, { ...powerful, isVerifiedPublisher: null })),
        input.decision('app', 'approved-unreported', 'approved', nowMs - dayMs),
      ],
      counts: { privilegedApps: 11, unverified: 1, unknown: 1 },
    },
    untold: { records: [input.app('unknown', { hasTenantWideReach: null })], counts: { privilegedApps: 1 } },
  },
  'iam.apps.unused_grants': {
    met: [
      { records: grants(10, 1), counts: { apps: 10, unused: 1 } },
      { records: usedBeforeInventory, counts: { apps: 1, unused: 0 } },
    ],
    at_risk: { records: grants(10, 3), counts: { apps: 10, unused: 3 } },
    not_met: { records: grants(3, 1), counts: { apps: 3, unused: 1 } },
    empty: { records: grants(0, 0), counts: { apps: 0 } },
  },
  'iam.apps.register_complete': {
    met: { records: registered(10, 9), counts: { apps: 10, complete: 9 } },
    at_risk: { records: registered(10, 6), counts: { apps: 10, complete: 6 } },
    not_met: { records: registered(8, 4), counts: { apps: 8, complete: 4 } },
    empty: { records: registered(0, 0), counts: { apps: 0 } },
  },
});
