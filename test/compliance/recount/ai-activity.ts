import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { ago, type Chooser, count, guid, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs, hourMs } = input;

const createAgent = (choose: Chooser, index: number) => ({
  id: `Agent${index}`,
  appId: guid('a', index),
  agentIdentityId: guid('1', index),
  usedAgeMs: choose.pick([null, null, choose.near(30)]),
  // Days on which it is used, once each.
  days: choose.pick([0, 0, 13, 14]),
  firstDay: choose.pick([0, 20, 76, 80]),
  isDeleted: choose.happens(15),
});
const createApp = (choose: Chooser, index: number) => ({
  id: `App${index}`,
  appId: guid('d', index),
  isDeleted: choose.happens(15),
});
const createPerson = (index: number) => ({
  id: guid('b', index),
  signInName: `p${index}@contoso.example`,
  mail: `m${index}@contoso.example`,
});

type Agent = ReturnType<typeof createAgent>;
type App = ReturnType<typeof createApp>;
type Person = ReturnType<typeof createPerson>;
const namesOf = (one: Agent | App | Person): string[] => {
  if ('mail' in one) return [one.id, one.signInName, one.mail];
  return 'agentIdentityId' in one ? [one.id, one.appId, one.agentIdentityId] : [one.id, one.appId];
};

/** An interaction with what it names: an agent, the client, a person, each known or not. */
interface Interaction {
  readonly agent: Agent | null;
  readonly client: App | Agent | null;
  readonly person: Person | null;
  readonly hasActor: boolean;
  readonly ageMs: number;
  readonly threat: 'jailbreak' | 'xpia' | null;
  readonly resourceId: string;
}

const followUpKinds = ['alertOfUser', 'alertOfAgent', 'action', 'simulation', 'episode'] as const;

function createInteraction(
  choose: Chooser,
  agents: readonly Agent[],
  apps: readonly App[],
  users: readonly Person[],
  index: number,
) {
  const threat = choose.pick([null, 'jailbreak', 'xpia'] as const);
  const ageMs = choose.near(30, 90, 3, 10, 1);
  const person = choose.pick([null, ...users]);
  const interaction: Interaction = {
    agent: choose.pick([null, ...agents]),
    client: choose.pick([null, ...apps, ...agents]),
    person,
    hasActor: person !== null || choose.happens(50),
    ageMs,
    threat,
    resourceId: `File${index}`,
  };
  const followUps =
    threat === null
      ? []
      : choose.several([0, 1, 1, 2], () => ({
          kind: choose.pick(followUpKinds),
          subject: choose.pick([interaction.agent, person, 'resource'] as const),
          ageMs: Math.max(0, ageMs - choose.pick([0, -1_000, hourMs, 72 * hourMs, 72 * hourMs + 1_000])),
        }));
  return { interaction, followUps };
}
type Scenario = ReturnType<typeof createInteraction>;

function sendInteraction(
  choose: Chooser,
  { agent, client, person, hasActor, ageMs, threat, resourceId }: Interaction,
): Sent[] {
  const anyNameOf = (one: Agent | App | Person) => choose.inAnyCase(choose.pick(namesOf(one)));
  const actor = person === null ? 'stranger@elsewhere.example' : anyNameOf(person);
  return send(
    ageMs,
    events.interaction(null, nowMs - ageMs, {
      agentId: agent === null ? 'unlisted' : anyNameOf(agent),
      ...(client === null ? {} : { clientId: choose.inAnyCase(client.appId) }),
      ...(threat === 'jailbreak' ? { messages: events.jailbreak } : {}),
      resources: threat === 'xpia' ? [{ Id: resourceId, XPIADetected: true }] : [],
      record: hasActor ? { UserId: actor } : {},
    }),
  );
}

function sendFollowUp(
  choose: Chooser,
  { interaction }: Scenario,
  followUp: Scenario['followUps'][number],
  id: string,
): Sent[] {
  const { kind, subject, ageMs } = followUp;
  const atMs = nowMs - ageMs;
  const name =
    subject === 'resource'
      ? choose.inAnyCase(interaction.resourceId)
      : subject === null
        ? 'stranger'
        : choose.inAnyCase(choose.pick(namesOf(subject)));
  if (kind === 'alertOfAgent') return send(ageMs, events.alert(id, atMs, null, [events.agentEvidence(name)]));
  if (kind === 'alertOfUser') {
    const account = name.includes('@') ? { userPrincipalName: name } : { azureAdUserId: name };
    const evidence = { '@odata.type': '#microsoft.graph.security.userEvidence', userAccount: account };
    return send(ageMs, events.alert(id, atMs, null, [evidence]));
  }
  if (kind === 'episode') {
    const openedMs = atMs - 5 * dayMs;
    const entity = { type: 'agent', id: name, name };
    return send(ageMs, events.episode(id, openedMs, (atMs - openedMs) / hourMs, { entity }));
  }
  return send(
    ageMs,
    events.action(id, 'blockAgent', { type: 'agent', id: name }, atMs, { isSimulated: kind === 'simulation' }),
  );
}

