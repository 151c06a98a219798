import * as events from './events.ts';
import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;
const ago = (ms: number) => input.at(nowMs - ms);

/** Agents that no rule counts as active, whatever they lack. */
const uncounted = [
  input.agent('draft', { lifecycleStatus: 'draft' }),
  input.agent('blocked', { isBlocked: true }),
  input.agent('undead'),
  input.deletedEntity('agent', 'undead'),
];
const users = [
  input.user('anna'),
  input.user('left', { accountEnabled: false }),
  input.user('late'),
  input.deletedEntity('user', 'late'),
];

/** Active agents; the first ones have the given properties. */
const agents = (count: number, first: number, those: Record<string, unknown>, others: Record<string, unknown> = {}) =>
  many(count, (index) => input.agent(`agent${index}`, index < first ? those : others));
const owned = { ownerId: 'ANNA', ownerSource: 'nativeOwner' };
const orphaned = (index: number) => ({ owners: [{ id: index % 2 ? 'left' : 'late' }], sponsors: [{ id: 'stranger' }] });

/** Agents with and without a stored prompt, plus agents that need no prompt. */
const prompts = (count: number, captured: number) => [
  ...uncounted,
  input.agent('classic', { orchestration: 'classic' }),
  input.agent('engine', { kind: 'customEngineAgent' }),
  input.agent('vendors', { publisherType: 'microsoft' }),
  ...agents(count, captured, { instructions: 'Answer politely.' }),
];

/** Changes of a month ago: some were reviewed in time, each in another way; others too late or for another agent. */
const changes = (count: number, reviewed: number) => [
  ...many(count, (index) => input.agent(`agent${index}`, { appId: `app${index}` })),
  ...many(count, (index) => input.instructionChange(`change${index}`, `APP${index}`, nowMs - 30 * dayMs)),
  ...many(count, (index) => {
    const lookedMs = nowMs - 30 * dayMs + (index < reviewed ? 14 * dayMs : 14 * dayMs + 1);
    const looked = { resourceType: 'agent', acknowledgedAt: input.at(lookedMs) };
    if (index % 3 === 0)
      return events.action(
        `action${index}`,
        'notifyOwner',
        { type: 'agent', id: `agent${index}` },
        nowMs - 30 * dayMs,
        looked,
      );
    if (index % 3 === 1) return input.decision('instructionChange', `change${index}`, 'reviewed', lookedMs);
    const note = { subject: { type: 'agent', id: `agent${index}` }, attestedAt: input.at(lookedMs) };
    return input.attestation(`note.of.agent${index}`, note);
  }),
  input.instructionChange('recent', 'agent0', nowMs - 14 * dayMs + 1),
  input.instructionChange('ancient', 'agent0', nowMs - 90 * dayMs - 1),
];

/** A change reviewed in time, by a note that has no effect from this time on. */
const withdrawnNote = (withdrawnMs: number) => [
  input.agent('agent', { appId: 'app' }),
  input.instructionChange('change', 'app', nowMs - 30 * dayMs),
  input.attestation('note.of.agent', {
    ...{ subject: { type: 'agent', id: 'agent' }, attestedAt: input.at(nowMs - 29 * dayMs) },
    ...{ withdrawnAt: input.at(withdrawnMs), withdrawnBy: 'chief' },
  }),
];

/** A change, and states of one record of a note, each recorded when it was attested or withdrawn. */
const renewedNote = (...states: readonly (readonly [attestedDays: number, withdrawnDays?: number])[]) => [
  input.agent('agent', { appId: 'app' }),
  input.instructionChange('change', 'app', nowMs - 30 * dayMs),
  ...states.map(([attestedDays, withdrawnDays]) =>
    ingestedAt(
      nowMs - (withdrawnDays ?? attestedDays) * dayMs,
      input.attestation('note.of.agent', {
        ...{ subject: { type: 'agent', id: 'agent' }, attestedAt: ago(attestedDays * dayMs) },
        ...(withdrawnDays === undefined ? {} : { withdrawnAt: ago(withdrawnDays * dayMs), withdrawnBy: 'chief' }),
      }),
    ),
  ),
];

