import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs } = said;
type Members = Readonly<Record<string, unknown>>;
const ago = (ms: number) => said.at(nowMs - ms);
const clientId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const people = [said.user('anna'), said.user('left', { accountEnabled: false })];

/** Apps of others, the first of which are so. */
const apps = (
  count: number,
  first: number,
  those: (index: number) => Members,
  others: Members = {},
  all: Members = {},
) =>
  many(count, (index) =>
    said.app(`app${index}`, { appId: clientId(index), ...all, ...(index < first ? those(index) : others) }),
  );
const bystanders = [
  said.app('microsofts', { appType: 'firstParty', isAiApp: true, delegatedPermissionCount: 0 }),
  said.app('own', { appType: 'tenantOwned', hasTenantWideReach: true, highPrivilegePermissionCount: 9 }),
  said.app('without-access', { isAiApp: true, delegatedPermissionCount: 0, hasTenantWideReach: false }),
  said.app('gone', { isAiApp: true, hasTenantWideReach: true, highPrivilegePermissionCount: 9 }),
  said.gone('app', 'gone'),
];

/** Somebody answers for the first, as an owner or by assignment; for the others nobody or one who left. */
const answered = (count: number, first: number) => [
  ...people,
  ...bystanders,
  ...apps(
    count,
    first,
    (index) => (index % 2 ? { owners: [{ id: 'anna' }] } : {}),
    { owners: [{ id: 'left' }] },
    { isAiApp: true },
  ),
  ...many(count, (index) => said.accountable('app', `app${index}`, index % 2 ? null : index < first ? 'anna' : 'left')),
];

/** AI apps that were used this month, as the log, an interaction or the directory tells; the first are decided about. */
const decided = (count: number, first: number) => [
  ...bystanders,
  ...apps(count, count, (index) => ({ isAiApp: true, lastSignInAt: index % 3 === 0 ? ago(30 * dayMs) : null })),
  ...many(count, (index) => {
    const usedMs = nowMs - 30 * dayMs + 1_000;
    return index % 3 === 1
      ? happened.appUse(clientId(index), 'anna', usedMs)
      : happened.interaction('anna', usedMs, index % 3 ? { clientId: clientId(index) } : {});
  }),
  ...many(count, (index) =>
    said.decision(
      'app',
      `app${index}`,
      index >= first ? 'reviewed' : ((['approved', 'restricted', 'blocked'] as const)[index % 3] ?? 'approved'),
      nowMs,
    ),
  ),
  said.app('idle', { isAiApp: true, appId: clientId(900), lastSignInAt: ago(30 * dayMs + 1) }),
  happened.appUse(clientId(900), 'anna', nowMs - 30 * dayMs - 1_000),
  said.app('no-ai', { appId: clientId(901) }),
  happened.appUse(clientId(901), 'anna', nowMs),
];

/** Licensed users whose nine events in ten came from managed devices; the last ones each lack something else. */
const assistants = (count: number, governed: number) => [
  said.device('laptop', { isManaged: true }),
  said.device('phone', { isManaged: false }),
  ...many(count, (index) =>
    said.user(`user${index}`, {
      hasCopilotLicense: true,
      mfaRegistered: index >= governed && index % 4 === 0 ? null : true,
    }),
  ),
  ...many(count, (index) => {
    const lack = index < governed ? null : index % 4;
    const from = (device: Members) => happened.fileEvent('FileAccessed', 'plan', `user${index}`, nowMs - dayMs, device);
    if (lack === 1) return [];
    if (lack === 2) return [from({}), from({ DeviceId: 'unheard-of' })];
    const unmanaged = lack === 3 ? 2 : 1;
    return [
      ...many(9, () => from(index % 2 ? { IsManagedDevice: true } : { DeviceId: 'LAPTOP' })),
      ...many(unmanaged, () => from(index % 2 ? { DeviceId: 'phone' } : { IsManagedDevice: false })),
      happened.fileEvent('FileAccessed', 'plan', `user${index}`, nowMs - 30 * dayMs - 1_000, {
        IsManagedDevice: false,
      }),
    ];
  }).flat(),
  said.user('unlicensed', { hasCopilotLicense: false, mfaRegistered: false }),
  said.user('left', { hasCopilotLicense: true, accountEnabled: false }),
];

