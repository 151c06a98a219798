import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;
const ago = (ms: number) => said.at(nowMs - ms);

/** Agents that are active in no rule's sense, whatever they lack. */
const bystanders = [
  said.agent('draft', { lifecycleStatus: 'draft' }),
  said.agent('blocked', { isBlocked: true }),
  said.agent('undead'),
  said.gone('agent', 'undead'),
];
const people = [
  said.user('anna'),
  said.user('left', { accountEnabled: false }),
  said.user('late'),
  said.gone('user', 'late'),
];

/** So many active agents, the first of which are so. */
const agents = (count: number, first: number, those: Record<string, unknown>, others: Record<string, unknown> = {}) =>
  many(count, (index) => said.agent(`agent${index}`, index < first ? those : others));
const owned = { ownerId: 'ANNA', ownerSource: 'nativeOwner' };
const orphaned = (index: number) => ({ owners: [{ id: index % 2 ? 'left' : 'late' }], sponsors: [{ id: 'stranger' }] });

/** Agents with a prompt that is kept, and with one that is not; beside them those of which no prompt is expected. */
const prompts = (count: number, captured: number) => [
  ...bystanders,
  said.agent('classic', { orchestration: 'classic' }),
  said.agent('engine', { kind: 'customEngineAgent' }),
  said.agent('vendors', { publisherType: 'microsoft' }),
  ...agents(count, captured, { instructions: 'Answer politely.' }),
];

/** Changes a month ago, of which so many were looked at in time, each in another way, and others too late or of another agent. */
const changes = (count: number, reviewed: number) => [
  ...many(count, (index) => said.agent(`agent${index}`, { appId: `app${index}` })),
  ...many(count, (index) => said.instructionChange(`change${index}`, `APP${index}`, nowMs - 30 * dayMs)),
  ...many(count, (index) => {
    const lookedMs = nowMs - 30 * dayMs + (index < reviewed ? 14 * dayMs : 14 * dayMs + 1);
    const looked = { resourceType: 'agent', acknowledgedAt: said.at(lookedMs) };
    if (index % 3 === 0)
      return happened.action(
        `action${index}`,
        'notifyOwner',
        { type: 'agent', id: `agent${index}` },
        nowMs - 30 * dayMs,
        looked,
      );
    if (index % 3 === 1) return said.decision('instructionChange', `change${index}`, 'reviewed', lookedMs);
    const note = { subject: { type: 'agent', id: `agent${index}` }, attestedAt: said.at(lookedMs) };
    return said.attestation(`note.of.agent${index}`, note);
  }),
  said.instructionChange('recent', 'agent0', nowMs - 14 * dayMs + 1),
  said.instructionChange('ancient', 'agent0', nowMs - 90 * dayMs - 1),
];

const clientId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** What the tenant calls high-risk: agents and apps, so many of which have a person who is there. */
const systems = (count: number, overseen: number) => [
  ...people,
  ...many(count, (index) => (index % 2 ? said.app : said.agent)(`system${index}`, { appId: clientId(index) })),
  ...many(count, (index) =>
    said.riskClass(index % 2 ? 'app' : 'agent', index % 3 ? `System${index}` : clientId(index), 'high'),
  ),
  ...many(count, (index) =>
    said.accountable(index % 2 ? 'app' : 'agent', `system${index}`, index < overseen ? 'anna' : 'left'),
  ),
  said.agent('minimal'),
  said.riskClass('agent', 'minimal', 'minimal'),
  said.agent('gone'),
  said.riskClass('agent', 'gone', 'high'),
  said.gone('agent', 'gone'),
];

/** An agent's creation, and that the log tells of it; the last ones it tells nothing of but an update. */
const made = (count: number, told: number) => [
  ...many(count, (index) =>
    said.agent(
      `agent${index}`,
      index % 2 ? { createdAt: ago(90 * dayMs) } : { createdAt: ago(400 * dayMs), lastPublishedAt: ago(30 * dayMs) },
    ),
  ),
  ...many(count, (index) => {
    const operation = index % 2 ? 'BotCreate' : 'BotUpdateOperation-BotPublish';
    return happened.lifecycleEvent(
      index < told ? operation : 'BotUpdateOperation-BotNameUpdate',
      `AGENT${index}`,
      nowMs - 30 * dayMs,
    );
  }),
  said.agent('older', { createdAt: ago(90 * dayMs + 1) }),
];