/** A change, and states of one record of a decision about its agent, each recorded when it was made. */
const renewedDecision = (...states: readonly (readonly [decidedDays: number, agent?: string])[]) => [
  input.agent('agent', { appId: 'app' }),
  input.agent('other', {}),
  input.instructionChange('change', 'app', nowMs - 30 * dayMs),
  ...states.map(([days, agent = 'agent'], index) =>
    ingestedAt(
      nowMs - days * dayMs + index,
      input.decision('agent', agent, 'reviewed', nowMs - days * dayMs, {}, 'review'),
    ),
  ),
];

const clientId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Agents and apps that the tenant classifies as high-risk; some have an active responsible person. */
const systems = (count: number, overseen: number) => [
  ...users,
  ...many(count, (index) => (index % 2 ? input.app : input.agent)(`system${index}`, { appId: clientId(index) })),
  ...many(count, (index) =>
    input.riskClass(index % 2 ? 'app' : 'agent', index % 3 ? `System${index}` : clientId(index), 'high'),
  ),
  ...many(count, (index) =>
    input.accountable(index % 2 ? 'app' : 'agent', `system${index}`, index < overseen ? 'anna' : 'left'),
  ),
  input.agent('minimal'),
  input.riskClass('agent', 'minimal', 'minimal'),
  input.agent('gone'),
  input.riskClass('agent', 'gone', 'high'),
  input.deletedEntity('agent', 'gone'),
];

/** Created agents with a creation event in the log; the last ones have only an update event. */
const createdAgents = (count: number, facts: number) => [
  ...many(count, (index) =>
    input.agent(
      `agent${index}`,
      index % 2 ? { createdAt: ago(90 * dayMs) } : { createdAt: ago(400 * dayMs), lastPublishedAt: ago(30 * dayMs) },
    ),
  ),
  ...many(count, (index) => {
    const operation = index % 2 ? 'BotCreate' : 'BotUpdateOperation-BotPublish';
    return events.lifecycleEvent(
      index < facts ? operation : 'BotUpdateOperation-BotNameUpdate',
      `AGENT${index}`,
      nowMs - 30 * dayMs,
    );
  }),
  input.agent('older', { createdAt: ago(90 * dayMs + 1) }),
];

/** Old agents; the first ones were last used more than 90 days ago or never. */
const idle = (count: number, dormant: number) => [
  ...uncounted,
  input.agent('new', { createdAt: ago(90 * dayMs - 1) }),
  ...many(count, (index) => {
    const used = index < dormant ? { lastActivityAt: index % 2 ? ago(90 * dayMs + 1) : null } : {};
    return input.agent(`agent${index}`, { createdAt: index === 0 ? null : ago(90 * dayMs), ...used });
  }),
  ...many(count, (index) =>
    events.interaction('anna', nowMs - 90 * dayMs - (index < dormant ? hourMs : 0), { agentId: `Agent${index}` }),
  ),
];

