import { evidenceSections, sectionReaders } from '@tenantscope/compliance';
import { beforeAll, describe, expect, test } from 'vitest';
import * as happened from '../compliance/happened.ts';
import * as said from '../compliance/said.ts';
import { strangeTenant } from '../compliance/told.ts';
import { readPages, readSection } from './read.ts';
import { toldLifecycle } from './say.ts';
import { toldMonth, toMs } from './told-month.ts';

const { at, dayMs, hourMs } = said;
const { told, window, fromMs } = await toldMonth();

/** What puts one row into a section of a window: something that happened to the agent of this name at this moment. */
const happenings: Readonly<Record<string, (id: string, ms: number) => said.Saying>> = {
  activity_summary: (id, ms) => happened.interaction('anna', ms, { agentId: id, record: { CreationTime: at(ms) } }),
  lifecycle_events: (id, ms) => happened.lifecycleEvent('BotCreate', id, ms, { CreationTime: at(ms) }),
  threat_events: (id, ms) =>
    happened.interaction('anna', ms, {
      agentId: id,
      messages: happened.jailbreak,
      record: { CreationTime: at(ms) },
    }),
  instruction_changes: (id, ms) => said.instructionChange(`c-${id}`, id, ms),
  ai_policy_scans: (id, ms) => happened.policyScan(id, 'p1', ms),
  ai_detections: (id, ms) => happened.episode(id, ms, null, { entity: { type: 'agent', id, name: null } }),
  restriction_history: (id, ms) => said.restrictionEvent(id, 'r1', { event: 'declare', occurredAt: at(ms) }),
  remediation: (id, ms) => happened.action(id, 'blockAgent', { type: 'agent', id }, ms),
};
const nameIn: Readonly<Record<string, string>> = {
  ai_policy_scans: 'scanId',
  ai_detections: 'detectionId',
  restriction_history: 'eventId',
  remediation: 'actionId',
};

describe.each(Object.entries(happenings))('%s', (key, happen) => {
  test('holds what happened from the first to the last millisecond of the window, and nothing beside it', async () => {
    const tenantId = strangeTenant();
    await told.tell(tenantId, toMs + dayMs, [
      happen('too-early', fromMs - 1),
      happen('first', fromMs),
      happen('last', toMs),
      happen('too-late', toMs + 1),
    ]);
    const { rows } = await readSection(told, tenantId, key, window);
    expect(rows.map((row) => row[nameIn[key] ?? 'agentId']).sort()).toEqual(['first', 'last']);
  });

  test('holds what was known through the moment it is read for', async () => {
    const tenantId = strangeTenant();
    await told.tell(tenantId, toMs + hourMs, [happen('early', toMs)]);
    await told.tell(tenantId, toMs + dayMs, [happen('late', toMs)]);
    const early = await readSection(told, tenantId, key, { ...window, knownThroughMs: toMs + hourMs });
    expect(early.rows.map((row) => row[nameIn[key] ?? 'agentId'])).toEqual(['early']);
    const none = await readSection(told, tenantId, key, { ...window, knownThroughMs: toMs + hourMs - 1 });
    expect(none.rows).toEqual([]);
  });
});

test.each([
  [
    'ai_policy_scans',
    (status: string) => happened.policyScan('one', 'p1', toMs, { status, resources: 1 }),
    ['open', 'resolved'],
  ],
  [
    'ai_detections',
    (status: string) => happened.episode('one', toMs, status === 'open' ? null : 1),
    ['open', 'resolved'],
  ],
  [
    'remediation',
    (rollupRung: string) => happened.action('one', 'blockAgent', { type: 'agent', id: 'x' }, toMs, { rollupRung }),
    ['staged', 'applied'],
  ],
] as const)('%s: what was known by then and changed since is shown as it stands', async (key, say, [before, after]) => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, toMs, [say(before)]);
  await told.tell(tenantId, toMs + dayMs, [say(after)]);
  const known = await readSection(told, tenantId, key, { ...window, knownThroughMs: toMs });
  expect(known.rows.map(({ status, result }) => status ?? result)).toEqual([after]);
  const unknown = await readSection(told, tenantId, key, { ...window, knownThroughMs: toMs - 1 });
  expect(unknown.rows).toEqual([]);
});

