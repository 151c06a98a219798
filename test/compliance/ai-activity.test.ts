import * as happened from './happened.ts';
import { many, nowMs, prefixesOf, type Telling, tellAt, testOutcomes } from './outcomes.ts';
import * as said from './said.ts';

const { dayMs, hourMs } = said;

/** A log that was written at these moments; what it tells happened long before, which makes it no older. */
const written = (...agosMs: readonly number[]): Telling[] =>
  agosMs.map((agoMs) =>
    tellAt(nowMs - agoMs, happened.fileEvent('FileAccessed', `file${agoMs}`, 'anna', nowMs - agoMs - 300 * dayMs)),
  );
/** Written in steps of a day from the first of these moments to the second. */
const daily = (fromMs: number, toMs = 0): Telling[] =>
  written(...many(Math.floor((fromMs - toMs) / dayMs) + 1, (index) => fromMs - index * dayMs));

/** Interactions, of which the first have both an agent or app that is known and an actor. */
const interactions = (count: number, attributed: number) => [
  said.agent('sales', { agentIdentityId: 'identity-of-sales' }),
  said.agent('retired'),
  said.gone('agent', 'retired'),
  said.app('assistant', { appId: '11111111-1111-4111-8111-111111111111' }),
  ...many(count, (index) => {
    const known = [
      { agentId: 'Identity-of-Sales' },
      { agentId: 'retired' },
      { clientId: '11111111-1111-4111-8111-111111111111' },
    ][index % 3];
    const occurredMs = nowMs - 30 * dayMs + index * hourMs;
    if (index < attributed) return happened.interaction('anna', occurredMs, known);
    return index % 2
      ? happened.interaction(null, occurredMs, known)
      : happened.interaction('anna', occurredMs, { agentId: 'stranger' });
  }),
  happened.interaction('anna', nowMs - 30 * dayMs - 1_000, { agentId: 'stranger' }),
];

/** Attacks a week ago, the first followed up at the last moment, by turns by an alert, an action or the end of an episode. */
const attacks = (count: number, triaged: number) => [
  ...many(count, (index) => said.user(`user${index}`)),
  ...many(count, (index) => said.agent(`agent${index}`)),
  ...many(count, (index) =>
    happened.interaction(`user${index}`, nowMs - 7 * dayMs, {
      agentId: `agent${index}`,
      ...(index % 2 ? { messages: happened.jailbreak } : { resources: [{ Id: `file${index}`, XPIADetected: true }] }),
    }),
  ),
  ...many(count, (index) => {
    const atMs = nowMs - 4 * dayMs + (index < triaged ? 0 : 1);
    if (index % 4 === 0) return happened.alert(`alert${index}`, atMs, null, [happened.agentEvidence(`agent${index}`)]);
    if (index % 4 === 1) return happened.alert(`alert${index}`, atMs, null, [happened.userEvidence(`user${index}`)]);
    if (index % 4 === 2)
      return happened.action(`action${index}`, 'quarantineFile', { type: 'file', id: `file${index}` }, atMs);
    const hours = (atMs - (nowMs - 8 * dayMs)) / hourMs;
    return happened.episode(`episode${index}`, nowMs - 8 * dayMs, hours, {
      entity: { type: 'agent', id: `agent${index}`, name: 'Agent' },
    });
  }),
  happened.action('rehearsal', 'blockAgent', { type: 'agent', id: `agent${triaged}` }, nowMs - 6 * dayMs, {
    isSimulated: true,
  }),
  happened.interaction('user0', nowMs - 3 * dayMs + 1_000, { messages: happened.jailbreak }),
  happened.interaction('user0', nowMs - 30 * dayMs - 1_000, { messages: happened.jailbreak }),
  happened.interaction('user0', nowMs - 10 * dayMs),
];

/** Agents used this month, the first on fourteen days, the others on one less. */
const watched = (count: number, covered: number) => [
  said.detector('volume'),
  said.detector('off', { enabled: false }),
  ...many(count, (index) => said.agent(`agent${index}`)),
  ...many(count, (index) =>
    many(index < covered ? 14 : 13, (day) =>
      happened.interaction('anna', nowMs - (29 - day) * dayMs, { agentId: `agent${index}` }),
    ),
  ).flat(),
  said.agent('idle'),
  happened.interaction('anna', nowMs - 30 * dayMs - 1_000, { agentId: 'idle' }),
];
const unwatched = watched(1, 1).map((one) =>
  one.topic === 'compliance' && one.id === 'volume' ? said.detector('volume', { entityTypes: ['user'] }) : one,
);

const subjects = [
  { entity: { type: 'agent', id: 'sales', name: 'Sales' }, actionGroup: 'file.download' },
  { entity: { type: 'app', id: 'assistant', name: 'Assistant' }, actionGroup: 'file.download' },
  { entity: { type: 'user', id: 'anna', name: 'Anna' }, actionGroup: 'ai.sensitiveAccess' },
];
const episodes = (count: number, resolved: number) => [
  said.app('assistant', { isAiApp: true }),
  said.app('crm'),
  ...many(count, (index) => {
    const openedMs = nowMs - (index % 2 ? 60 : 7) * dayMs;
    const late = index % 2 ? 7 * 24 + 1 : null;
    return happened.episode(`episode${index}`, openedMs, index < resolved ? 7 * 24 : late, {
      ...subjects[index % 3],
      ...(index === 0 ? { status: 'dismissed' } : {}),
    });
  }),
  happened.episode('quiet', nowMs - 20 * dayMs, null, { ...subjects[0], level: 'informational' }),
  happened.episode('recent', nowMs - 7 * dayMs + 1, null, subjects[0]),
  happened.episode('ancient', nowMs - 60 * dayMs - 1, null, subjects[0]),
  happened.episode('of-crm', nowMs - 20 * dayMs, null, {
    entity: { type: 'app', id: 'crm', name: 'CRM' },
    actionGroup: 'file.download',
  }),
];

