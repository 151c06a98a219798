import * as events from './events.ts';
import * as input from './input-records.ts';
import { ingestedAt, many, nowMs, requirementPrefixes, type TimedRecords, testOutcomes } from './outcomes.ts';

const { dayMs, hourMs } = input;

/** A log written at these times; its events happened long before, which does not change its age. */
const written = (...agosMs: readonly number[]): TimedRecords[] =>
  agosMs.map((agoMs) =>
    ingestedAt(nowMs - agoMs, events.fileEvent('FileAccessed', `file${agoMs}`, 'anna', nowMs - agoMs - 300 * dayMs)),
  );
/** Written in steps of one day from the first of these times to the second. */
const daily = (fromMs: number, toMs = 0): TimedRecords[] =>
  written(...many(Math.floor((fromMs - toMs) / dayMs) + 1, (index) => fromMs - index * dayMs));

/** Interactions; the first ones have both a registered agent or app and an actor. */
const interactions = (count: number, attributed: number) => [
  input.agent('sales', { agentIdentityId: 'identity-of-sales' }),
  input.agent('retired'),
  input.deletedEntity('agent', 'retired'),
  input.app('assistant', { appId: '11111111-1111-4111-8111-111111111111' }),
  ...many(count, (index) => {
    const sources = [
      { agentId: 'Identity-of-Sales' },
      { agentId: 'retired' },
      { clientId: '11111111-1111-4111-8111-111111111111' },
    ][index % 3];
    const occurredMs = nowMs - 30 * dayMs + index * hourMs;
    if (index < attributed) return events.interaction('anna', occurredMs, sources);
    return index % 2
      ? events.interaction(null, occurredMs, sources)
      : events.interaction('anna', occurredMs, { agentId: 'stranger' });
  }),
  events.interaction('anna', nowMs - 30 * dayMs - 1_000, { agentId: 'stranger' }),
];

/** Attacks of a week ago; the first ones are followed up at the last instant by an alert, an action or the end of an episode in rotation. */
const attacks = (count: number, triaged: number) => [
  ...many(count, (index) => input.user(`user${index}`)),
  ...many(count, (index) => input.agent(`agent${index}`)),
  ...many(count, (index) =>
    events.interaction(`user${index}`, nowMs - 7 * dayMs, {
      agentId: `agent${index}`,
      ...(index % 2 ? { messages: events.jailbreak } : { resources: [{ Id: `file${index}`, XPIADetected: true }] }),
    }),
  ),
  ...many(count, (index) => {
    const atMs = nowMs - 4 * dayMs + (index < triaged ? 0 : 1);
    if (index % 4 === 0) return events.alert(`alert${index}`, atMs, null, [events.agentEvidence(`agent${index}`)]);
    if (index % 4 === 1) return events.alert(`alert${index}`, atMs, null, [events.userEvidence(`user${index}`)]);
    if (index % 4 === 2)
      return events.action(`action${index}`, 'quarantineFile', { type: 'file', id: `file${index}` }, atMs);
    const hours = (atMs - (nowMs - 8 * dayMs)) / hourMs;
    return events.episode(`episode${index}`, nowMs - 8 * dayMs, hours, {
      entity: { type: 'agent', id: `agent${index}`, name: 'Agent' },
    });
  }),
  events.action('rehearsal', 'blockAgent', { type: 'agent', id: `agent${triaged}` }, nowMs - 6 * dayMs, {
    isSimulated: true,
  }),
  events.interaction('user0', nowMs - 3 * dayMs + 1_000, { messages: events.jailbreak }),
  events.interaction('user0', nowMs - 30 * dayMs - 1_000, { messages: events.jailbreak }),
  events.interaction('user0', nowMs - 10 * dayMs),
];

/** Attacks whose follow-ups name the agent and the person by other names than the log does. */
const attacksByName = [
  input.agent('sales', { appId: 'app-of-sales', agentIdentityId: 'identity-of-sales' }),
  input.user('anna', { mail: 'Anna.Nowak@contoso.example' }),
  ...['identity-of-sales', 'stranger'].map((agentId) =>
    events.interaction('anna', nowMs - 7 * dayMs, { agentId, messages: events.jailbreak }),
  ),
];
const followUpsByName = [
  events.action('action', 'blockAgent', { type: 'agent', id: 'APP-of-Sales' }, nowMs - 6 * dayMs),
  events.alert('alert', nowMs - 6 * dayMs, null, [
    {
      '@odata.type': '#microsoft.graph.security.userEvidence',
      userAccount: { userPrincipalName: 'anna.nowak@contoso.example' },
    },
  ]),
];

