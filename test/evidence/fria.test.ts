import type { JsonObject } from '@tenantscope/proof';
import { expect, test } from 'vitest';
import * as happened from '../compliance/happened.ts';
import * as said from '../compliance/said.ts';
import { strangeTenant } from '../compliance/told.ts';
import { readSection } from './read.ts';
import { toldThreat } from './say.ts';
import { ms, toldMonth, toMs } from './told-month.ts';

const { at, dayMs, hourMs } = said;
const { told, window, fromMs, sectionOf } = await toldMonth({ days: 28 });

const systemsOf = (sayings: readonly said.Saying[]) => sectionOf('fria_systems', sayings);

async function answersOf(sayings: readonly said.Saying[], tellMs?: number) {
  const rows = await sectionOf('fria_summary', sayings, tellMs);
  return Object.fromEntries(rows.map(({ key, answer, basis, asOf }) => [key, { answer, basis, asOf }]));
}

test('a system of which all is known', async () => {
  const [system] = await systemsOf([
    said.user('anna', { displayName: 'Anna', department: 'Sales' }),
    said.user('bert', { displayName: 'Bert', department: 'Finance' }),
    said.guest('gus'),
    said.agent('sales', {
      displayName: 'Sales helper',
      description: 'Helps to sell.',
      instructions: 'Answer questions of customers. The api key: abcdef123456 is for you.',
      platform: 'copilotStudio',
      ownerId: 'anna',
      ownerName: 'Anna',
      ownerSource: 'nativeSponsor',
      fileReachCount: 120,
      sensitiveFileReachCount: 7,
      sensitiveInfoTypes: [
        { id: 'iban', name: 'IBAN' },
        { id: 'pesel', name: 'PESEL' },
      ],
      knowledgeSources: [{ id: 'k1', name: 'Price list', type: 'site' }],
    }),
    said.restriction('r1', 'iban', 'noAiAccess', ms),
    said.restriction('r2', 'iban', 'monitored', toMs + 1),
    said.riskClass('agent', 'sales', 'high'),
    said.decision('agent', 'sales', 'approved', ms, { purpose: 'Sales', declaredGroups: ['customers'] }),
    said.attestation('prv.attest.dpia', { attestedAt: at(ms), validUntil: null, evidenceRefs: ['DPIA-7'] }),
    said.attestation('ai.attest.persons_informed', { attestedAt: at(ms), complaintChannel: 'dpo@contoso.example' }),
    happened.interaction('anna', ms, { agentId: 'sales' }),
    happened.interaction('bert', ms + dayMs, { agentId: 'sales' }),
    happened.interaction('gus', ms + dayMs, { agentId: 'sales' }),
    toldThreat('t1', 'sales', 'jailbreak', ms, { outcome: 'detected' }),
    toldThreat('t2', 'sales', 'xpia', ms + dayMs, { outcome: 'blocked' }),
    happened.episode('x1', ms, null),
    happened.alert('al1', ms + 2 * dayMs, null, [happened.agentEvidence('sales')]),
    happened.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, ms + hourMs, {
      settledAt: at(ms + 2 * hourMs),
    }),
    happened.action('a2', 'blockAgent', { type: 'agent', id: 'sales' }, ms + hourMs, { isSimulated: true }),
  ]);
  expect(system).toEqual({
    agentId: 'sales',
    agentName: 'Sales helper',
    riskClass: 'high',
    purpose: {
      text: 'Answer questions of customers. The api key: [removed] is for you.',
      source: 'instructions',
    },
    period: { from: at(ms), to: at(ms + dayMs), eventsPerWeek: 3, activeDays: 2 },
    affectedPersons: { users: 3, externalUsers: 1, departments: ['Finance', 'Sales'], declaredGroups: ['customers'] },
    reach: {
      files: 120,
      sensitiveFiles: 7,
      restrictedTypes: [{ id: 'iban', level: 'noAiAccess' }],
      sensitiveTypes: [
        { id: 'iban', name: 'IBAN' },
        { id: 'pesel', name: 'PESEL' },
      ],
    },
    knowledgeSources: [{ type: 'site', name: 'Price list', url: null, sensitivity: null }],
    oversight: {
      accountable: { userId: 'anna', name: 'Anna', enabled: true },
      source: 'nativeSponsor',
      canStop: true,
      stopControl: 'quarantine',
    },
    incidents: { threatEvents: 2, detections: 1, alerts: 1, open: 2, lastAt: at(ms + 2 * dayMs) },
    measures: { remediationActions: 1, complaintChannel: 'dpo@contoso.example' },
    dpiaRef: 'DPIA-7',
    missing: ['Art. 27(1)(d): specific risks of harm', 'Art. 27(1)(f): governance when risks materialise'],
  });
});

