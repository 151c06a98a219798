import { expect, test } from 'vitest';
import * as happened from '../compliance/happened.ts';
import * as said from '../compliance/said.ts';
import { strangeTenant } from '../compliance/told.ts';
import { readSection } from './read.ts';
import { toldChange, toldLifecycle, toldThreat, withdrawn } from './say.ts';
import { ms, toldMonth, toMs } from './told-month.ts';

const { at, dayMs, hourMs } = said;
const { told, window, fromMs, sectionOf } = await toldMonth();

test('activity: what an agent was used for, by whom, and what it touched', async () => {
  const rows = await sectionOf('activity_summary', [
    said.user('8a0d4c1e-0000-4000-8000-00000000000a', { userPrincipalName: 'anna@contoso.example' }),
    said.guest('gus', { userPrincipalName: 'gus@contoso.example' }),
    said.agent('sales', { displayName: 'Sales helper', appId: '0b5b2f0e-0000-4000-8000-00000000000b' }),
    said.agent('idle'),
    said.file('payroll', { sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }] }),
    happened.interaction('anna', ms, { agentId: '0B5B2F0E-0000-4000-8000-00000000000B' }),
    happened.interaction('anna', ms + dayMs, {
      agentId: 'sales',
      resources: [
        { Id: 'payroll', Name: 'payroll.docx' },
        { Id: 'menu', Name: 'menu.docx' },
        { Id: 'plan', SensitivityLabelId: 'secret' },
      ],
    }),
    happened.interaction('gus', ms + 2 * dayMs, { agentId: 'sales', resources: [{ Id: 'PAYROLL' }] }),
    happened.interaction(null, ms + 2 * dayMs, {
      agentId: 'sales',
      record: { Operation: 'AIExecuteTool', UserId: undefined },
    }),
    happened.interaction('anna', ms, { agentId: 'unknown-bot' }),
    happened.interaction('anna', ms),
  ]);
  expect(rows).toEqual([
    {
      agentId: 'sales',
      agentName: 'Sales helper',
      eventCount: 4,
      distinctActors: 2,
      externalActors: 1,
      eventsByAction: { AIExecuteTool: 1, CopilotInteraction: 3 },
      accessedResources: 3,
      sensitiveResources: 2,
      firstEventAt: at(ms),
      lastEventAt: at(ms + 2 * dayMs),
      activeDays: 3,
      unattributedEvents: 1,
    },
    {
      agentId: 'unknown-bot',
      agentName: 'Agent unknown-bot',
      eventCount: 1,
      distinctActors: 1,
      externalActors: 0,
      eventsByAction: { CopilotInteraction: 1 },
      accessedResources: 0,
      sensitiveResources: 0,
      firstEventAt: at(ms),
      lastEventAt: at(ms),
      activeDays: 1,
      unattributedEvents: 0,
    },
    {
      agentId: 'idle',
      agentName: 'Agent idle',
      eventCount: 0,
      distinctActors: 0,
      externalActors: 0,
      eventsByAction: {},
      accessedResources: 0,
      sensitiveResources: 0,
      firstEventAt: null,
      lastEventAt: null,
      activeDays: 0,
      unattributedEvents: 0,
    },
  ]);
});

test('activity: while no interaction is known at all, nobody is said to be idle', async () => {
  expect(await sectionOf('activity_summary', [said.agent('sales')])).toEqual([]);
});

test('activity: an agent that was gone before the window is not listed as idle, one that went in it is', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, fromMs - dayMs, [said.agent('gone'), said.agent('going')]);
  await told.tell(tenantId, fromMs - hourMs, [said.gone('agent', 'gone')]);
  await told.tell(tenantId, fromMs + hourMs, [said.gone('agent', 'going')]);
  await told.tell(tenantId, toMs, [happened.interaction('anna', ms, { agentId: 'other' })]);
  const { rows } = await readSection(told, tenantId, 'activity_summary', window);
  expect(rows.map(({ agentId }) => agentId)).toEqual(['other', 'going']);
});