testOutcomes(requirementPrefixes.agents, {
  'ai.agents.inventory_fresh': {
    met: {
      records: [
        ...uncounted,
        input.sourceStatus('agents', nowMs - 24 * hourMs),
        input.sourceStatus('agents/entra', nowMs),
      ],
      counts: { agentsTotal: 2, sourcesExpected: 2, sourcesFresh: 2, oldestImportAgeHours: 24 },
    },
    at_risk: [
      {
        records: [input.sourceStatus('agents', nowMs - 24 * hourMs - 1), input.sourceStatus('agents/entra', nowMs)],
        counts: { agentsTotal: 0, sourcesExpected: 2, sourcesFresh: 1, oldestImportAgeHours: 25 },
      },
      {
        records: [input.sourceStatus('agents', nowMs - 72 * hourMs)],
        counts: { sourcesExpected: 1, sourcesFresh: 0, oldestImportAgeHours: 72 },
      },
    ],
    not_met: {
      records: [input.sourceStatus('agents', nowMs), input.sourceStatus('agents/packages', nowMs - 72 * hourMs - 1)],
      counts: { sourcesExpected: 2, sourcesFresh: 1, oldestImportAgeHours: 73 },
    },
    empty: {
      records: [
        input.sourceStatus('agents', nowMs, { enabled: false }),
        input.sourceStatus('agents/entra', nowMs, { licensed: false }),
      ],
      counts: { sourcesExpected: 0, oldestImportAgeHours: null },
    },
    untold: [
      {
        records: [input.sourceStatus('agents', nowMs), input.sourceStatus('agents/entra', null)],
        counts: { sourcesExpected: 2, sourcesFresh: 1, oldestImportAgeHours: null },
      },
      {
        // An import that claims to end more than an hour ahead of now.
        records: [input.sourceStatus('agents', nowMs), input.sourceStatus('agents/entra', nowMs + hourMs + 1)],
        counts: { sourcesExpected: 2, sourcesFresh: 1, oldestImportAgeHours: null },
      },
    ],
  },
  'ai.agents.accountable_person': {
    met: {
      records: [
        ...users,
        ...uncounted,
        ...agents(20, 17, owned, { ownerId: 'left', ownerSource: 'nativeOwner' }),
        input.accountable('agent', 'agent17', 'anna@contoso.example'),
        input.agent('agent18', { ownerId: 'left', sponsors: [{ id: 'anna' }] }),
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
      records: [...users, ...agents(5, 4, owned), input.accountable('agent', 'agent4', 'left')],
      counts: { agentsActive: 5, agentsWithAccountable: 4, withoutAccountable: 1, withoutAccountableTenantWide: 0 },
    },
    not_met: {
      records: [...users, ...agents(4, 3, owned, { ownerId: 'late', ownerSource: 'nativeSponsor' })],
      counts: { agentsActive: 4, agentsWithAccountable: 3, byNative: 3, byAssignment: 0 },
    },
    empty: { records: [...users, ...uncounted], counts: { agentsActive: 0 } },
    'guard:withoutAccountableTenantWide': [
      {
        records: [...users, ...agents(20, 19, owned, { hasTenantWideReach: true })],
        counts: { agentsWithAccountable: 19, withoutAccountableTenantWide: 1, accountablePct: 95 },
      },
      {
        records: [
          ...users,
          ...agents(20, 19, owned),
          input.grant('grant', 'agent19', { value: 'Mail.Send', writeAccess: undefined }),
        ],
        counts: { withoutAccountable: 1, withoutAccountableTenantWide: 1 },
      },
    ],
  },
  'ai.agents.no_orphans': {
    met: {
      records: [
        ...users,
        ...uncounted,
        ...agents(2, 1, owned),
        input.agent('other', { owners: [{ id: 'left' }, { id: 'anna' }] }),
      ],
      counts: { agentsActive: 3, orphaned: 0, orphanedPct: 0 },
    },
    at_risk: {
      records: [...users, ...agents(19, 19, owned), input.agent('orphan', orphaned(0))],
      counts: { agentsActive: 20, orphaned: 1, orphanedPct: 5 },
    },
    not_met: {
      records: [
        ...users,
        ...agents(18, 18, owned),
        ...many(2, (index) => input.agent(`orphan${index}`, orphaned(index))),
      ],
      counts: { agentsActive: 20, orphaned: 2 },
    },
    unknown: {
      // The service has a person for it, but no directory reports its owners.
      records: [
        ...users,
        ...agents(20, 20, owned),
        input.agent('other', { owners: null }),
        input.accountable('agent', 'other', 'anna'),
      ],
      counts: { agentsActive: 21, orphaned: 1, unknown: 1 },
    },
    empty: { records: [...users, ...uncounted], counts: { agentsActive: 0, orphaned: 0 } },
  },
  'ai.agents.instructions_captured': {
    met: { records: prompts(10, 9), counts: { agentsWithPrompt: 10, captured: 9, capturedPct: 90 } },
    at_risk: { records: prompts(5, 3), counts: { agentsWithPrompt: 5, captured: 3 } },
    not_met: { records: prompts(2, 1), counts: { agentsWithPrompt: 2, captured: 1 } },
    empty: { records: prompts(0, 0), counts: { agentsWithPrompt: 0 } },
  },
  'ai.agents.instruction_changes_reviewed': {
    met: [
      { records: changes(10, 9), counts: { changes: 10, reviewed: 9 } },
      { records: withdrawnNote(nowMs + 1), counts: { changes: 1, reviewed: 1 } },
      // The note was made again later, and the later one was withdrawn.
      { records: renewedNote([29], [2]), counts: { changes: 1, reviewed: 1 } },
      { records: renewedNote([29], [5], [5, 2]), counts: { changes: 1, reviewed: 1 } },
      // The decision was made again later, under the same id.
      { records: renewedDecision([29], [2]), counts: { changes: 1, reviewed: 1 } },
    ],
    at_risk: { records: changes(5, 3), counts: { changes: 5, reviewed: 3 } },
    not_met: [
      { records: changes(2, 1), counts: { changes: 2, reviewed: 1 } },
      { records: withdrawnNote(nowMs), counts: { changes: 1, reviewed: 0 } },
      { records: renewedNote([29], [29, 10], [2]), counts: { changes: 1, reviewed: 0 } },
      // The decision was about another agent, as its next state of the same time reports.
      { records: renewedDecision([29], [29, 'other']), counts: { changes: 1, reviewed: 0 } },
    ],
    empty: { records: changes(0, 0), counts: { changes: 0, reviewed: 0 } },
  },
  'ai.agents.dormant': {
    met: { records: idle(10, 1), counts: { agentsPublished: 10, dormant: 1, dormantPct: 10 } },
    at_risk: { records: idle(4, 1), counts: { agentsPublished: 4, dormant: 1, dormantPct: 25 } },
    not_met: { records: idle(3, 1), counts: { agentsPublished: 3, dormant: 1, dormantPct: 33.4 } },
    unknown: {
      records: [...idle(10, 1), input.agent('unreported', { lifecycleStatus: undefined })],
      counts: { agentsPublished: 11, dormant: 2, unknown: 1 },
    },
    empty: { records: idle(0, 0), counts: { agentsPublished: 0 } },
  },
  'ai.agents.lifecycle_logged': {
    met: { records: createdAgents(20, 19), counts: { changedAgents: 20, withEvent: 19 } },
    at_risk: { records: createdAgents(5, 4), counts: { changedAgents: 5, withEvent: 4 } },
    not_met: { records: createdAgents(4, 3), counts: { changedAgents: 4, withEvent: 3 } },
    empty: { records: createdAgents(0, 0), counts: { changedAgents: 0 } },
  },
  'ai.oversight.high_risk_assigned': {
    met: { records: systems(3, 3), counts: { highRiskSystems: 3, withOversight: 3, oversightPct: 100 } },
    at_risk: { records: systems(10, 9), counts: { highRiskSystems: 10, withOversight: 9 } },
    not_met: { records: systems(2, 1), counts: { highRiskSystems: 2, withOversight: 1 } },
    empty: { records: systems(0, 0), counts: { highRiskSystems: 0 } },
    exempt: {
      records: [
        ...systems(2, 1),
        input.tenantFact('usesHighRiskAi', false),
        input.attestation('ai.attest.classification', { attestedAt: ago(dayMs) }),
      ],
      counts: { highRiskSystems: null },
    },
  },
});
