import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { type Account, anyName, isInUse } from './accounts.ts';
import { ago, type Chooser, count, decisionInForce, guid, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs } = input;

function createApp(choose: Chooser, users: readonly Account[], index: number) {
  return {
    index,
    id: choose.pick([guid('d', index), `0oa${index}XYZ`]),
    appId: guid('e', index),
    appType: choose.pick(['thirdParty', 'thirdParty', 'firstParty', 'tenantOwned', undefined]),
    isAiApp: choose.pick([true, true, false, undefined]),
    hasAccess: choose.pick([true, true, false, undefined]),
    owners: choose.optional(
      choose.several([0, 1, 2], () => ({ id: anyName(choose, users) })),
      40,
    ),
    accountable: choose.happens(30) ? anyName(choose, users) : null,
    hasTenantWideReach: choose.maybe(),
    highPrivilegePermissionCount: choose.pick([undefined, 0, 2, 2]),
    isVerifiedPublisher: choose.maybe(),
    publisher: choose.pick(['Fabrikam', ' ', undefined]),
    signedInAgeMs: choose.pick([null, choose.near(30), choose.near(90)]),
    usedAgeMs: choose.pick([null, null, choose.near(30), choose.near(90)]),
    createdAgeMs: choose.pick([null, choose.near(90), choose.near(400)]),
    // The log may name an app before the inventory does.
    seenAgeMs: choose.pick([200, 0.5]) * dayMs,
    isDeleted: choose.happens(10),
    decisions: choose.several([0, 1, 2], (number) => ({
      outcome: choose.pick(['approved', 'accepted', 'reviewed', 'blocked', 'restricted'] as const),
      ageMs: choose.pick([10, 20, -1]) * dayMs + number,
      writtenAgeMs: choose.pick([9, 8]) * dayMs,
      purpose: choose.pick(['Invoices', ' ', undefined]),
      dataCategories: choose.pick([['contact data'], [], undefined]),
    })),
  };
}
type App = ReturnType<typeof createApp>;

function sendApp(choose: Chooser, one: App): Sent[] {
  const anyOwnName = () => choose.inAnyCase(choose.pick([one.id, one.appId]));
  const record = input.app(one.id, {
    appId: one.appId,
    appType: one.appType,
    isAiApp: one.isAiApp,
    delegatedPermissionCount: one.hasAccess === undefined ? undefined : one.hasAccess ? 2 : 0,
    applicationPermissionCount: one.hasAccess === undefined ? undefined : 0,
    owners: one.owners,
    publisher: one.publisher,
    hasTenantWideReach: one.hasTenantWideReach,
    highPrivilegePermissionCount: one.highPrivilegePermissionCount,
    isVerifiedPublisher: one.isVerifiedPublisher,
    lastSignInAt: ago(one.signedInAgeMs),
    createdAt: ago(one.createdAgeMs),
  });
  const used = one.usedAgeMs ?? 0;
  return [
    ...send(one.seenAgeMs, record),
    ...(one.accountable === null ? [] : send(0.4 * dayMs, input.accountable('app', one.id, one.accountable))),
    ...(one.usedAgeMs === null ? [] : send(used, events.appUse(choose.inAnyCase(one.appId), 'anna', nowMs - used))),
    ...one.decisions.flatMap(({ outcome, ageMs, writtenAgeMs, ...more }, number) =>
      send(
        writtenAgeMs,
        input.decision('app', anyOwnName(), outcome, nowMs - ageMs, more, `app${one.index}-${number}`),
      ),
    ),
    ...(one.isDeleted ? send(0.1 * dayMs, input.deletedEntity('app', one.id)) : []),
  ];
}

const decisionOf = (one: App) => decisionInForce(one.decisions);
const lastUsedAgeMs = ({ signedInAgeMs, usedAgeMs }: App) =>
  Math.min(signedInAgeMs ?? Number.POSITIVE_INFINITY, usedAgeMs ?? Number.POSITIVE_INFINITY);

/** Apps with their owners, decisions and use. */
export function createApps(choose: Chooser, users: readonly Account[]): Part {
  const apps = choose.several([1, 4, 12], (index) => createApp(choose, users, index));
  const existing = apps.filter((one) => !one.isDeleted);
  const hasAccountable = ({ owners = [], accountable }: App) =>
    [...owners.map(({ id }) => id), accountable].some((name) => isInUse(users, name));
  const ofAi = existing.filter((one) => one.isAiApp !== false && one.hasAccess !== false);
  const ofAiInUse = existing.filter((one) => one.isAiApp !== false && lastUsedAgeMs(one) <= 30 * dayMs);
  const foreign = existing.filter(
    (one) => (one.appType === 'thirdParty' || one.appType === undefined) && one.hasAccess !== false,
  );
  const old = foreign.filter((one) => one.createdAgeMs === null || one.createdAgeMs >= 90 * dayMs);
  const isUnknown = (one: App) => one.appType === undefined || one.hasAccess === undefined;
  // With unknown privileges it counts as highly privileged.
  const privileged = foreign.filter(
    (one) => one.hasTenantWideReach !== false && one.highPrivilegePermissionCount !== 0,
  );
  const isApproved = (one: App) => ['approved', 'accepted'].includes(decisionOf(one)?.outcome ?? '');
  const isUnknownPrivilege = (one: App) =>
    isUnknown(one) ||
    one.hasTenantWideReach === undefined ||
    (one.isVerifiedPublisher === undefined && !isApproved(one));
  const isDescribed = (one: App) =>
    one.publisher?.trim() && decisionOf(one)?.purpose?.trim() && decisionOf(one)?.dataCategories?.length;
  return {
    sent: apps.flatMap((one) => sendApp(choose, one)),
    counts: {
      'ai.apps.accountable': {
        aiApps: ofAi.length,
        withAccountable: count(ofAi, (one) => one.isAiApp && one.hasAccess && hasAccountable(one)),
        unknown: count(ofAi, (one) => one.isAiApp === undefined || one.hasAccess === undefined),
      },
      'ai.apps.decision': {
        aiAppsUsed: ofAiInUse.length,
        decided: count(
          ofAiInUse,
          (one) => one.isAiApp && ['approved', 'restricted', 'blocked'].includes(decisionOf(one)?.outcome ?? ''),
        ),
        unknown: count(ofAiInUse, (one) => one.isAiApp === undefined),
      },
      'iam.apps.unverified_high_privilege': {
        privilegedApps: privileged.length,
        unverified: count(
          privileged,
          (one) => isUnknownPrivilege(one) || (one.isVerifiedPublisher !== true && !isApproved(one)),
        ),
        unknown: count(privileged, isUnknownPrivilege),
      },
      'iam.apps.unused_grants': {
        apps: old.length,
        unused: count(old, (one) => isUnknown(one) || lastUsedAgeMs(one) > 90 * dayMs),
        unknown: count(old, isUnknown),
      },
      'iam.apps.register_complete': {
        apps: foreign.length,
        complete: count(foreign, (one) => !isUnknown(one) && hasAccountable(one) && isDescribed(one)),
        unknown: count(foreign, isUnknown),
      },
    },
  };
}
