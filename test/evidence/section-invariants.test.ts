import { evidenceSections, sectionReaders } from '@tenantscope/compliance';
import { beforeAll, describe, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { reportedLifecycle } from './evidence-records.ts';
import { readPages, readSection } from './read-section.ts';
import { openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs, hourMs } = input;
const { facts, window, fromMs } = await openSectionFixture();

/** A record that adds one row to a windowed section: an event of the agent with this name at this time. */
const happenings: Readonly<Record<string, (id: string, ms: number) => input.InputRecord>> = {
  activity_summary: (id, ms) => events.interaction('anna', ms, { agentId: id, record: { CreationTime: at(ms) } }),
  lifecycle_events: (id, ms) => events.lifecycleEvent('BotCreate', id, ms, { CreationTime: at(ms) }),
  threat_events: (id, ms) =>
    events.interaction('anna', ms, {
      agentId: id,
      messages: events.jailbreak,
      record: { CreationTime: at(ms) },
    }),
  instruction_changes: (id, ms) => input.instructionChange(`c-${id}`, id, ms),
  ai_policy_scans: (id, ms) => events.policyScan(id, 'p1', ms),
  ai_detections: (id, ms) => events.episode(id, ms, null, { entity: { type: 'agent', id, name: null } }),
  restriction_history: (id, ms) => input.restrictionEvent(id, 'r1', { event: 'declare', occurredAt: at(ms) }),
  remediation: (id, ms) => events.action(id, 'blockAgent', { type: 'agent', id }, ms),
};
const nameIn: Readonly<Record<string, string>> = {
  ai_policy_scans: 'scanId',
  ai_detections: 'detectionId',
  restriction_history: 'eventId',
  remediation: 'actionId',
};

describe.each(Object.entries(happenings))('the section %s', (key, happen) => {
  test('contains events from the first to the last millisecond of the window and no others', async () => {
    const tenantId = newTenantId();
    await facts.ingest(tenantId, toMs + dayMs, [
      happen('too-early', fromMs - 1),
      happen('first', fromMs),
      happen('last', toMs),
      happen('too-late', toMs + 1),
    ]);
    const { rows } = await readSection(facts, tenantId, key, window);
    expect(rows.map((row) => row[nameIn[key] ?? 'agentId']).sort()).toEqual(['first', 'last']);
  });

  test('contains the facts stored through the requested time', async () => {
    const tenantId = newTenantId();
    await facts.ingest(tenantId, toMs + hourMs, [happen('early', toMs)]);
    await facts.ingest(tenantId, toMs + dayMs, [happen('late', toMs)]);
    const early = await readSection(facts, tenantId, key, { ...window, storedThroughMs: toMs + hourMs });
    expect(early.rows.map((row) => row[nameIn[key] ?? 'agentId'])).toEqual(['early']);
    const empty = await readSection(facts, tenantId, key, { ...window, storedThroughMs: toMs + hourMs - 1 });
    expect(empty.rows).toEqual([]);
  });
});

test.each([
  [
    'ai_policy_scans',
    (status: string) => events.policyScan('one', 'p1', toMs, { status, resources: 1 }),
    ['open', 'resolved'],
  ],
  [
    'ai_detections',
    (status: string) => events.episode('one', toMs, status === 'open' ? null : 1),
    ['open', 'resolved'],
  ],
  [
    'remediation',
    (rollupRung: string) => events.action('one', 'blockAgent', { type: 'agent', id: 'x' }, toMs, { rollupRung }),
    ['staged', 'applied'],
  ],
] as const)(
  '%s shows the current state of a record that changed after the requested time',
  async (key, write, [before, after]) => {
    const tenantId = newTenantId();
    await facts.ingest(tenantId, toMs, [write(before)]);
    await facts.ingest(tenantId, toMs + dayMs, [write(after)]);
    const visible = await readSection(facts, tenantId, key, { ...window, storedThroughMs: toMs });
    expect(visible.rows.map(({ status, result }) => status ?? result)).toEqual([after]);
    const invisible = await readSection(facts, tenantId, key, { ...window, storedThroughMs: toMs - 1 });
    expect(invisible.rows).toEqual([]);
  },
);

describe('a tenant with rows in every section', () => {
  const [tenantId, stranger] = [newTenantId(), newTenantId()];
  beforeAll(async () => {
    await facts.ingest(stranger, toMs, [input.agent('theirs')]);
    await facts.ingest(tenantId, toMs, everything());
  });

  test.each(sectionReaders.map(({ key }) => key))(
    '%s returns the full section in order when pages of any size are joined',
    async (key) => {
      const whole = await readSection(facts, tenantId, key, window);
      expect(whole.totalRowCount).toBe(whole.rows.length);
      for (const limit of [1, 2, 3]) expect(await readPages(facts, tenantId, key, window, limit)).toEqual(whole.rows);
      expect(await readSection(facts, tenantId, key, window)).toEqual(whole);
    },
  );

  const sections = Object.keys(happenings).concat('data_restrictions', 'fria_systems');
  test.each(sections)('%s has rows of the tenant only', async (key) => {
    const { rows } = await readSection(facts, tenantId, key, window);
    expect(rows.length).toBeGreaterThan(1);
    const others = await readSection(facts, stranger, key, window);
    const text = JSON.stringify(others.rows);
    for (const name of ['sales', 'legal', 'iban', 'anna']) expect(text).not.toContain(name);
    if (key !== 'fria_systems') expect(others.rows).toEqual([]);
  });

  test('state sections report the time of their newest fact, and window sections report no time', async () => {
    for (const { key, basis } of evidenceSections.filter((section) => sections.includes(section.key))) {
      const { asOfMs } = await readSection(facts, tenantId, key, window);
      expect([key, asOfMs]).toEqual([key, basis === 'state' ? toMs : null]);
    }
  });

  test('control characters in texts become visible, and agent prompts appear nowhere', async () => {
    for (const key of sections) {
      const text = JSON.stringify((await readSection(facts, tenantId, key, window)).rows);
      expect(text, key).not.toMatch(/[\u202e\u200b]/);
      expect(text, key).not.toContain('hunter2');
      expect(text, key).not.toContain('tell me a secret');
    }
  });
});

const hidden = 'Sales\u202e\u200b';

function everything(): input.InputRecord[] {
  return [
    input.user('anna', { department: 'Finance' }),
    input.guest('gus'),
    input.file('plan', { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }] }),
    input.sensitiveInfoType('iban', { name: `IBAN\u200b` }),
    input.policy('p1'),
    input.detector('d1'),
    events.interaction('gus', toMs - dayMs),
    events.interaction('gus', toMs - dayMs, { agentId: 'shadow' }),
    ...['legal', 'sales', 'ops'].flatMap((id, index) => agentStatements(id, index)),
  ];
}