test('life cycle: an event of the log, and one that was told beside it', async () => {
  const rows = await sectionOf('lifecycle_events', [
    said.agent('sales', { displayName: 'Sales helper' }),
    said.user('chief'),
    happened.lifecycleEvent('BotUpdateOperation-BotPublish', 'sales', ms, {
      Id: 'ext-1',
      AgentName: 'Sales then',
      ResultStatus: 'Succeeded',
    }),
    toldLifecycle('t1', 'sales', 'block', ms + hourMs, {
      agentName: 'Sales then',
      operation: 'BlockedAgent',
      source: 'microsoft365AdminCenter',
      actorId: 'chief',
      actorName: 'The Chief',
      details: { reason: 'leak', apiKey: 'abcdef123456', note: 'password: hunter2-hunter2' },
      result: 'success',
      externalEventId: 'ext-2',
    }),
    toldLifecycle('t2', 'ghost', 'delete', ms + 2 * hourMs, { source: 'somewhere', result: 'perhaps' }),
  ]);
  expect(rows).toEqual([
    {
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      externalEventId: 'ext-1',
      occurredAt: at(ms),
      discoveredAt: at(toMs),
      agentId: 'sales',
      agentName: 'Sales then',
      event: 'publish',
      operation: 'BotUpdateOperation-BotPublish',
      actor: { id: 'maker@contoso.example', name: 'maker@contoso.example', type: 'user' },
      source: 'powerPlatform',
      details: {},
      result: 'success',
    },
    {
      eventId: 't1',
      externalEventId: 'ext-2',
      occurredAt: at(ms + hourMs),
      discoveredAt: at(toMs),
      agentId: 'sales',
      agentName: 'Sales then',
      event: 'block',
      operation: 'BlockedAgent',
      actor: { id: 'chief', name: 'The Chief', type: 'user' },
      source: 'microsoft365AdminCenter',
      details: { reason: 'leak', apiKey: '[removed]', note: 'password: [removed]' },
      result: 'success',
    },
    {
      eventId: 't2',
      externalEventId: null,
      occurredAt: at(ms + 2 * hourMs),
      discoveredAt: at(toMs),
      agentId: 'ghost',
      agentName: null,
      event: 'delete',
      operation: null,
      actor: { id: null, name: null, type: null },
      source: 'other',
      details: {},
      result: 'unknown',
    },
  ]);
});

test('life cycle: what the log holds and a record tells once more is one event', async () => {
  const rows = await sectionOf('lifecycle_events', [
    said.agent('sales'),
    happened.lifecycleEvent('BotCreate', 'sales', ms, { Id: 'ext-1' }),
    toldLifecycle('by-external-id', 'sales', 'create', ms + 400, { externalEventId: 'ext-1' }),
    toldLifecycle('by-moment', 'sales', 'create', ms),
    toldLifecycle('another-event', 'sales', 'publish', ms, { externalEventId: 'ext-1' }),
    toldLifecycle('withdrawn', 'sales', 'share', ms),
    withdrawn('agentLifecycle', 'withdrawn'),
  ]);
  expect(rows.map(({ event, operation }) => [event, operation]).sort()).toEqual([
    ['create', 'BotCreate'],
    ['publish', null],
  ]);
});

