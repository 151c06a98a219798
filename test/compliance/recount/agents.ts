import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { type Account, anyName, isInUse } from './accounts.ts';
import { type AgentGrant, createGrants, hasWideWriteAccess, recountConsents, sendGrants } from './agent-grants.ts';
import { ago, type Chooser, count, decisionInForce, guid, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs } = input;
const lifecycleOperations = {
  BotCreate: true,
  'BotUpdateOperation-BotPublish': true,
  DeployedAgent: true,
  'BotUpdateOperation-BotNameUpdate': false,
};

function createAgent(choose: Chooser, users: readonly Account[], index: number) {
  const someone = () => ({ id: anyName(choose, users) });
  return {
    index,
    id: choose.pick([guid('a', index), `T_${index}`, `agent${index}`]),
    appId: guid('c', index),
    lifecycleStatus: choose.pick(['published', 'deployed', 'deployed', 'draft', 'blocked', undefined]),
    isBlocked: choose.pick([true, false, false, undefined]),
    publisherType: choose.optional(choose.pick(['custom', 'shared', 'external', 'microsoft'])),
    kind: choose.pick(['declarativeAgent', 'copilotStudioAgent', 'bot', 'thirdParty', 'other']),
    isPublisherVerified: choose.maybe(),
    owners: choose.optional(choose.several([0, 1, 2], someone), 30),
    sponsors: choose.optional(choose.several([0, 1], someone), 50),
    accountable: choose.happens(30) ? anyName(choose, users) : null,
    orchestration: choose.pick([undefined, 'Classic', 'Generative', 'generative']),
    instructionsHash: choose.pick([undefined, 'a'.repeat(64)]),
    hasInstructions: choose.maybe(),
    hasTenantWideReach: choose.maybe(),
    hasWriteAccess: choose.maybe(),
    createdAgeMs: choose.pick([null, choose.near(90), choose.near(400), choose.near(10)]),
    publishedAgeMs: choose.pick([null, choose.near(90), choose.near(3)]),
    usedAgeMs: choose.pick([null, choose.near(90), choose.near(30)]),
    isDeleted: choose.happens(10),
    events: choose.several([0, 0, 1, 2], () => ({
      operation: choose.pick(Object.keys(lifecycleOperations) as (keyof typeof lifecycleOperations)[]),
      ageMs: choose.near(3, 60),
    })),
    decisions: choose.several([0, 0, 1, 2], (number) => ({
      outcome: choose.pick(['approved', 'accepted', 'reviewed', 'blocked', 'restricted'] as const),
      // One in the future is not in force yet.
      ageMs: choose.pick([10, 20, 30, -1]) * dayMs + number,
      writtenAgeMs: choose.pick([9, 8, 7]) * dayMs,
    })),
  };
}
type Agent = ReturnType<typeof createAgent>;

const isActive = (one: Agent): boolean =>
  (one.lifecycleStatus === 'published' || one.lifecycleStatus === 'deployed') && one.isBlocked !== true;
const mayBeActive = (one: Agent) => (one.lifecycleStatus === undefined && one.isBlocked !== true) || isActive(one);
const isApproved = (one: Agent) => {
  const outcome = decisionInForce(one.decisions)?.outcome;
  return outcome === 'approved' || outcome === 'accepted';
};

/** Agents with their owners, permissions, decisions and events. */
export function createAgents(choose: Chooser, users: readonly Account[]): Part {
  const agents = choose.several([1, 4, 12], (index) => createAgent(choose, users, index));
  const grants = agents.flatMap((one) => createGrants(choose, one));
  const consents = agents
    .filter(() => choose.happens(30))
    .map(({ appId }) => ({
      appId,
      scope: choose.pick([null, 'Files.Read', 'Mail.Send Files.ReadWrite']),
      isAdmin: choose.happens(70),
    }));
  const existing = agents.filter((one) => !one.isDeleted);
  return {
    sent: [
      ...agents.flatMap((one) => sendAgent(choose, one)),
      ...sendGrants(choose, grants),
      ...consents.flatMap((one) =>
        send(50 * dayMs, events.adminConsent(one.appId, nowMs - 51 * dayMs, one.isAdmin, one.scope)),
      ),
    ],
    counts: {
      ...recountOwners(existing, users),
      ...recountAccess(existing, grants),
      ...recountTimes(existing),
      ...recountConsents(
        existing.filter(mayBeActive).map((one) => ({ ...one, isActive: isActive(one) })),
        grants,
        consents,
      ),
    },
  };
}

function sendAgent(choose: Chooser, one: Agent): Sent[] {
  const {
    id,
    createdAgeMs,
    publishedAgeMs,
    usedAgeMs,
    accountable,
    isDeleted,
    index,
    events: _,
    decisions,
    ...members
  } = one;
  const times = { createdAt: ago(createdAgeMs), lastPublishedAt: ago(publishedAgeMs), lastActivityAt: ago(usedAgeMs) };
  const anyOwnName = () => choose.inAnyCase(choose.pick([id, one.appId]));
  return [
    ...send(200 * dayMs, input.agent(id, { ...members, ...times })),
    ...(accountable === null ? [] : send(199 * dayMs, input.accountable('agent', id, accountable))),
    ...one.events.flatMap(({ operation, ageMs }) =>
      send(ageMs, events.lifecycleEvent(operation, anyOwnName(), nowMs - ageMs)),
    ),
    ...decisions.flatMap(({ outcome, ageMs, writtenAgeMs }, number) =>
      send(writtenAgeMs, input.decision('agent', anyOwnName(), outcome, nowMs - ageMs, {}, `agent${index}-${number}`)),
    ),
    ...(isDeleted ? send(dayMs, input.deletedEntity('agent', id)) : []),
  ];
}