/** Interactions with agents and apps, attacks in them and what followed, and what watches agents. */
export function createAiActivity(choose: Chooser): Part {
  const agents = choose.several([2, 8], (index) => createAgent(choose, index));
  const apps = choose.several([0, 2], (index) => createApp(choose, index));
  const users = choose.several([1, 3], createPerson);
  const scenarios = choose.several([0, 3, 12], (index) => createInteraction(choose, agents, apps, users, index));
  const detectors = choose.several([0, 1, 2], (index) => ({
    id: `detector${index}`,
    enabled: choose.happens(80),
    entityTypes: choose.pick([['agent'], ['user', 'agent'], ['user']]),
  }));
  const daily = agents.flatMap((agent) =>
    Array.from(
      { length: agent.days },
      (_, day): Interaction => ({
        ...{ agent, client: null, person: users[0] as Person, hasActor: true, threat: null, resourceId: '' },
        ageMs: (agent.firstDay + day + 0.25) * dayMs,
      }),
    ),
  );
  const interactions = [...scenarios.map(({ interaction }) => interaction), ...daily];
  const deleted = [
    ...agents.filter((one) => one.isDeleted).map(({ id }) => input.deletedEntity('agent', id)),
    ...apps.filter((one) => one.isDeleted).map(({ id }) => input.deletedEntity('app', id)),
  ];
  return {
    sent: [
      ...send(
        200 * dayMs,
        ...agents.map(({ id, appId, agentIdentityId, usedAgeMs }) =>
          input.agent(id, { appId, agentIdentityId, lastActivityAt: ago(usedAgeMs) }),
        ),
        ...apps.map(({ id, appId }) => input.app(id, { appId })),
        ...users.map(({ id, signInName, mail }) => input.user(id, { userPrincipalName: signInName, mail })),
        ...detectors.map(({ id, ...members }) => input.detector(id, members)),
      ),
      ...interactions.flatMap((one) => sendInteraction(choose, one)),
      ...scenarios.flatMap((one, index) =>
        one.followUps.flatMap((followUp, number) => sendFollowUp(choose, one, followUp, `f${index}-${number}`)),
      ),
      ...send(0, ...deleted),
    ],
    counts: recount(
      agents,
      interactions,
      scenarios,
      detectors.some(({ enabled, entityTypes }) => enabled && entityTypes.includes('agent')),
    ),
  };
}

function recount(
  agents: readonly Agent[],
  interactions: readonly Interaction[],
  scenarios: readonly Scenario[],
  isWatched: boolean,
): Part['counts'] {
  const recent = interactions.filter(({ ageMs }) => ageMs <= 30 * dayMs);
  // An interaction is attributed to what has been deleted since, too.
  const isAttributed = (one: Interaction) => (one.agent !== null || one.client !== null) && one.hasActor;
  const existing = agents.filter((one) => !one.isDeleted);
  const agesOf = (agent: Agent) =>
    interactions
      .filter((one) => one.ageMs <= 90 * dayMs && (one.agent === agent || (one.agent === null && one.client === agent)))
      .map(({ ageMs }) => ageMs);
  const active = existing.filter(
    (one) => Math.min(one.usedAgeMs ?? Number.POSITIVE_INFINITY, ...agesOf(one)) <= 30 * dayMs,
  );
  const daysOf = (agent: Agent) => new Set(agesOf(agent).map((ageMs) => Math.floor((nowMs - ageMs) / dayMs))).size;
  const attacks = scenarios.filter(
    ({ interaction: { threat, ageMs } }) => threat !== null && ageMs >= 3 * dayMs && ageMs <= 30 * dayMs,
  );
  const followUps = scenarios.flatMap(({ interaction, followUps: some }) =>
    some.map((one) => ({ ...one, subject: one.subject === 'resource' ? interaction.resourceId : one.subject })),
  );
  // What follows one attack of an agent or a person follows others of the same time as well.
  const isTriaged = ({ interaction }: Scenario) =>
    followUps.some(
      ({ kind, subject, ageMs }) =>
        kind !== 'simulation' &&
        subject !== null &&
        (subject === interaction.agent ||
          subject === interaction.person ||
          (interaction.threat === 'xpia' && subject === interaction.resourceId)) &&
        ageMs <= interaction.ageMs &&
        ageMs >= interaction.ageMs - 3 * dayMs,
    );
  return {
    'ai.logs.agent_activity_attributed': { aiEvents: recent.length, attributed: count(recent, isAttributed) },
    'ai.detection.coverage': {
      agentsActive30d: active.length,
      covered: count(active, (one) => isWatched && daysOf(one) >= 14),
    },
    'ai.threats.prompt_injection_triaged': {
      threatEvents: attacks.length,
      triaged: count(attacks, isTriaged),
      aiEvents: recent.length,
    },
  };
}