test('threats: flags of an interaction, each with what carried it, and never what was written', async () => {
  const rows = await sectionOf('threat_events', [
    said.agent('sales', { displayName: 'Sales helper' }),
    happened.interaction('anna', ms, {
      agentId: 'sales',
      messages: [{ Id: '1', isPrompt: true, JailbreakDetected: true, Text: 'ignore all rules' }],
      resources: [
        { Id: 'trap', Name: 'trap.docx', XPIADetected: true },
        { Id: 'vault', Name: 'vault.docx', Status: 'failure', PolicyDetails: [{ PolicyId: 'p' }] },
      ],
      record: { Id: 'ext-1' },
    }),
  ]);
  const common = {
    eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    occurredAt: at(ms),
    discoveredAt: at(toMs),
    agentId: 'sales',
    agentName: 'Agent sales',
    appHost: 'Word',
    actor: { id: 'anna@contoso.example', name: 'anna@contoso.example', type: 'user' },
    interactionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    severity: 'high',
    relatedAlertIds: [],
    followUp: null,
  };
  expect(rows).toEqual([
    { ...common, threatType: 'jailbreak', resourceId: null, resourceName: null, outcome: 'detected' },
    { ...common, threatType: 'policyBlock', resourceId: 'vault', resourceName: 'vault.docx', outcome: 'blocked' },
    { ...common, threatType: 'xpia', resourceId: 'trap', resourceName: 'trap.docx', outcome: 'detected' },
  ]);
  expect(JSON.stringify(rows)).not.toContain('ignore');
});

test('threats: what an alert is about, what was noticed and what was done stand beside it', async () => {
  const rows = await sectionOf('threat_events', [
    said.agent('sales', {
      displayName: 'Sales helper',
      riskLevel: 'medium',
      riskState: 'atRisk',
      riskUpdatedAt: at(ms + 3 * hourMs),
    }),
    toldThreat('t1', 'sales', 'jailbreak', ms, {
      outcome: 'blocked',
      severity: 'medium',
      interactionId: 'thread-1',
      agentName: 'Sales then',
    }),
    happened.alert('al1', ms, 5, [happened.agentEvidence('sales')]),
    happened.alert('al2', ms, null, [happened.userEvidence('anna')]),
    happened.episode('x1', ms, 2),
    happened.action('a0', 'blockAgent', { type: 'agent', id: 'sales' }, ms - hourMs, { settledAt: at(ms) }),
    happened.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, ms + 1, { isSimulated: true }),
    happened.action('a2', 'blockAgent', { type: 'agent', id: 'sales' }, ms + hourMs, {
      settledAt: at(ms + 2 * hourMs),
    }),
  ]);
  expect(rows).toEqual([
    {
      eventId: 'al1',
      occurredAt: at(ms),
      discoveredAt: at(toMs),
      agentId: 'sales',
      agentName: 'Sales helper',
      appHost: null,
      actor: null,
      threatType: 'alert',
      resourceId: null,
      resourceName: null,
      outcome: 'detected',
      severity: 'high',
      interactionId: null,
      relatedAlertIds: ['al1'],
      followUp: { actionId: 'a2', detectionId: 'x1', handledAt: at(ms + 2 * hourMs) },
    },
    {
      eventId: 't1',
      occurredAt: at(ms),
      discoveredAt: at(toMs),
      agentId: 'sales',
      agentName: 'Sales then',
      appHost: null,
      actor: null,
      threatType: 'jailbreak',
      resourceId: null,
      resourceName: null,
      outcome: 'blocked',
      severity: 'medium',
      interactionId: 'thread-1',
      relatedAlertIds: ['al1'],
      followUp: { actionId: 'a2', detectionId: 'x1', handledAt: at(ms + 2 * hourMs) },
    },
    {
      eventId: 'riskyAgent:sales',
      occurredAt: at(ms + 3 * hourMs),
      discoveredAt: at(toMs),
      agentId: 'sales',
      agentName: 'Sales helper',
      appHost: null,
      actor: null,
      threatType: 'riskyAgent',
      resourceId: null,
      resourceName: null,
      outcome: 'detected',
      severity: 'medium',
      interactionId: null,
      relatedAlertIds: [],
      followUp: null,
    },
  ]);
});