const powerful = { hasTenantWideReach: true, highPrivilegePermissionCount: 2 };
/** Apps that reach everything, the first of publishers nobody verified and that nobody approved. */
const powers = (count: number, unverified: number) => [
  ...bystanders,
  ...apps(
    count,
    unverified,
    (index) => ({ isVerifiedPublisher: index % 2 ? false : null }),
    { isVerifiedPublisher: true },
    powerful,
  ),
  said.decision('app', 'app0', 'restricted', nowMs - dayMs),
  // Of whose privileges nothing is known.
  said.app('approved', { hasTenantWideReach: true, isVerifiedPublisher: false }),
  said.decision('app', 'approved', 'approved', nowMs - dayMs),
  said.app('harmless', { hasTenantWideReach: true, highPrivilegePermissionCount: 0 }),
  said.app('unknown', { hasTenantWideReach: null, highPrivilegePermissionCount: 3 }),
];

/** Old grants; the first were not used for 90 days. */
const grants = (count: number, unused: number) => [
  ...bystanders.filter((one) => !('id' in one && one.id === 'without-access')),
  ...apps(
    count,
    unused,
    (index) => ({ lastSignInAt: index % 2 ? ago(90 * dayMs + 1) : null }),
    {},
    { createdAt: ago(90 * dayMs) },
  ),
  ...many(count, (index) =>
    happened.appUse(clientId(index), 'anna', nowMs - 90 * dayMs + (index < unused ? -1_000 : 1_000)),
  ),
  said.app('new', { createdAt: ago(90 * dayMs - 1) }),
];

const complete = { purpose: 'Invoices', dataCategories: ['contact data'] };
const lacking: readonly Members[] = [
  { ...complete, purpose: ' ' },
  { ...complete, dataCategories: [] },
  complete,
  complete,
];
/** The register says everything of the first; of the others it lacks, by turns, a purpose, categories, a publisher or a person. */
const registered = (count: number, first: number) => [
  ...people,
  ...bystanders,
  ...many(count, (index) =>
    said.app(`app${index}`, {
      publisher: index >= first && index % 4 === 2 ? null : 'Fabrikam',
      owners: [{ id: index >= first && index % 4 === 3 ? 'left' : 'anna' }],
    }),
  ),
  ...many(count, (index) =>
    said.decision('app', `app${index}`, 'reviewed', nowMs, index < first ? complete : lacking[index % 4]),
  ),
];

testOutcomes(prefixesOf.apps, {
  'ai.apps.accountable': {
    met: { told: answered(20, 19), counts: { aiApps: 20, withAccountable: 19 } },
    at_risk: { told: answered(5, 4), counts: { aiApps: 5, withAccountable: 4 } },
    not_met: { told: answered(4, 3), counts: { aiApps: 4, withAccountable: 3 } },
    empty: { told: answered(0, 0), counts: { aiApps: 0 } },
  },
  'ai.apps.decision': {
    met: { told: decided(20, 19), counts: { aiAppsUsed: 20, decided: 19 } },
    at_risk: { told: decided(10, 7), counts: { aiAppsUsed: 10, decided: 7 } },
    not_met: { told: decided(3, 2), counts: { aiAppsUsed: 3, decided: 2 } },
    empty: { told: decided(0, 0), counts: { aiAppsUsed: 0 } },
  },
  'ai.copilot.governed_users': {
    met: { told: assistants(20, 19), counts: { licensedUsers: 20, governed: 19 } },
    at_risk: { told: assistants(20, 16), counts: { licensedUsers: 20, governed: 16 } },
    not_met: { told: assistants(4, 0), counts: { licensedUsers: 4, governed: 0 } },
    empty: { told: assistants(0, 0), counts: { licensedUsers: 0 } },
  },
  'iam.apps.unverified_high_privilege': {
    met: { told: powers(2, 0), counts: { privilegedApps: 3, unverified: 0 } },
    at_risk: { told: powers(9, 1), counts: { privilegedApps: 10, unverified: 1, unverifiedPct: 10 } },
    not_met: { told: powers(8, 1), counts: { privilegedApps: 9, unverified: 1 } },
    empty: {
      told: bystanders.concat(said.app('harmless', { hasTenantWideReach: false })),
      counts: { privilegedApps: 0 },
    },
    untold: { told: [said.app('unknown', { hasTenantWideReach: null })], counts: { privilegedApps: null } },
  },
  'iam.apps.unused_grants': {
    met: { told: grants(10, 1), counts: { apps: 10, unused: 1 } },
    at_risk: { told: grants(10, 3), counts: { apps: 10, unused: 3 } },
    not_met: { told: grants(3, 1), counts: { apps: 3, unused: 1 } },
    empty: { told: grants(0, 0), counts: { apps: 0 } },
  },
  'iam.apps.register_complete': {
    met: { told: registered(10, 9), counts: { apps: 10, complete: 9 } },
    at_risk: { told: registered(10, 6), counts: { apps: 10, complete: 6 } },
    not_met: { told: registered(8, 4), counts: { apps: 8, complete: 4 } },
    empty: { told: registered(0, 0), counts: { apps: 0 } },
  },
});