const policies = (count: number, scanned: number) => [
  ...many(count, (index) => said.policy(`policy${index}`, index % 2 ? { subjectType: 'app' } : { aiSubject: null })),
  ...many(count, (index) =>
    happened.policyScan(`scan${index}`, `policy${index}`, nowMs - 7 * dayMs - (index < scanned ? 0 : 1)),
  ),
  ...many(count, (index) => happened.policyScan(`failed${index}`, `policy${index}`, nowMs, { status: 'error' })),
  said.policy('disabled', { enabled: false }),
  said.policy('of-files', { subjectType: 'file', aiSubject: false }),
];

testOutcomes(prefixesOf.aiActivity, {
  'ai.logs.retention_183': {
    met: {
      told: written(183 * dayMs, 0),
      counts: {
        logRowsAny: 1,
        logHistoryDays: 183,
        tenantConnectedDays: 183,
        retentionTargetDays: 183,
        historyReachesConnection: 1,
      },
    },
    not_met: [
      { told: written(183 * dayMs - 1), counts: { logHistoryDays: 182, tenantConnectedDays: 183 } },
      {
        told: written(97 * dayMs),
        connectedMs: nowMs - 100 * dayMs,
        counts: { logHistoryDays: 97, tenantConnectedDays: 100, historyReachesConnection: 0 },
      },
    ],
    'guard:historyReachesConnection': {
      told: written(98 * dayMs),
      connectedMs: nowMs - 100 * dayMs,
      counts: { logHistoryDays: 98, tenantConnectedDays: 100, historyReachesConnection: 1 },
    },
    empty: { told: [], counts: { logRowsAny: 0, logHistoryDays: null } },
  },
  'ai.logs.continuity': {
    met: { told: daily(90 * dayMs), counts: { logRowsAny: 1, maxGapHours: 24, gapsOver24h: 0 } },
    at_risk: [
      {
        told: [...daily(90 * dayMs, 40 * dayMs), ...daily(37 * dayMs)],
        counts: { maxGapHours: 72, gapsOver24h: 1 },
      },
      { told: daily(89 * dayMs - 1, dayMs + 1), counts: { maxGapHours: 48, gapsOver24h: 2 } },
    ],
    not_met: [
      {
        told: [...daily(90 * dayMs, 40 * dayMs), ...daily(37 * dayMs - 1)],
        counts: { maxGapHours: 73, gapsOver24h: 1 },
      },
      { told: written(200 * dayMs), counts: { maxGapHours: 90 * 24, gapsOver24h: 1 } },
      {
        told: daily(6 * dayMs),
        connectedMs: nowMs - 10 * dayMs,
        counts: { maxGapHours: 4 * 24, gapsOver24h: 1 },
      },
    ],
    empty: { told: [], counts: { logRowsAny: 0, maxGapHours: null } },
  },
  'ai.logs.agent_activity_attributed': {
    met: { told: interactions(50, 49), counts: { aiEvents: 50, attributed: 49, attributedPct: 98 } },
    at_risk: { told: interactions(10, 9), counts: { aiEvents: 10, attributed: 9 } },
    not_met: { told: interactions(9, 8), counts: { aiEvents: 9, attributed: 8 } },
    empty: { told: interactions(0, 0), counts: { aiEvents: 0 } },
  },
  'ai.threats.prompt_injection_triaged': {
    met: { told: attacks(20, 19), counts: { threatEvents: 20, triaged: 19, aiEvents: 22, triagedPct: 95 } },
    at_risk: { told: attacks(8, 6), counts: { threatEvents: 8, triaged: 6 } },
    not_met: { told: attacks(7, 5), counts: { threatEvents: 7, triaged: 5 } },
    empty: { told: [happened.interaction('anna', nowMs - 10 * dayMs)], counts: { threatEvents: 0, aiEvents: 1 } },
    exempt: { told: [], counts: { aiEvents: 0 } },
  },
  'ai.detection.coverage': {
    met: { told: watched(10, 9), counts: { agentsActive30d: 10, covered: 9 } },
    at_risk: { told: watched(10, 7), counts: { agentsActive30d: 10, covered: 7 } },
    not_met: [
      { told: watched(3, 2), counts: { agentsActive30d: 3, covered: 2 } },
      { told: unwatched, counts: { agentsActive30d: 1, covered: 0 } },
    ],
    empty: { told: watched(0, 0), counts: { agentsActive30d: 0 } },
  },
  'ai.detection.resolved_7d': {
    met: { told: episodes(10, 9), counts: { episodes: 10, resolvedInTime: 9 } },
    at_risk: { told: episodes(10, 7), counts: { episodes: 10, resolvedInTime: 7 } },
    not_met: { told: episodes(3, 2), counts: { episodes: 3, resolvedInTime: 2 } },
    empty: { told: episodes(0, 0), counts: { episodes: 0 } },
  },
  'ai.policies.scanned': {
    met: { told: policies(2, 2), counts: { aiPolicies: 2, scanned7d: 2 } },
    at_risk: { told: policies(5, 4), counts: { aiPolicies: 5, scanned7d: 4 } },
    not_met: { told: policies(4, 3), counts: { aiPolicies: 4, scanned7d: 3 } },
    empty: { told: policies(0, 0), counts: { aiPolicies: 0 } },
  },
});