test('a system of which nothing but its name is known', async () => {
  const [system] = await systemsOf([said.agent('bot', { platform: null })]);
  expect(system).toEqual({
    agentId: 'bot',
    agentName: 'Agent bot',
    riskClass: 'unclassified',
    purpose: { text: null, source: 'none' },
    period: { from: null, to: null, eventsPerWeek: null, activeDays: null },
    affectedPersons: { users: null, externalUsers: null, departments: null, declaredGroups: null },
    reach: { files: null, sensitiveFiles: null, restrictedTypes: null, sensitiveTypes: null },
    knowledgeSources: [],
    oversight: { accountable: null, source: 'none', canStop: false, stopControl: null },
    incidents: { threatEvents: 0, detections: 0, alerts: 0, open: 0, lastAt: null },
    measures: { remediationActions: 0, complaintChannel: null },
    dpiaRef: null,
    missing: [
      'Art. 27(1)(a): purpose and process',
      'Art. 27(1)(b): period and frequency of use',
      'Art. 27(1)(c): affected third persons and groups',
      'Art. 27(1)(d): data within reach',
      'Art. 27(1)(d): specific risks of harm',
      'Art. 27(1)(e): accountable person',
      'Art. 27(1)(e): stop control',
      'Art. 27(1)(f): governance when risks materialise',
      'Art. 27(1)(f): complaint mechanism',
    ],
  });
});

test('who left is accountable for nothing, and an attestation that ran out refers to nothing', async () => {
  const [system] = await systemsOf([
    said.user('anna', { accountEnabled: false }),
    said.agent('bot', { ownerId: 'anna', ownerSource: 'nativeOwner' }),
    said.attestation('prv.attest.dpia', { attestedAt: at(ms), validUntil: at(toMs - 1), evidenceRefs: ['DPIA-7'] }),
  ]);
  expect(system).toMatchObject({ oversight: { accountable: { userId: 'anna', enabled: false } }, dpiaRef: null });
});

test('an alert that a record tells is one incident, whether or not the alert itself is known', async () => {
  const sayings = [
    said.agent('sales'),
    toldThreat('t1', 'sales', 'alert', ms, { relatedAlertIds: ['al1'] }),
    toldThreat('t2', 'sales', 'alert', ms, { relatedAlertIds: ['elsewhere'] }),
    happened.alert('al1', ms, null, [happened.agentEvidence('sales')]),
  ];
  const [system] = await systemsOf(sayings);
  expect(system).toMatchObject({ incidents: { threatEvents: 0, alerts: 2, open: 2 } });
  expect((await answersOf(sayings)).incidents_total?.answer).toBe(2);
});

test('an organization of which nothing is known is asked, and answers nothing', async () => {
  const answers = await answersOf([]);
  expect(Object.keys(answers)).toHaveLength(12);
  for (const answer of Object.values(answers)) expect(answer).toEqual({ answer: null, basis: 'unknown', asOf: null });
});