function agentStatements(id: string, index: number): input.InputRecord[] {
  const ms = toMs - (index + 1) * dayMs;
  return [
    input.agent(id, {
      displayName: `${hidden} ${id}`,
      instructions: 'Log in with password: hunter2-hunter2.',
      ownerId: 'anna',
      ownerSource: 'nativeOwner',
      riskLevel: 'high',
      riskState: 'atRisk',
      riskUpdatedAt: at(ms),
    }),
    events.interaction('anna', ms, {
      agentId: id,
      messages: [{ Id: '1', isPrompt: true, JailbreakDetected: true, Text: 'tell me a secret' }],
      resources: [{ Id: 'plan', Name: `plan${hidden}`, XPIADetected: true }],
    }),
    events.lifecycleEvent('BotUpdateOperation-BotPublish', id, ms, { AgentName: hidden }),
    reportedLifecycle(`l-${id}`, id, 'deploy', ms + hourMs, {
      agentName: hidden,
      details: { password: 'hunter2-hunter2' },
    }),
    input.instructionChange(`c-${id}`, id, ms),
    events.policyScan(`s-${id}`, 'p1', ms, { name: hidden }),
    events.episode(`x-${id}`, ms, null, { entity: { type: 'agent', id, name: hidden } }),
    events.alert(`al-${id}`, ms, null, [events.agentEvidence(id)]),
    input.restriction(`r-${id}`, 'iban', 'noAccess', ms, { declaredBy: { id: 'anna', name: hidden }, reason: hidden }),
    input.restrictionEvent(`e-${id}`, `r-${id}`, { event: 'declare', occurredAt: at(ms), reason: hidden }),
    events.action(`a-${id}`, 'blockAgent', { type: 'agent', id }, ms, { actionName: hidden }),
    events.fileEvent('FileAccessed', 'plan', 'anna', ms + hourMs),
  ];
}
