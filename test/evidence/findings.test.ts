import { expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import * as input from '../compliance/input-records.ts';
import { ms, openSectionFixture } from './section-fixture.ts';

const { at, dayMs, hourMs } = input;
const { fromMs, readRows: sectionOf } = await openSectionFixture();

test('the scans section lists scans of agents and of AI policies with their predecessors', async () => {
  const rows = await sectionOf('ai_policy_scans', [
    input.policy('about-ai', { aiSubject: true, subjectType: 'app' }),
    input.policy('about-apps', { aiSubject: false, subjectType: 'app' }),
    events.policyScan('s0', 'about-ai', fromMs - dayMs, { resourceType: 'app', status: 'open', resources: 7 }),
    events.policyScan('s1', 'about-ai', ms, {
      resourceType: 'app',
      status: 'resolved',
      resources: 4,
      resolvedAt: at(ms + hourMs),
      assignedUser: 'anna@contoso.example',
    }),
    events.policyScan('s2', 'about-ai', ms + dayMs, { resourceType: 'app', status: 'error', resources: 0 }),
    events.policyScan('s3', 'about-ai', ms + 2 * dayMs, { resourceType: 'app', status: 'open', resources: 2 }),
    events.policyScan('s4', 'unknown-policy', ms + 3 * dayMs, { resourceType: 'agent' }),
    events.policyScan('s5', 'about-apps', ms, { resourceType: 'app' }),
    events.policyScan('s6', 'about-files', ms, { resourceType: 'file' }),
  ]);
  const common = { policyId: 'about-ai', policyName: 'Policy about-ai', severity: 'medium', resourceType: 'app' };
  const unresolved = { isResolved: false, resolvedAt: null, assignedUser: null };
  expect(rows).toEqual([
    {
      ...common,
      scanId: 's1',
      scannedAt: at(ms),
      status: 'resolved',
      matchedResources: 4,
      previousMatched: 7,
      isResolved: true,
      resolvedAt: at(ms + hourMs),
      assignedUser: 'anna@contoso.example',
    },
    {
      ...common,
      ...unresolved,
      scanId: 's2',
      scannedAt: at(ms + dayMs),
      status: 'error',
      matchedResources: null,
      previousMatched: 4,
    },
    {
      ...common,
      ...unresolved,
      scanId: 's3',
      scannedAt: at(ms + 2 * dayMs),
      status: 'open',
      matchedResources: 2,
      previousMatched: null,
    },
    {
      scanId: 's4',
      policyId: 'unknown-policy',
      policyName: 'Policy unknown-policy',
      scannedAt: at(ms + 3 * dayMs),
      severity: 'medium',
      status: 'clear',
      matchedResources: 0,
      resourceType: 'agent',
      previousMatched: null,
      isResolved: true,
      resolvedAt: null,
      assignedUser: null,
    },
  ]);
});

test('the detections section lists episodes on agents, AI apps and AI activity including the informational tier', async () => {
  const rows = await sectionOf('ai_detections', [
    input.app('chat', { isAiApp: true, appId: '0b5b2f0e-0000-4000-8000-00000000000b' }),
    input.app('crm', { isAiApp: false }),
    events.episode('x1', ms, 5.5, { actionGroup: 'file.download', level: 'informational' }),
    events.episode('x2', ms, null, { entity: { type: 'app', id: 'chat', name: 'Chat' }, actionGroup: 'auth.signIn' }),
    events.episode('x3', ms, null, {
      entity: { type: 'app', id: '0B5B2F0E-0000-4000-8000-00000000000B' },
      actionGroup: 'auth.signIn',
    }),
    events.episode('x4', ms, null, { entity: null, actionGroup: 'ai.jailbreak' }),
    events.episode('x5', ms, 1, {
      entity: { type: 'user', id: 'anna' },
      actionGroup: 'agent.share',
      status: 'dismissed',
    }),
    events.episode('x6', ms, null, { entity: { type: 'app', id: 'crm' }, actionGroup: 'auth.signIn' }),
    events.episode('x7', ms, null, { entity: { type: 'user', id: 'anna' }, actionGroup: 'file.download' }),
  ]);
  expect(rows.map(({ detectionId }) => detectionId)).toEqual(['x1', 'x2', 'x3', 'x4', 'x5']);
  expect(rows[0]).toEqual({
    detectionId: 'x1',
    kind: 'anomaly',
    detector: { id: 'volume', name: 'Unusual volume' },
    entity: { type: 'agent', id: 'sales', name: 'Sales' },
    severity: 'high',
    status: 'resolved',
    level: 'informational',
    openedAt: at(ms),
    lastSeenAt: at(ms),
    resolvedAt: at(ms + 5.5 * hourMs),
    baseline: 1,
    current: 12,
    peak: 12,
    score: 80,
    diffPercent: 1100,
    summary: 'More than usual.',
    timeToResolveHours: 5.5,
  });
  expect(rows[3]).toMatchObject({ entity: null, resolvedAt: null, timeToResolveHours: null });
  expect(rows[4]).toMatchObject({ status: 'dismissed' });
});

test('the detections section shows no measures for a kind without measures', async () => {
  const [row] = await sectionOf('ai_detections', [
    {
      topic: 'detection',
      type: 'detection',
      id: 'x1',
      members: {
        kind: 'novelty',
        severity: 'low',
        status: 'open',
        stateful: false,
        openedAt: at(ms),
        lastSeenAt: at(ms),
        summary: 'Never seen before.',
        detector: { id: 'novelty', name: 'Novelty' },
        entity: { type: 'agent', id: 'sales' },
      },
    },
  ]);
  expect(row).toMatchObject({
    kind: 'novelty',
    level: null,
    baseline: null,
    current: null,
    peak: null,
    score: null,
    diffPercent: null,
  });
});

test('the remediation section shows each action with its steps and its time to confirmation', async () => {
  const rows = await sectionOf('remediation', [
    events.action('a1', 'removeSharingLink', { type: 'file', id: 'plan' }, ms, {
      actionName: 'Remove the link',
      actorKind: 'policy',
      policyId: 'p1',
      actorName: 'Policy p1',
      resourceName: 'plan.docx',
      itemsTotal: 3,
      itemsSettled: 3,
      failedCount: 1,
      revertBucket: 'available',
      dueAt: at(ms + dayMs),
      settledAt: at(ms + 90 * 60_000),
      rungs: [
        { rung: 'staged', at: at(ms), by: null, byKind: 'policy' },
        { rung: 'approved', at: at(ms + hourMs), by: 'chief', byKind: 'human' },
        { rung: 'confirmed', at: at(ms + 90 * 60_000), by: null, byKind: 'system' },
      ],
    }),
    events.action('a2', 'blockAgent', { type: 'agent', id: 'sales' }, ms + hourMs, {
      rollupRung: 'staged',
      itemsSettled: 0,
      isSimulated: true,
      isIrreversible: true,
      dueAt: at(ms - dayMs),
      rungs: null,
    }),
    events.action('a3', 'blockAgent', { type: 'agent', id: 'sales' }, ms + 2 * hourMs, {
      rollupRung: 'confirmed',
      ledger: 'legacyAutomation',
      settledAt: at(ms + 3 * dayMs),
      dueAt: at(ms + dayMs),
    }),
  ]);
  expect(rows[0]).toEqual({
    actionId: 'a1',
    ledger: 'staged',
    actionName: 'Remove the link',
    actionType: 'removeSharingLink',
    trigger: 'policy',
    policyId: 'p1',
    actor: { id: null, name: 'Policy p1', kind: 'policy' },
    rungs: [
      { rung: 'staged', at: at(ms), by: null },
      { rung: 'approved', at: at(ms + hourMs), by: 'chief' },
      { rung: 'confirmed', at: at(ms + 90 * 60_000), by: null },
    ],
    createdAt: at(ms),
    settledAt: at(ms + 90 * 60_000),
    timeToRemediateHours: 1.5,
    dueAt: at(ms + dayMs),
    onTime: true,
    items: { total: 3, settled: 3, failed: 1 },
    resource: { type: 'file', id: 'plan', name: 'plan.docx' },
    isSimulated: false,
    isIrreversible: false,
    revertBucket: 'available',
    result: 'confirmed',
  });
  expect(rows[1]).toMatchObject({
    actionId: 'a2',
    rungs: [],
    settledAt: null,
    timeToRemediateHours: null,
    onTime: false,
    isSimulated: true,
    isIrreversible: true,
    revertBucket: 'notApplicable',
    result: 'staged',
  });
  expect(rows[2]).toMatchObject({ actionId: 'a3', ledger: 'legacyAutomation', onTime: false, result: 'applied' });
});

test('the remediation section shows policy automations that predate the action ledger', async () => {
  const automations = [
    { on: 'match', stage: 'blockAgent' },
    {
      id: 'run-1',
      actionName: 'Block',
      actionType: 'blockAgent',
      executedAt: at(ms + hourMs),
      result: 'success',
      resource: { type: 'agent', id: 'sales', name: 'Sales' },
      itemsTotal: 1,
      itemsSettled: 1,
      failedCount: 0,
    },
    { stage: 'notifyOwner', executedAt: at(ms), status: 'error' },
    { stage: 'notifyOwner', executedAt: 'now', status: 'error' },
    { stage: 'notifyOwner', executedAt: at(fromMs - 1), status: 'error' },
  ];
  const rows = await sectionOf('remediation', [
    events.policyScan('s1', 'p1', ms, { automations: JSON.stringify(automations) }),
    // The next scan repeats the values of the first.
    events.policyScan('s2', 'p1', ms + hourMs, { automations: JSON.stringify([automations[1]]) }),
  ]);
  expect(rows).toEqual([
    {
      actionId: 's1:3',
      ledger: 'legacyAutomation',
      actionName: 'Policy p1',
      actionType: 'notifyOwner',
      trigger: 'policy',
      policyId: 'p1',
      actor: { id: null, name: null, kind: 'policy' },
      rungs: [{ rung: 'failed', at: at(ms), by: null }],
      createdAt: at(ms),
      settledAt: at(ms),
      timeToRemediateHours: null,
      dueAt: null,
      onTime: null,
      items: { total: null, settled: null, failed: null },
      resource: { type: 'agent', id: null, name: null },
      isSimulated: null,
      isIrreversible: null,
      revertBucket: null,
      result: 'failed',
    },
    expect.objectContaining({
      actionId: 'run-1',
      actionName: 'Block',
      result: 'applied',
      resource: { type: 'agent', id: 'sales', name: 'Sales' },
      items: { total: 1, settled: 1, failed: 0 },
    }),
  ]);
});