/** Old agents, of which the first were last used longer than 90 days ago or never. */
const idle = (count: number, dormant: number) => [
  ...bystanders,
  said.agent('new', { createdAt: ago(90 * dayMs - 1) }),
  ...many(count, (index) => {
    const used = index < dormant ? { lastActivityAt: index % 2 ? ago(90 * dayMs + 1) : null } : {};
    return said.agent(`agent${index}`, { createdAt: index === 0 ? null : ago(90 * dayMs), ...used });
  }),
  ...many(count, (index) =>
    happened.interaction('anna', nowMs - 90 * dayMs - (index < dormant ? hourMs : 0), { agentId: `Agent${index}` }),
  ),
];

testOutcomes(prefixesOf.agents, {
  'ai.agents.inventory_fresh': {
    met: {
      told: [...bystanders, said.sourceStatus('agents', nowMs - 24 * hourMs), said.sourceStatus('agents/entra', nowMs)],
      counts: { agentsTotal: 2, sourcesExpected: 2, sourcesFresh: 2, oldestImportAgeHours: 24 },
    },
    at_risk: [
      {
        told: [said.sourceStatus('agents', nowMs - 24 * hourMs - 1), said.sourceStatus('agents/entra', nowMs)],
        counts: { agentsTotal: 0, sourcesExpected: 2, sourcesFresh: 1, oldestImportAgeHours: 25 },
      },
      {
        told: [said.sourceStatus('agents', nowMs - 72 * hourMs)],
        counts: { sourcesExpected: 1, sourcesFresh: 0, oldestImportAgeHours: 72 },
      },
    ],
    not_met: {
      told: [said.sourceStatus('agents', nowMs), said.sourceStatus('agents/packages', nowMs - 72 * hourMs - 1)],
      counts: { sourcesExpected: 2, sourcesFresh: 1, oldestImportAgeHours: 73 },
    },
    empty: {
      told: [
        said.sourceStatus('agents', nowMs, { enabled: false }),
        said.sourceStatus('agents/entra', nowMs, { licensed: false }),
      ],
      counts: { sourcesExpected: 0, oldestImportAgeHours: null },
    },
    untold: {
      told: [said.sourceStatus('agents', nowMs), said.sourceStatus('agents/entra', null)],
      counts: { sourcesExpected: 2, sourcesFresh: 1, oldestImportAgeHours: null },
    },
  },
  'ai.agents.accountable_person': {
    met: {
      told: [
        ...people,
        ...bystanders,
        ...agents(20, 17, owned, { ownerId: 'left', ownerSource: 'nativeOwner' }),
        said.accountable('agent', 'agent17', 'anna@contoso.example'),
        said.agent('agent18', { ownerId: 'left', sponsors: [{ id: 'anna' }] }),
      ],
      counts: {
        agentsActive: 20,
        agentsWithAccountable: 19,
        byNative: 18,
        byAssignment: 1,
        withoutAccountable: 1,
        accountablePct: 95,
      },
    },
    at_risk: {
      told: [...people, ...agents(5, 4, owned), said.accountable('agent', 'agent4', 'left')],
      counts: { agentsActive: 5, agentsWithAccountable: 4, withoutAccountable: 1, withoutAccountableTenantWide: 0 },
    },
    not_met: {
      told: [...people, ...agents(4, 3, owned, { ownerId: 'late', ownerSource: 'nativeSponsor' })],
      counts: { agentsActive: 4, agentsWithAccountable: 3, byNative: 3, byAssignment: 0 },
    },
    empty: { told: [...people, ...bystanders], counts: { agentsActive: 0 } },
    'guard:withoutAccountableTenantWide': [
      {
        told: [...people, ...agents(20, 19, owned, { hasTenantWideReach: true })],
        counts: { agentsWithAccountable: 19, withoutAccountableTenantWide: 1, accountablePct: 95 },
      },
      {
        told: [
          ...people,
          ...agents(20, 19, owned),
          said.grant('grant', 'agent19', { value: 'Mail.Send', writeAccess: undefined }),
        ],
        counts: { withoutAccountable: 1, withoutAccountableTenantWide: 1 },
      },
    ],
  },
  'ai.agents.no_orphans': {
    met: {
      told: [
        ...people,
        ...bystanders,
        ...agents(2, 1, owned),
        said.agent('other', { owners: [{ id: 'left' }, { id: 'anna' }] }),
      ],
      counts: { agentsActive: 3, orphaned: 0, orphanedPct: 0 },
    },
    at_risk: {
      told: [...people, ...agents(19, 19, owned), said.agent('orphan', orphaned(0))],
      counts: { agentsActive: 20, orphaned: 1, orphanedPct: 5 },
    },
    not_met: {
      told: [...people, ...agents(18, 18, owned), ...many(2, (index) => said.agent(`orphan${index}`, orphaned(index)))],
      counts: { agentsActive: 20, orphaned: 2 },
    },
    empty: { told: [...people, ...bystanders], counts: { agentsActive: 0, orphaned: 0 } },
  },
  'ai.agents.instructions_captured': {
    met: { told: prompts(10, 9), counts: { agentsWithPrompt: 10, captured: 9, capturedPct: 90 } },
    at_risk: { told: prompts(5, 3), counts: { agentsWithPrompt: 5, captured: 3 } },
    not_met: { told: prompts(2, 1), counts: { agentsWithPrompt: 2, captured: 1 } },
    empty: { told: prompts(0, 0), counts: { agentsWithPrompt: 0 } },
  },
  'ai.agents.instruction_changes_reviewed': {
    met: { told: changes(10, 9), counts: { changes: 10, reviewed: 9 } },
    at_risk: { told: changes(5, 3), counts: { changes: 5, reviewed: 3 } },
    not_met: { told: changes(2, 1), counts: { changes: 2, reviewed: 1 } },
    empty: { told: changes(0, 0), counts: { changes: 0, reviewed: 0 } },
  },
  'ai.agents.dormant': {
    met: { told: idle(10, 1), counts: { agentsPublished: 10, dormant: 1, dormantPct: 10 } },
    at_risk: { told: idle(4, 1), counts: { agentsPublished: 4, dormant: 1, dormantPct: 25 } },
    not_met: { told: idle(3, 1), counts: { agentsPublished: 3, dormant: 1, dormantPct: 33.4 } },
    empty: { told: idle(0, 0), counts: { agentsPublished: 0 } },
  },
  'ai.agents.lifecycle_logged': {
    met: { told: made(20, 19), counts: { changedAgents: 20, withEvent: 19 } },
    at_risk: { told: made(5, 4), counts: { changedAgents: 5, withEvent: 4 } },
    not_met: { told: made(4, 3), counts: { changedAgents: 4, withEvent: 3 } },
    empty: { told: made(0, 0), counts: { changedAgents: 0 } },
  },
  'ai.oversight.high_risk_assigned': {
    met: { told: systems(3, 3), counts: { highRiskSystems: 3, withOversight: 3, oversightPct: 100 } },
    at_risk: { told: systems(10, 9), counts: { highRiskSystems: 10, withOversight: 9 } },
    not_met: { told: systems(2, 1), counts: { highRiskSystems: 2, withOversight: 1 } },
    empty: { told: systems(0, 0), counts: { highRiskSystems: 0 } },
    exempt: {
      told: [
        ...systems(2, 1),
        said.tenantFact('usesHighRiskAi', false),
        said.attestation('ai.attest.classification', { attestedAt: ago(dayMs) }),
      ],
      counts: { highRiskSystems: null },
    },
  },
});