function recountOwners(agents: readonly Agent[], users: readonly Account[]): Part['counts'] {
  const active = agents.filter(mayBeActive);
  const isOwned = ({ owners = [], sponsors = [] }: Agent) =>
    [...owners, ...sponsors].some(({ id }) => isInUse(users, id));
  const hasAccountable = (one: Agent) => isActive(one) && (isOwned(one) || isInUse(users, one.accountable));
  const isUnknownOwner = (one: Agent) => !isActive(one) || (one.owners === undefined && one.sponsors === undefined);
  const isOrphan = (one: Agent) => (one.owners ?? []).length + (one.sponsors ?? []).length > 0 && !isOwned(one);
  const withPrompt = active.filter(
    (one) =>
      (one.publisherType === undefined || one.publisherType === 'custom' || one.publisherType === 'shared') &&
      one.orchestration !== 'Classic' &&
      (one.kind === 'declarativeAgent' || one.kind === 'copilotStudioAgent' || one.hasInstructions === true),
  );
  const isUnknownPrompt = (one: Agent) => !isActive(one) || one.publisherType === undefined;
  return {
    'ai.agents.accountable_person': {
      agentsActive: active.length,
      agentsWithAccountable: count(active, hasAccountable),
      byNative: count(active, (one) => isActive(one) && isOwned(one)),
      byAssignment: count(active, (one) => hasAccountable(one) && !isOwned(one)),
      unknown: count(active, (one) => !isActive(one)),
    },
    'ai.agents.no_orphans': {
      agentsActive: active.length,
      orphaned: count(active, (one) => isUnknownOwner(one) || isOrphan(one)),
      unknown: count(active, isUnknownOwner),
    },
    'ai.agents.instructions_captured': {
      agentsWithPrompt: withPrompt.length,
      captured: count(withPrompt, (one) => !isUnknownPrompt(one) && one.instructionsHash !== undefined),
      unknown: count(withPrompt, isUnknownPrompt),
    },
  };
}

function recountAccess(agents: readonly Agent[], grants: readonly AgentGrant[]): Part['counts'] {
  const active = agents.filter(mayBeActive);
  const external = active.filter(
    (one) => one.publisherType === 'external' || one.publisherType === undefined || one.kind === 'thirdParty',
  );
  const isTrusted = (one: Agent) => isApproved(one) || one.isPublisherVerified;
  const isUnknownExternal = (one: Agent) =>
    !isActive(one) || (one.publisherType === undefined && one.kind !== 'thirdParty') || isTrusted(one) === undefined;
  const writes = (one: Agent) => hasWideWriteAccess(one, grants);
  const isUnknownAccess = (one: Agent) => !isActive(one) || (writes(one) === null && !isApproved(one));
  return {
    'ai.agents.verified_publisher': {
      externalAgents: external.length,
      verifiedOrApproved: count(external, (one) => !isUnknownExternal(one) && isTrusted(one)),
      unknown: count(external, isUnknownExternal),
    },
    'ai.agents.least_privilege': {
      agentsActive: active.length,
      tenantWideWrite: count(active, (one) => writes(one) === true || isUnknownAccess(one)),
      approved: count(active, (one) => isActive(one) && writes(one) && isApproved(one)),
      unknown: count(active, isUnknownAccess),
    },
  };
}

/** Agents that are not used, and the events of changed ones. */
function recountTimes(agents: readonly Agent[]): Part['counts'] {
  const old = agents.filter((one) => mayBeActive(one) && (one.createdAgeMs === null || one.createdAgeMs >= 90 * dayMs));
  const changedAgeMs = ({ createdAgeMs, publishedAgeMs }: Agent) => {
    const ages = [createdAgeMs, publishedAgeMs].filter((age) => age !== null);
    return ages.length === 0 ? null : Math.min(...ages);
  };
  const changed = agents.filter((one) => (changedAgeMs(one) ?? 0) <= 90 * dayMs);
  const isDormant = (one: Agent) => !isActive(one) || one.usedAgeMs === null || one.usedAgeMs > 90 * dayMs;
  return {
    'ai.agents.dormant': {
      agentsPublished: old.length,
      dormant: count(old, isDormant),
      unknown: count(old, (one) => !isActive(one)),
    },
    'ai.agents.lifecycle_logged': {
      changedAgents: changed.length,
      withEvent: count(
        changed,
        (one) => changedAgeMs(one) !== null && one.events.some(({ operation }) => lifecycleOperations[operation]),
      ),
      unknown: count(changed, (one) => changedAgeMs(one) === null),
    },
  };
}