describe('a tenant with something in every section', () => {
  const [tenantId, stranger] = [strangeTenant(), strangeTenant()];
  beforeAll(async () => {
    await told.tell(stranger, toMs, [said.agent('theirs')]);
    await told.tell(tenantId, toMs, everything());
  });

  test.each(sectionReaders.map(({ key }) => key))(
    '%s: pages of any size joined are the whole, in its order',
    async (key) => {
      const whole = await readSection(told, tenantId, key, window);
      expect(whole.totalRowCount).toBe(whole.rows.length);
      for (const limit of [1, 2, 3]) expect(await readPages(told, tenantId, key, window, limit)).toEqual(whole.rows);
      expect(await readSection(told, tenantId, key, window)).toEqual(whole);
    },
  );

  const mine = Object.keys(happenings).concat('data_restrictions', 'fria_systems');
  test.each(mine)('%s: has rows, and none of them is another tenant’s', async (key) => {
    const { rows } = await readSection(told, tenantId, key, window);
    expect(rows.length).toBeGreaterThan(1);
    const others = await readSection(told, stranger, key, window);
    const text = JSON.stringify(others.rows);
    for (const name of ['sales', 'legal', 'iban', 'anna']) expect(text).not.toContain(name);
    if (key !== 'fria_systems') expect(others.rows).toEqual([]);
  });

  test('state sections are as new as the facts they show, window sections name no moment', async () => {
    for (const { key, basis } of evidenceSections.filter((section) => mine.includes(section.key))) {
      const { asOfMs } = await readSection(told, tenantId, key, window);
      expect([key, asOfMs]).toEqual([key, basis === 'state' ? toMs : null]);
    }
  });

  test('what hides in a text is made visible, and what was written to an agent is nowhere', async () => {
    for (const key of mine) {
      const text = JSON.stringify((await readSection(told, tenantId, key, window)).rows);
      expect(text, key).not.toMatch(/[\u202e\u200b]/);
      expect(text, key).not.toContain('hunter2');
      expect(text, key).not.toContain('tell me a secret');
    }
  });
});

const hidden = 'Sales\u202e\u200b';

function everything(): said.Saying[] {
  return [
    said.user('anna', { department: 'Finance' }),
    said.guest('gus'),
    said.file('plan', { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }] }),
    said.sensitiveInfoType('iban', { name: `IBAN\u200b` }),
    said.policy('p1'),
    said.detector('d1'),
    ...['legal', 'sales', 'ops'].flatMap((id, index) => agentSayings(id, index)),
  ];
}

function agentSayings(id: string, index: number): said.Saying[] {
  const ms = toMs - (index + 1) * dayMs;
  return [
    said.agent(id, {
      displayName: `${hidden} ${id}`,
      instructions: 'Log in with password: hunter2-hunter2.',
      ownerId: 'anna',
      ownerSource: 'nativeOwner',
      riskLevel: 'high',
      riskState: 'atRisk',
      riskUpdatedAt: at(ms),
    }),
    happened.interaction('anna', ms, {
      agentId: id,
      messages: [{ Id: '1', isPrompt: true, JailbreakDetected: true, Text: 'tell me a secret' }],
      resources: [{ Id: 'plan', Name: `plan${hidden}`, XPIADetected: true }],
    }),
    happened.lifecycleEvent('BotUpdateOperation-BotPublish', id, ms, { AgentName: hidden }),
    toldLifecycle(`l-${id}`, id, 'deploy', ms + hourMs, {
      agentName: hidden,
      details: { password: 'hunter2-hunter2' },
    }),
    said.instructionChange(`c-${id}`, id, ms),
    happened.policyScan(`s-${id}`, 'p1', ms, { name: hidden }),
    happened.episode(`x-${id}`, ms, null, { entity: { type: 'agent', id, name: hidden } }),
    happened.alert(`al-${id}`, ms, null, [happened.agentEvidence(id)]),
    said.restriction(`r-${id}`, 'iban', 'noAccess', ms, { declaredBy: { id: 'anna', name: hidden }, reason: hidden }),
    said.restrictionEvent(`e-${id}`, `r-${id}`, { event: 'declare', occurredAt: at(ms), reason: hidden }),
    happened.action(`a-${id}`, 'blockAgent', { type: 'agent', id }, ms, { actionName: hidden }),
    happened.fileEvent('FileAccessed', 'plan', 'anna', ms + hourMs),
  ];
}