test('what the organization answers, each from its newest fact', async () => {
  const longAgoMs = toMs - 200 * dayMs;
  const tenantId = strangeTenant();
  await told.tell(tenantId, longAgoMs, [happened.fileEvent('FileAccessed', 'menu', 'anna', longAgoMs)]);
  await told.tell(tenantId, toMs - hourMs, [
    said.user('anna'),
    said.user('left', { accountEnabled: false }),
    said.guest('gus'),
    said.agent('one', { ownerId: 'anna' }),
    said.agent('two', { ownerId: 'left' }),
    said.agent('three'),
    said.riskClass('agent', 'one', 'high'),
    said.riskClass('agent', 'two', 'unclassified'),
    said.riskClass('agent', 'elsewhere', 'high'),
    said.restriction('r1', 't1', 'noAccess', ms),
    said.restriction('r2', 't1', 'monitored', ms),
    said.restriction('r3', 't2', 'monitored', ms),
    said.restriction('r4', 't3', 'noAiAccess', ms),
    said.restrictionEvent('e1', 'r4', { event: 'lift', occurredAt: at(ms + dayMs) }),
    said.detector('d1'),
    said.detector('d2', { enabled: false }),
    said.detector('d3', { entityTypes: ['user'] }),
    happened.interaction('gus', ms, { agentId: 'one' }),
    happened.interaction('anna', ms, { agentId: 'one' }),
    happened.interaction('gus', fromMs - dayMs, { agentId: 'one' }),
    toldThreat('t1', 'one', 'jailbreak', ms, { outcome: 'detected' }),
    happened.episode('x1', ms, 5, { entity: { type: 'agent', id: 'one' } }),
    happened.episode('x2', ms, null, { entity: null, actionGroup: 'ai.toolCall' }),
    happened.alert('al1', ms, null, [happened.agentEvidence('one'), happened.agentEvidence('two')]),
    happened.alert('al2', fromMs - dayMs, null, [happened.agentEvidence('one')]),
    said.attestation('ai.attest.fria', { attestedAt: at(ms), verdict: 'partial' }),
  ]);
  await told.tell(tenantId, toMs + dayMs, [said.agent('not-yet', { createdAt: at(toMs + 1) })]);
  const { rows, asOfMs } = await readSection(told, tenantId, 'fria_summary', window);
  const answers = Object.fromEntries(rows.map((row: JsonObject) => [row.key, [row.answer, row.basis, row.asOf]]));
  const toldAt = at(toMs - hourMs);
  expect(answers).toEqual({
    systems_total: [3, 'measured', toldAt],
    systems_classified: [1, 'attested', toldAt],
    systems_high_risk: [1, 'attested', toldAt],
    oversight_coverage_pct: [33.3, 'measured', toldAt],
    restrictions_by_level: [{ monitored: 1, noAiAccess: 0, noAccess: 1 }, 'measured', toldAt],
    ai_detectors_active: [1, 'measured', toldAt],
    incidents_total: [4, 'measured', toldAt],
    incidents_open: [3, 'measured', toldAt],
    external_users_reached: [1, 'measured', toldAt],
    retention_target_met: [true, 'measured', at(longAgoMs)],
    log_history_days: [200, 'measured', at(longAgoMs)],
    fria_completed: [false, 'attested', toldAt],
  });
  expect(asOfMs).toBe(toMs - hourMs);
});

test('a log kept for exactly 183 days meets the target, one millisecond less does not', async () => {
  for (const [tellMs, isMet, days] of [
    [toMs - 183 * dayMs, true, 183],
    [toMs - 183 * dayMs + 1, false, 182],
  ] as const) {
    const answers = await answersOf([happened.fileEvent('FileAccessed', 'menu', 'anna', tellMs)], tellMs);
    expect(answers.retention_target_met).toEqual({ answer: isMet, basis: 'measured', asOf: at(tellMs) });
    expect(answers.log_history_days?.answer).toBe(days);
  }
});

test('history that was imported after the period is no retention within it', async () => {
  const answers = await answersOf([happened.fileEvent('FileAccessed', 'menu', 'anna', ms)], toMs + 1);
  expect(answers.log_history_days).toEqual({ answer: null, basis: 'unknown', asOf: null });
});