/** Agents used this month, the first on fourteen days, the others on thirteen. */
const watched = (count: number, covered: number) => [
  input.detector('volume'),
  input.detector('off', { enabled: false }),
  ...many(count, (index) => input.agent(`agent${index}`)),
  ...many(count, (index) =>
    many(index < covered ? 14 : 13, (day) =>
      events.interaction('anna', nowMs - (29 - day) * dayMs, { agentId: `agent${index}` }),
    ),
  ).flat(),
  input.agent('idle'),
  events.interaction('anna', nowMs - 30 * dayMs - 1_000, { agentId: 'idle' }),
];
const unwatched = watched(1, 1).map((one) =>
  one.topic === 'compliance' && one.id === 'volume' ? input.detector('volume', { entityTypes: ['user'] }) : one,
);

const subjects = [
  { entity: { type: 'agent', id: 'sales', name: 'Sales' }, actionGroup: 'file.download' },
  { entity: { type: 'app', id: 'assistant', name: 'Assistant' }, actionGroup: 'file.download' },
  { entity: { type: 'user', id: 'anna', name: 'Anna' }, actionGroup: 'ai.sensitiveAccess' },
];
const episodes = (count: number, resolved: number) => [
  input.app('assistant', { isAiApp: true }),
  input.app('crm'),
  ...many(count, (index) => {
    const openedMs = nowMs - (index % 2 ? 60 : 7) * dayMs;
    const late = index % 2 ? 7 * 24 + 1 : null;
    return events.episode(`episode${index}`, openedMs, index < resolved ? 7 * 24 : late, {
      ...subjects[index % 3],
      ...(index === 0 ? { status: 'dismissed' } : {}),
    });
  }),
  events.episode('quiet', nowMs - 20 * dayMs, null, { ...subjects[0], level: 'informational' }),
  events.episode('recent', nowMs - 7 * dayMs + 1, null, subjects[0]),
  events.episode('ancient', nowMs - 60 * dayMs - 1, null, subjects[0]),
  events.episode('of-crm', nowMs - 20 * dayMs, null, {
    entity: { type: 'app', id: 'crm', name: 'CRM' },
    actionGroup: 'file.download',
  }),
];

/** Episodes about an app of which it is not reported whether it is an AI app, and about one that no inventory has. */
const unclassified = (count: number, resolved: number) => [
  input.app('unclassified', { isAiApp: null }),
  ...many(count, (index) =>
    events.episode(`unclassified${index}`, nowMs - 20 * dayMs, index < resolved ? 1 : null, {
      entity: { type: 'app', id: index % 2 ? 'unlisted' : 'unclassified', name: 'App' },
      actionGroup: 'file.download',
    }),
  ),
];

/** A resolved episode for each way in which a detector may name an AI app. */
const byName = [
  input.app('ABCDEF00-0000-4000-8000-000000000001', { isAiApp: true, appId: 'ABCDEF00-0000-4000-8000-000000000002' }),
  ...[1, 2].flatMap((number) => {
    const id = `abcdef00-0000-4000-8000-00000000000${number}`;
    return [id, id.toUpperCase()].map((name) =>
      events.episode(name, nowMs - 20 * dayMs, 1, {
        entity: { type: 'app', id: name, name: 'App' },
        actionGroup: 'file.download',
      }),
    );
  }),
];

const policies = (count: number, scanned: number) => [
  ...many(count, (index) => input.policy(`policy${index}`, index % 2 ? { subjectType: 'app' } : { aiSubject: null })),
  ...many(count, (index) =>
    events.policyScan(`scan${index}`, `policy${index}`, nowMs - 7 * dayMs - (index < scanned ? 0 : 1)),
  ),
  ...many(count, (index) => events.policyScan(`failed${index}`, `policy${index}`, nowMs, { status: 'error' })),
  input.policy('disabled', { enabled: false }),
  input.policy('of-files', { subjectType: 'file', aiSubject: false }),
  input.policy('of-users', { subjectType: 'user', aiSubject: null }),
  input.policy('of-anything', { subjectType: null, aiSubject: false }),
];

