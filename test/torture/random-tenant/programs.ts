import * as input from '../../compliance/input-records.ts';
import type { User } from './accounts.ts';
import { type Chooser, count, daysAgo, type Part, times } from './part.ts';

const createAgent = (choose: Chooser, users: readonly User[]) => ({
  lifecycleStatus: choose.optional(['deployed', 'deployed', 'deployed', 'published', 'blocked']),
  isBlocked: choose.maybe(false),
  authentication: choose.optional([...times(20).map(() => 'microsoft'), 'none']),
  availableTo: choose.optional(['some', 'some', 'some', 'some', 'all']),
  deployedTo: choose.pick(['some', 'none']),
  publisherType: choose.optional(['custom', 'custom', 'microsoft', 'external']),
  owners: choose.optional([[], ...users.slice(0, 3).map((_, index) => [{ id: `u${index}` }])]),
  riskLevel: choose.pick([null, 'low', 'high']),
  riskState: choose.pick([null, 'atRisk', 'remediated']),
  riskUpdatedAt: choose.optional([daysAgo(1), daysAgo(4)]),
});
type Agent = ReturnType<typeof createAgent>;

const isDeployed = (one: Agent) => one.lifecycleStatus === 'deployed' || one.lifecycleStatus === 'published';
const isActive = (one: Agent) => isDeployed(one) && one.isBlocked !== true;
const mayBeActive = (one: Agent) => (isDeployed(one) || one.lifecycleStatus === null) && one.isBlocked !== true;

const isRisky = (one: Agent) => one.riskLevel === 'high' && one.riskState !== 'remediated';
const isStopped = (one: Agent) => one.isBlocked === true || one.lifecycleStatus === 'blocked';

/** Whether one of the owners is known to have an account in use. */
const isOwned = (owners: readonly { id: string }[] | null, users: readonly User[]) =>
  (owners ?? []).some(({ id }) => users[Number(id.slice(1))]?.accountEnabled === true);

export function createAgents(choose: Chooser, users: readonly User[]): Part {
  const agents = times(choose.size).map(() => createAgent(choose, users));
  const active = agents.filter(mayBeActive);
  const foreign = active.filter((one) => one.publisherType !== 'microsoft');
  const onShelf = agents.filter(
    (one) =>
      one.availableTo !== 'none' &&
      one.deployedTo === 'none' &&
      one.isBlocked !== true &&
      one.lifecycleStatus !== 'blocked',
  );
  const risky = agents.filter(isRisky);
  const isUnknownAvailability = (one: Agent) => !isActive(one) || one.availableTo === null;
  const isUnknownOwner = (one: Agent) => !isActive(one) || one.owners === null;
  const isOrphan = (one: Agent) => (one.owners ?? []).length > 0 && !isOwned(one.owners, users);
  return {
    written: { agents: agents.map((one, index) => input.agent(`a${index}`, one)) },
    counts: {
      'ai.agents.authentication_required': {
        agentsPublished: active.length,
        authenticated: count(active, (one) => isActive(one) && one.authentication === 'microsoft'),
        unknown: count(active, (one) => !isActive(one) || one.authentication === null),
      },
      'ai.agents.scoped_availability': {
        agentsActive: foreign.length,
        openToAll: count(foreign, (one) => one.availableTo === 'all' || isUnknownAvailability(one)),
        openApproved: 0,
        unknown: count(foreign, isUnknownAvailability),
      },
      'ai.agents.store_shelf': {
        shelfAgents: onShelf.length,
        unreviewed: onShelf.length,
        unknown: count(onShelf, (one) => one.availableTo === null),
      },
      'ai.agents.no_orphans': {
        agentsActive: active.length,
        orphaned: count(active, (one) => isUnknownOwner(one) || isOrphan(one)),
        unknown: count(active, isUnknownOwner),
      },
      'ai.agents.risky_agents_handled': {
        riskyAgents: risky.length,
        overdue: count(risky, (one) => !isStopped(one) && one.riskUpdatedAt !== daysAgo(1)),
        unknown: count(risky, (one) => !isStopped(one) && one.riskUpdatedAt === null),
      },
    },
  };
}

/** Third-party apps with access to the whole tenant, and groups. */
export function createAppsAndGroups(choose: Chooser, users: readonly User[]): Part {
  const apps = times(choose.size).map(() => ({
    appType: choose.optional(['thirdParty', 'thirdParty', 'firstParty']),
    hasTenantWideReach: choose.maybe(true),
    highPrivilegePermissionCount: choose.pick([0, 2]),
    isVerifiedPublisher: choose.maybe(true, 1),
  }));
  type App = (typeof apps)[number];
  const privileged = apps.filter(
    (one) => one.appType !== 'firstParty' && one.hasTenantWideReach !== false && one.highPrivilegePermissionCount > 0,
  );
  const isUnknown = (one: App) =>
    one.appType === null || one.hasTenantWideReach === null || one.isVerifiedPublisher === null;
  const groups = times(choose.size).map(() => ({
    owners: choose.optional(users.slice(0, 3).map((_, index) => [{ id: `u${index}` }])),
  }));
  return {
    written: {
      apps: apps.map((one, index) => input.app(`p${index}`, one)),
      groups: groups.map((one, index) => input.group(`g${index}`, one)),
    },
    counts: {
      'iam.apps.unverified_high_privilege': {
        privilegedApps: privileged.length,
        unverified: count(privileged, (one) => isUnknown(one) || one.isVerifiedPublisher !== true),
        unknown: count(privileged, isUnknown),
      },
      'iam.groups.owned': {
        groups: groups.length,
        owned: count(groups, (one) => isOwned(one.owners, users)),
        unknown: count(groups, (one) => one.owners === null),
      },
    },
  };
}
