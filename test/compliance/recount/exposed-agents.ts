import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { ago, type Chooser, count, decisionInForce, guid, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs, hourMs } = input;

const createAgent = (choose: Chooser, index: number) => ({
  index,
  id: choose.pick([guid('a', index), `Agent${index}`]),
  appId: guid('c', index),
  agentIdentityId: guid('1', index),
  lifecycleStatus: choose.pick(['published', 'deployed', 'deployed', 'draft', 'blocked', undefined]),
  isBlocked: choose.pick([true, false, false, false, undefined]),
  publisherType: choose.pick(['custom', 'external', 'microsoft', undefined]),
  availableTo: choose.pick(['none', 'some', 'all', 'all', undefined]),
  deployedTo: choose.pick(['none', 'none', 'some', 'all', undefined]),
  authentication: choose.pick(['none', 'entra', 'Entra', 'unknown', undefined]),
  isDeleted: choose.happens(10),
  decisions: choose.several([0, 0, 1, 2], (number) => ({
    outcome: choose.pick(['approved', 'accepted', 'reviewed', 'blocked'] as const),
    ageMs: choose.pick([10, 20, -1]) * dayMs + number,
  })),
  // What is reported of its risk, each state at its time.
  risks: choose.pick([[], [9], [9, 4], [9, 4, 2], [2]]).map((day) => ({
    ageMs: day * dayMs,
    riskLevel: choose.pick(['high', 'high', 'high', 'low']),
    riskState: choose.pick(['atRisk', 'atRisk', 'confirmedCompromised', 'dismissed', undefined]),
    changedAgeMs: choose.pick([day * dayMs, Math.max(day * dayMs, choose.near(3, 9)), null]),
  })),
  actions: choose.several([0, 0, 1], () => ({
    type: choose.pick(['blockAgent', 'removeAgent', 'notifyOwner']),
    rung: choose.pick(['applied', 'confirmed', 'staged']),
    isSimulated: choose.happens(15),
    ageMs: choose.near(10, 5, 1),
  })),
});
type Agent = ReturnType<typeof createAgent>;

function sendAgent(choose: Chooser, one: Agent): Sent[] {
  const { index, id, isDeleted, decisions, risks, actions, ...members } = one;
  const anyOwnName = () => choose.inAnyCase(choose.pick([id, one.appId, one.agentIdentityId]));
  const states = risks.map(({ ageMs, riskLevel, riskState, changedAgeMs }) => ({
    ageMs,
    record: input.agent(id, { ...members, riskLevel, riskState, riskUpdatedAt: ago(changedAgeMs) }),
  }));
  return [
    ...send(100 * dayMs, input.agent(id, members)),
    ...states,
    ...decisions.flatMap(({ outcome, ageMs }, number) =>
      send(dayMs, input.decision('agent', anyOwnName(), outcome, nowMs - ageMs, {}, `agent${index}-${number}`)),
    ),
    ...actions.flatMap(({ type, rung, isSimulated, ageMs }, number) =>
      send(
        hourMs / 2,
        events.action(`action${index}-${number}`, type, { type: 'agent', id: anyOwnName() }, nowMs - ageMs, {
          rollupRung: rung,
          isSimulated,
        }),
      ),
    ),
    ...(isDeleted ? send(0, input.deletedEntity('agent', id)) : []),
  ];
}

const isActive = ({ lifecycleStatus, isBlocked }: Agent) =>
  (lifecycleStatus === 'published' || lifecycleStatus === 'deployed') && isBlocked !== true;
const mayBeActive = (one: Agent) => isActive(one) || (one.lifecycleStatus === undefined && one.isBlocked !== true);
const decisionOf = (one: Agent) => decisionInForce(one.decisions)?.outcome;
const isApproved = (one: Agent) => decisionOf(one) === 'approved' || decisionOf(one) === 'accepted';

const isHigh = ({ riskLevel, riskState }: Agent['risks'][number]) => riskLevel === 'high' && riskState !== 'dismissed';
const isRisky = ({ risks }: Agent) => risks.length > 0 && isHigh(risks.at(-1) as Agent['risks'][number]);

/** Since when an agent has been at high risk without interruption, as far as is reported: later detections change the time. Null where it is not reported. */
function riskAgeMs({ risks }: Agent): number | null {
  const ended = risks.findLastIndex((one) => !isHigh(one));
  const ages = risks.slice(ended + 1).map(({ changedAgeMs }) => changedAgeMs);
  return ages.some((ageMs) => ageMs !== null) ? Math.max(...ages.filter((ageMs) => ageMs !== null)) : null;
}

function isStopped(one: Agent): boolean {
  if (one.isBlocked === true || one.lifecycleStatus === 'blocked') return true;
  const sinceMs = riskAgeMs(one) ?? -1;
  return one.actions.some(
    ({ type, rung, isSimulated, ageMs }) =>
      type !== 'notifyOwner' && rung !== 'staged' && !isSimulated && ageMs <= sinceMs,
  );
}

/** Agents with what they are open to, their decisions and their risks. */
export function createExposedAgents(choose: Chooser): Part {
  const agents = choose.several([1, 4, 12], (index) => createAgent(choose, index));
  const existing = agents.filter((one) => !one.isDeleted);
  const active = existing.filter(mayBeActive);
  const foreign = active.filter(({ publisherType }) => publisherType !== 'microsoft');
  const onShelf = existing.filter(
    ({ availableTo, deployedTo, isBlocked, lifecycleStatus }) =>
      availableTo !== 'none' &&
      deployedTo !== 'some' &&
      deployedTo !== 'all' &&
      isBlocked !== true &&
      lifecycleStatus !== 'blocked',
  );
  const risky = existing.filter(isRisky);
  const isUnknownSignIn = (one: Agent) =>
    !isActive(one) || one.authentication === undefined || one.authentication === 'unknown';
  const isUnknownAvailability = (one: Agent) => !isActive(one) || (one.availableTo === undefined && !isApproved(one));
  const isUnknownRisk = (one: Agent) => !isStopped(one) && riskAgeMs(one) === null;
  return {
    sent: agents.flatMap((one) => sendAgent(choose, one)),
    counts: {
      'ai.agents.authentication_required': {
        agentsPublished: active.length,
        authenticated: count(active, (one) => !isUnknownSignIn(one) && one.authentication !== 'none'),
        unknown: count(active, isUnknownSignIn),
      },
      'ai.agents.scoped_availability': {
        agentsActive: foreign.length,
        openToAll: count(foreign, (one) => one.availableTo === 'all' || isUnknownAvailability(one)),
        openApproved: count(foreign, (one) => isActive(one) && one.availableTo === 'all' && isApproved(one)),
        unknown: count(foreign, isUnknownAvailability),
      },
      'ai.agents.store_shelf': {
        shelfAgents: onShelf.length,
        unreviewed: count(onShelf, (one) => decisionOf(one) === undefined),
        unknown: count(onShelf, (one) => one.availableTo === undefined && decisionOf(one) === undefined),
      },
      'ai.agents.risky_agents_handled': {
        riskyAgents: risky.length,
        overdue: count(risky, (one) => isUnknownRisk(one) || (!isStopped(one) && (riskAgeMs(one) ?? 0) > 3 * dayMs)),
        unknown: count(risky, isUnknownRisk),
      },
    },
  };
}