testOutcomes(requirementPrefixes.aiActivity, {
  'ai.logs.retention_183': {
    met: {
      records: written(183 * dayMs, 0),
      counts: {
        logRowsAny: 1,
        logHistoryDays: 183,
        tenantConnectedDays: 183,
        retentionTargetDays: 183,
        historyReachesConnection: 1,
      },
    },
    not_met: [
      { records: written(183 * dayMs - 1), counts: { logHistoryDays: 182, tenantConnectedDays: 183 } },
      {
        records: written(97 * dayMs),
        connectedMs: nowMs - 100 * dayMs,
        counts: { logHistoryDays: 97, tenantConnectedDays: 100, historyReachesConnection: 0 },
      },
    ],
    'guard:historyReachesConnection': {
      records: written(98 * dayMs),
      connectedMs: nowMs - 100 * dayMs,
      counts: { logHistoryDays: 98, tenantConnectedDays: 100, historyReachesConnection: 1 },
    },
    empty: { records: [], counts: { logRowsAny: 0, logHistoryDays: null } },
  },
  'ai.logs.continuity': {
    met: { records: daily(90 * dayMs), counts: { logRowsAny: 1, maxGapHours: 24, gapsOver24h: 0 } },
    at_risk: [
      {
        records: [...daily(90 * dayMs, 40 * dayMs), ...daily(37 * dayMs)],
        counts: { maxGapHours: 72, gapsOver24h: 1 },
      },
      { records: daily(89 * dayMs - 1, dayMs + 1), counts: { maxGapHours: 48, gapsOver24h: 2 } },
    ],
    not_met: [
      {
        records: [...daily(90 * dayMs, 40 * dayMs), ...daily(37 * dayMs - 1)],
        counts: { maxGapHours: 73, gapsOver24h: 1 },
      },
      { records: written(200 * dayMs), counts: { maxGapHours: 90 * 24, gapsOver24h: 1 } },
      {
        records: daily(6 * dayMs),
        connectedMs: nowMs - 10 * dayMs,
        counts: { maxGapHours: 4 * 24, gapsOver24h: 1 },
      },
    ],
    empty: { records: [], counts: { logRowsAny: 0, maxGapHours: null } },
  },
  'ai.logs.agent_activity_attributed': {
    met: { records: interactions(50, 49), counts: { aiEvents: 50, attributed: 49, attributedPct: 98 } },
    at_risk: { records: interactions(10, 9), counts: { aiEvents: 10, attributed: 9 } },
    not_met: { records: interactions(9, 8), counts: { aiEvents: 9, attributed: 8 } },
    empty: { records: interactions(0, 0), counts: { aiEvents: 0 } },
  },
  'ai.threats.prompt_injection_triaged': {
    met: [
      { records: attacks(20, 19), counts: { threatEvents: 20, triaged: 19, aiEvents: 22, triagedPct: 95 } },
      { records: [...attacksByName, followUpsByName[1] as input.InputRecord], counts: { threatEvents: 2, triaged: 2 } },
    ],
    at_risk: { records: attacks(8, 6), counts: { threatEvents: 8, triaged: 6 } },
    not_met: [
      { records: attacks(7, 5), counts: { threatEvents: 7, triaged: 5 } },
      { records: [...attacksByName, followUpsByName[0] as input.InputRecord], counts: { threatEvents: 2, triaged: 1 } },
    ],
    empty: { records: [events.interaction('anna', nowMs - 10 * dayMs)], counts: { threatEvents: 0, aiEvents: 1 } },
    exempt: { records: [], counts: { aiEvents: 0 } },
  },
  'ai.detection.coverage': {
    met: { records: watched(10, 9), counts: { agentsActive30d: 10, covered: 9 } },
    at_risk: { records: watched(10, 7), counts: { agentsActive30d: 10, covered: 7 } },
    not_met: [
      { records: watched(3, 2), counts: { agentsActive30d: 3, covered: 2 } },
      { records: unwatched, counts: { agentsActive30d: 1, covered: 0 } },
    ],
    empty: { records: watched(0, 0), counts: { agentsActive30d: 0 } },
  },
  'ai.detection.resolved_7d': {
    met: [
      { records: episodes(10, 9), counts: { episodes: 10, resolvedInTime: 9 } },
      { records: byName, counts: { episodes: 4, resolvedInTime: 4, unknown: 0 } },
    ],
    at_risk: { records: episodes(10, 7), counts: { episodes: 10, resolvedInTime: 7 } },
    not_met: { records: episodes(3, 2), counts: { episodes: 3, resolvedInTime: 2 } },
    empty: { records: episodes(0, 0), counts: { episodes: 0 } },
    unknown: {
      // Resolved or not, an episode about an app that may be an AI app is neither left out nor in order.
      records: [...episodes(10, 10), ...unclassified(2, 1)],
      counts: { episodes: 12, resolvedInTime: 10, unknown: 2 },
    },
    half: { records: [...episodes(1, 1), ...unclassified(1, 1)], counts: { episodes: 2, unknown: 1 } },
  },
  'ai.policies.scanned': {
    met: { records: policies(2, 2), counts: { aiPolicies: 2, scanned7d: 2 } },
    at_risk: { records: policies(5, 4), counts: { aiPolicies: 5, scanned7d: 4 } },
    not_met: { records: policies(4, 3), counts: { aiPolicies: 4, scanned7d: 3 } },
    empty: { records: policies(0, 0), counts: { aiPolicies: 0, unknown: 0 } },
  },
});