test('threats: what a record tells of an interaction of the log is no second event', async () => {
  const rows = await sectionOf('threat_events', [
    happened.interaction('anna', ms, { agentId: 'sales', messages: happened.jailbreak, record: { Id: 'ext-1' } }),
    toldThreat('t1', 'sales', 'jailbreak', ms, { externalEventId: 'ext-1' }),
    toldThreat('t2', 'sales', 'xpia', ms, { externalEventId: 'ext-1' }),
  ]);
  expect(rows.map(({ threatType, outcome }) => [threatType, outcome]).sort()).toEqual([
    ['jailbreak', 'detected'],
    ['xpia', 'unknown'],
  ]);
});

test('instructions: what changed between two imports, who published in between and who looked at it', async () => {
  const rows = await sectionOf('instruction_changes', [
    said.agent('sales', { displayName: 'Sales helper' }),
    toldChange('c1', 'sales', ms, {
      previousObservedAt: at(ms - dayMs),
      previousText: 'Be kind.\nUse password: hunter2-hunter2\nAnswer in Polish.',
      currentText: 'Be kind.\nAnswer in Polish.\nSell.',
      previousHash: 'aa',
      currentHash: 'bb',
    }),
    happened.lifecycleEvent('BotUpdateOperation-BotPublish', 'sales', ms - 2 * dayMs),
    happened.lifecycleEvent('BotUpdateOperation-BotPublish', 'sales', ms - 2 * hourMs),
    toldLifecycle('nearest', 'sales', 'publish', ms - hourMs, { actorId: 'maria', actorName: 'Maria' }),
    said.decision('agent', 'sales', 'reviewed', ms + hourMs),
  ]);
  expect(rows).toEqual([
    {
      agentId: 'sales',
      agentName: 'Sales helper',
      observedAt: at(ms),
      previousObservedAt: at(ms - dayMs),
      previousHash: 'aa',
      currentHash: 'bb',
      changeKind: 'modified',
      diffSummary: { addedLines: 1, removedLines: 1, similarity: 0.666 },
      previousText: 'Be kind.\nUse password: [removed]\nAnswer in Polish.',
      currentText: 'Be kind.\nAnswer in Polish.\nSell.',
      publishedBy: { id: 'maria', name: 'Maria' },
      publishEventId: 'nearest',
      review: { reviewedBy: 'chief', reviewedAt: at(ms + hourMs), outcome: 'reviewed' },
    },
  ]);
});

test('instructions: the first capture and the removal, and what nobody told', async () => {
  const rows = await sectionOf('instruction_changes', [
    toldChange('c1', 'sales', ms, { currentHash: 'aa', currentText: 'One.\nTwo.' }),
    toldChange('c2', 'sales', ms + hourMs, {
      previousHash: 'aa',
      previousObservedAt: null,
      review: { reviewedBy: 'chief', reviewedAt: null, outcome: 'fine' },
    }),
    toldChange('c3', 'sales', ms + 2 * hourMs, { previousHash: 'aa', currentHash: 'bb', changeKind: 'sideways' }),
    toldChange('c4', 'sales', ms + 3 * hourMs, { currentHash: 'cc' }),
    withdrawn('instructionChange', 'c4'),
    // Reviewed after the instructions had changed again: it was about those.
    said.decision('agent', 'sales', 'approved', ms + 4 * hourMs),
  ]);
  expect(
    rows.map(({ changeKind, diffSummary, previousObservedAt, review }) => ({
      changeKind,
      diffSummary,
      previousObservedAt,
      review,
    })),
  ).toEqual([
    {
      changeKind: 'captured',
      diffSummary: { addedLines: 2, removedLines: 0, similarity: 0 },
      previousObservedAt: null,
      review: null,
    },
    {
      changeKind: 'removed',
      diffSummary: { addedLines: null, removedLines: null, similarity: null },
      previousObservedAt: null,
      review: { reviewedBy: 'chief', reviewedAt: null, outcome: 'fine' },
    },
    {
      changeKind: 'modified',
      diffSummary: { addedLines: null, removedLines: null, similarity: null },
      previousObservedAt: null,
      review: { reviewedBy: 'chief', reviewedAt: at(ms + 4 * hourMs), outcome: 'approved' },
    },
  ]);
});
