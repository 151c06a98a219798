import type { JsonObject } from '@tenantscope/proof';
import { expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { reportedThreat } from './evidence-records.ts';
import { readSection } from './read-section.ts';
import { ms, openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs, hourMs } = input;
const { facts, window, fromMs, readRows: sectionOf } = await openSectionFixture({ days: 28 });

const systemsOf = (records: readonly input.InputRecord[]) => sectionOf('fria_systems', records);

async function readEntries(records: readonly input.InputRecord[], ingestedAtMs?: number) {
  const rows = await sectionOf('fria_summary', records, ingestedAtMs);
  return Object.fromEntries(rows.map(({ key, answer: entry, basis, asOf }) => [key, { answer: entry, basis, asOf }]));
}

test('a fully described system has every field filled', async () => {
  const [system] = await systemsOf([
    input.user('anna', { displayName: 'Anna', department: 'Sales' }),
    input.user('bert', { displayName: 'Bert', department: 'Finance' }),
    input.guest('gus'),
    input.agent('sales', {
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
    input.restriction('r1', 'iban', 'noAiAccess', ms),
    input.restriction('r2', 'iban', 'monitored', toMs + 1),
    input.riskClass('agent', 'sales', 'high'),
    input.decision('agent', 'sales', 'approved', ms, { purpose: 'Sales', declaredGroups: ['customers'] }),
    input.attestation('prv.attest.dpia', { attestedAt: at(ms), validUntil: null, evidenceRefs: ['DPIA-7'] }),
    input.attestation('ai.attest.persons_informed', { attestedAt: at(ms), complaintChannel: 'dpo@contoso.example' }),
    events.interaction('anna', ms, { agentId: 'sales' }),
    events.interaction('bert', ms + dayMs, { agentId: 'sales' }),
    events.interaction('gus', ms + dayMs, { agentId: 'sales' }),
    reportedThreat('t1', 'sales', 'jailbreak', ms, { outcome: 'detected' }),
    reportedThreat('t2', 'sales', 'xpia', ms + dayMs, { outcome: 'blocked' }),
    events.episode('x1', ms, null),
    events.alert('al1', ms + 2 * dayMs, null, [events.agentEvidence('sales')]),
    events.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, ms + hourMs, {
      settledAt: at(ms + 2 * hourMs),
    }),
    events.action('a2', 'blockAgent', { type: 'agent', id: 'sales' }, ms + hourMs, { isSimulated: true }),
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

test('a system with only a name has null fields', async () => {
  const [system] = await systemsOf([input.agent('bot', { platform: null })]);
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

test('a departed user is not accountable, and an expired attestation is not cited', async () => {
  const [system] = await systemsOf([
    input.user('anna', { accountEnabled: false }),
    input.agent('bot', { ownerId: 'anna', ownerSource: 'nativeOwner' }),
    input.attestation('prv.attest.dpia', { attestedAt: at(ms), validUntil: at(toMs - 1), evidenceRefs: ['DPIA-7'] }),
  ]);
  expect(system).toMatchObject({ oversight: { accountable: { userId: 'anna', enabled: false } }, dpiaRef: null });
});

test.each<readonly [string, readonly input.InputRecord[], boolean]>([
  ['a disabled account', [input.user('anna', { accountEnabled: false })], false],
  ['a deleted account', [input.user('anna'), input.deletedEntity('user', 'anna')], false],
  ['no account of the directory', [], false],
  ['an account in use', [input.user('anna')], true],
])('where the owner is %s, evidence names the person that the rules count', async (_, ofOwner, isOwner) => {
  const records = [
    ...ofOwner,
    input.user('ben', { displayName: 'Ben' }),
    input.agent('bot', { ownerId: 'anna', ownerName: 'Anna', ownerSource: 'nativeOwner' }),
    input.accountable('agent', 'bot', 'BEN@contoso.example'),
  ];
  const [system] = await systemsOf(records);
  expect(system?.oversight).toMatchObject(
    isOwner
      ? { accountable: { userId: 'anna', name: 'Anna', enabled: true }, source: 'nativeOwner' }
      : { accountable: { userId: 'ben', name: 'Ben', enabled: true }, source: 'assignment' },
  );
  const [agent] = await sectionOf('inventory', records);
  expect(agent?.accountable).toMatchObject(
    isOwner
      ? { userId: 'anna', provenance: 'nativeOwner', assignedBy: null }
      : { userId: 'ben', enabled: true, provenance: 'assignment', assignedBy: 'chief' },
  );
  expect((await readEntries(records)).oversight_coverage_pct?.answer).toBe(100);
});

test.each([
  ['owners', 'nativeOwner'],
  ['sponsors', 'nativeSponsor'],
])(
  'where the first of several %s has left, evidence names the first one in use, as the rules count',
  async (list, source) => {
    const records = [
      input.user('anna', { accountEnabled: false }),
      input.user('ben', { displayName: 'Ben' }),
      input.user('eve', { displayName: 'Eve' }),
      input.agent('bot', {
        ownerId: 'anna',
        ownerName: 'Anna',
        ownerSource: source,
        [list]: [{ id: 'anna' }, { id: 'Ben@contoso.example' }, { id: 'eve' }],
      }),
      input.accountable('agent', 'bot', 'eve'),
    ];
    const [system] = await systemsOf(records);
    expect(system?.oversight).toMatchObject({ accountable: { userId: 'ben', name: 'Ben', enabled: true }, source });
    const [agent] = await sectionOf('inventory', records);
    expect(agent?.accountable).toMatchObject({ userId: 'ben', enabled: true, provenance: source, assignedBy: null });
    expect((await readEntries(records)).oversight_coverage_pct?.answer).toBe(100);
  },
);

test('an owner is found in the directory by any of its names', async () => {
  const [agent] = await sectionOf('inventory', [
    input.user('anna', { displayName: 'Anna' }),
    input.agent('bot', { ownerId: 'Anna@Contoso.example', ownerSource: 'nativeOwner' }),
  ]);
  expect(agent?.accountable).toMatchObject({ userId: 'anna', name: 'Anna', enabled: true, provenance: 'nativeOwner' });
});

test('no section of a pack has a decision that was recorded after its facts', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, ms, [
    input.agent('shelf', { availableTo: 'all', deployedTo: 'none' }),
    input.app('crm', { applicationPermissionCount: 1 }),
  ]);
  const decided = ['agent/shelf', 'app/crm'].map((subject) => {
    const [type = '', id = ''] = subject.split('/');
    return input.decision(type, id, 'approved', ms);
  });
  await facts.ingest(tenantId, toMs + 1, decided);
  for (const key of ['store_shelf', 'third_party_apps', 'fria_systems']) {
    const stored = (storedThroughMs: number) => readSection(facts, tenantId, key, { ...window, storedThroughMs });
    const [before, after] = [await stored(toMs), await stored(toMs + 1)];
    expect(before.asOfMs, key).toBe(ms);
    expect(after.asOfMs, key).toBe(toMs + 1);
    if (key !== 'fria_systems') {
      expect(before.rows, key).toMatchObject([{ decision: null }]);
      expect(after.rows, key).toMatchObject([{ decision: { outcome: 'approved' } }]);
    }
  }
});

test('a decision that is renewed after the period does not change what evidence shows of the period', async () => {
  const tenantId = newTenantId();
  const decide = (outcome: 'approved' | 'blocked', decidedMs: number) => [
    input.decision('agent', 'shelf', outcome, decidedMs, { purpose: outcome }, 'shelf'),
    input.decision('app', 'crm', outcome, decidedMs, {}, 'crm'),
  ];
  await facts.ingest(tenantId, ms, [
    input.agent('shelf', { availableTo: 'all', deployedTo: 'none', description: null }),
    input.app('crm', { applicationPermissionCount: 1 }),
    input.instructionChange('change', 'shelf', ms),
    ...decide('approved', ms),
  ]);
  // Dated ahead, and reviewed under the same id.
  await facts.ingest(tenantId, toMs, decide('blocked', toMs + dayMs));
  const read = async (key: string) => (await readSection(facts, tenantId, key, window)).rows;
  expect(await read('store_shelf')).toMatchObject([{ decision: { outcome: 'approved' } }]);
  expect(await read('third_party_apps')).toMatchObject([{ decision: { outcome: 'approved' } }]);
  expect(await read('fria_systems')).toMatchObject([{ purpose: { text: 'approved' } }]);
  expect(await read('instruction_changes')).toMatchObject([{ review: { reviewedAt: at(ms), outcome: 'approved' } }]);
});

test('of decisions with one time evidence shows the one that the rules count', async () => {
  const [system] = await systemsOf([
    input.agent('bot', { description: null }),
    input.decision('agent', 'bot', 'approved', ms, { purpose: 'First' }, 'd1'),
    input.decision('agent', 'bot', 'accepted', ms, { purpose: 'Second' }, 'd2'),
    // A review decides nothing.
    input.decision('agent', 'bot', 'reviewed', ms + 1, { purpose: 'Third' }, 'd3'),
  ]);
  expect(system?.purpose).toEqual({ text: 'Second', source: 'declared' });
});

test.each<readonly [string, Readonly<Record<string, unknown>>]>([
  ['the validity of its requirement has passed', { attestedAt: at(toMs - 365 * dayMs), validUntil: null }],
  ['its own end lies beyond that validity', { attestedAt: at(toMs - 365 * dayMs), validUntil: '2099-01-01T00:00:00Z' }],
  ['it was made after the period', { attestedAt: at(toMs + 1) }],
  ['it was withdrawn', { attestedAt: at(ms), withdrawnAt: at(toMs), withdrawnBy: 'chief' }],
])('an attestation is not cited when %s', async (_, members) => {
  const evidence = { evidenceRefs: ['DPIA-7'], complaintChannel: 'dpo@contoso.example', ...members };
  const records = [
    input.agent('bot'),
    input.attestation('prv.attest.dpia', evidence),
    input.attestation('ai.attest.persons_informed', evidence),
    input.attestation('ai.attest.fria', members),
  ];
  const [system] = await systemsOf(records);
  expect(system).toMatchObject({ dpiaRef: null, measures: { complaintChannel: null } });
  expect((await readEntries(records)).fria_completed).toEqual({ answer: null, basis: 'unknown', asOf: null });
});

test('an attestation is cited until the last millisecond of its validity', async () => {
  const attestedAt = at(toMs - 365 * dayMs + 1);
  const records = [
    input.agent('bot'),
    input.attestation('prv.attest.dpia', {
      attestedAt,
      evidenceRefs: [{ uri: 'https://dms.example/7', title: 'DPIA 7' }],
    }),
    input.attestation('ai.attest.fria', { attestedAt }),
  ];
  const [system] = await systemsOf(records);
  expect(system).toMatchObject({ dpiaRef: 'https://dms.example/7' });
  expect((await readEntries(records)).fria_completed?.answer).toBe(true);
});

test('an attestation that is renewed after the period, or by one dated ahead, is cited for the period', async () => {
  const tenantId = newTenantId();
  const evidence = { evidenceRefs: ['DPIA-7'] };
  const renewed = { evidenceRefs: ['DPIA-8'], attestedAt: at(toMs + dayMs), verdict: 'partial' };
  const of = (members: Record<string, unknown>) => [
    input.attestation('prv.attest.dpia', members),
    input.attestation('ai.attest.fria', members),
  ];
  await facts.ingest(tenantId, ms, [input.agent('bot'), ...of({ ...evidence, attestedAt: at(ms) })]);
  await facts.ingest(tenantId, toMs, of(renewed));
  const read = async (endMs: number) => {
    const given = { fromMs, toMs: endMs };
    const [system] = (await readSection(facts, tenantId, 'fria_systems', given)).rows;
    const { rows } = await readSection(facts, tenantId, 'fria_summary', given);
    return [system?.dpiaRef, rows.find(({ key }) => key === 'fria_completed')?.answer];
  };
  expect(await read(toMs)).toEqual(['DPIA-7', true]);
  expect(await read(toMs + dayMs)).toEqual(['DPIA-8', false]);
});

test('an older attestation does not return when the latest one was withdrawn', async () => {
  const withdrawn = input.attestation('prv.attest.dpia', {
    attestedAt: at(ms),
    evidenceRefs: ['DPIA-8'],
    withdrawnAt: at(ms + 1),
    withdrawnBy: 'chief',
  });
  const [system] = await systemsOf([
    input.agent('bot'),
    { ...withdrawn, id: 'second' } as input.InputRecord,
    input.attestation('prv.attest.dpia', { attestedAt: at(ms - dayMs), evidenceRefs: ['DPIA-7'] }),
  ]);
  expect(system).toMatchObject({ dpiaRef: null });
});

test('an alert reported by a record counts as one incident with or without the alert itself', async () => {
  const records = [
    input.agent('sales'),
    reportedThreat('t1', 'sales', 'alert', ms, { relatedAlertIds: ['al1'] }),
    reportedThreat('t2', 'sales', 'alert', ms, { relatedAlertIds: ['elsewhere'] }),
    events.alert('al1', ms, null, [events.agentEvidence('sales')]),
  ];
  const [system] = await systemsOf(records);
  expect(system).toMatchObject({ incidents: { threatEvents: 0, alerts: 2, open: 2 } });
  expect((await readEntries(records)).incidents_total?.answer).toBe(2);
});

test('an organization without data gets null for every field', async () => {
  const entries = await readEntries([]);
  expect(Object.keys(entries)).toHaveLength(12);
  for (const entry of Object.values(entries)) expect(entry).toEqual({ answer: null, basis: 'unknown', asOf: null });
});

test('each field of the organization comes from its newest fact', async () => {
  const longAgoMs = toMs - 200 * dayMs;
  const tenantId = newTenantId();
  await facts.ingest(tenantId, longAgoMs, [events.fileEvent('FileAccessed', 'menu', 'anna', longAgoMs)]);
  await facts.ingest(tenantId, toMs - hourMs, [
    input.user('anna'),
    input.user('left', { accountEnabled: false }),
    input.guest('gus'),
    input.agent('one', { ownerId: 'anna' }),
    input.agent('two', { ownerId: 'left' }),
    input.agent('three'),
    input.riskClass('agent', 'one', 'high'),
    input.riskClass('agent', 'two', 'unclassified'),
    input.riskClass('agent', 'elsewhere', 'high'),
    input.restriction('r1', 't1', 'noAccess', ms),
    input.restriction('r2', 't1', 'monitored', ms),
    input.restriction('r3', 't2', 'monitored', ms),
    input.restriction('r4', 't3', 'noAiAccess', ms),
    input.restrictionEvent('e1', 'r4', { event: 'lift', occurredAt: at(ms + dayMs) }),
    input.detector('d1'),
    input.detector('d2', { enabled: false }),
    input.detector('d3', { entityTypes: ['user'] }),
    events.interaction('gus', ms, { agentId: 'one' }),
    events.interaction('anna', ms, { agentId: 'one' }),
    events.interaction('gus', fromMs - dayMs, { agentId: 'one' }),
    reportedThreat('t1', 'one', 'jailbreak', ms, { outcome: 'detected' }),
    events.episode('x1', ms, 5, { entity: { type: 'agent', id: 'one' } }),
    events.episode('x2', ms, null, { entity: null, actionGroup: 'ai.toolCall' }),
    events.alert('al1', ms, null, [events.agentEvidence('one'), events.agentEvidence('two')]),
    events.alert('al2', fromMs - dayMs, null, [events.agentEvidence('one')]),
    input.attestation('ai.attest.fria', { attestedAt: at(ms), verdict: 'partial' }),
  ]);
  await facts.ingest(tenantId, toMs + dayMs, [input.agent('not-yet', { createdAt: at(toMs + 1) })]);
  const { rows, asOfMs } = await readSection(facts, tenantId, 'fria_summary', window);
  const entries = Object.fromEntries(rows.map((row: JsonObject) => [row.key, [row.answer, row.basis, row.asOf]]));
  const reportedAt = at(toMs - hourMs);
  expect(entries).toEqual({
    systems_total: [3, 'measured', reportedAt],
    systems_classified: [1, 'attested', reportedAt],
    systems_high_risk: [1, 'attested', reportedAt],
    oversight_coverage_pct: [33.3, 'measured', reportedAt],
    restrictions_by_level: [{ monitored: 1, noAiAccess: 0, noAccess: 1 }, 'measured', reportedAt],
    ai_detectors_active: [1, 'measured', reportedAt],
    incidents_total: [4, 'measured', reportedAt],
    incidents_open: [3, 'measured', reportedAt],
    external_users_reached: [1, 'measured', reportedAt],
    retention_target_met: [true, 'measured', at(longAgoMs)],
    log_history_days: [200, 'measured', at(longAgoMs)],
    fria_completed: [false, 'attested', reportedAt],
  });
  expect(asOfMs).toBe(toMs - hourMs);
});

test('a log retained for exactly 183 days meets the target and one millisecond less does not', async () => {
  for (const [ingestedAtMs, isMet, days] of [
    [toMs - 183 * dayMs, true, 183],
    [toMs - 183 * dayMs + 1, false, 182],
  ] as const) {
    const entries = await readEntries([events.fileEvent('FileAccessed', 'menu', 'anna', ingestedAtMs)], ingestedAtMs);
    expect(entries.retention_target_met).toEqual({ answer: isMet, basis: 'measured', asOf: at(ingestedAtMs) });
    expect(entries.log_history_days?.answer).toBe(days);
  }
});

test('history imported after the period does not count as retention', async () => {
  const entries = await readEntries([events.fileEvent('FileAccessed', 'menu', 'anna', ms)], toMs + 1);
  expect(entries.log_history_days).toEqual({ answer: null, basis: 'unknown', asOf: null });
});
