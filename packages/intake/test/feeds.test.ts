import { describe, expect, test } from 'vitest';
import { type FeedTopic, payloads, readFeed, readMembers, readState } from './domain-message.ts';

const { detection, policyScan, notification, action } = payloads;
const details = detection.details as Record<string, unknown>;

function violation(topic: FeedTopic, changes: Record<string, unknown>, member: string) {
  expect(readFeed(topic, { ...payloads[topic], ...changes })).toMatchObject({
    kind: 'rejected',
    reason: 'SCHEMA_VIOLATION',
    detail: expect.stringMatching(new RegExp(`^member ${member.replaceAll('.', '\\.')}: `)),
  });
}

describe('a detection', () => {
  test('is served in the order of the contract', () => {
    const { id: _, tenantId: __, version: ___, changedAt: ____, ...served } = detection;
    expect(readMembers('detection', detection)).toEqual(served);
    expect(Object.keys(readMembers('detection', detection))).toEqual(Object.keys(served));
    expect(readState('detection', detection)).toMatchObject({
      columns: {
        status: 'open',
        severity: 'high',
        kind: 'anomaly',
        level: 'alerted',
        detector_id: 'volume.file-download.user',
        entity_type: 'user',
        entity_id: '87d3',
        action_group: 'file.download',
      },
      times: { opened_at: Date.UTC(2026, 10, 19, 7) },
      detailMembers: '',
    });
  });

  test('of an unknown kind has its details unchanged', () => {
    const text = JSON.stringify({ ...detection, kind: 'sequence', details: 0 }).replace(
      '"details":0',
      '"details":{"z":1.50,"rejected":[9007199254740993],"level":7,"a":{}}',
    );
    const { members, columns } = readState('detection', text);
    expect(members).toContain('"details":{"z":1.50,"rejected":[9007199254740993],"level":7,"a":{}}');
    expect(columns).toMatchObject({ kind: 'sequence', level: null, action_group: null });
    for (const noDetails of [null, undefined])
      expect(readMembers('detection', { ...detection, kind: 'sequence', details: noDetails }).details).toBeNull();
  });

  test('about the whole tenant has no entity', () => {
    expect(readMembers('detection', { ...detection, entity: undefined }).entity).toBeNull();
  });

  test('has names with visible characters only and a summary that fits a title', () => {
    const entity = { type: 'user', id: 'u\u200b1', name: 'Ada\u202egpj.exe\ud800' };
    const summary = `${'\u202e'.repeat(100)} downloaded`;
    const state = readState('detection', { ...detection, entity, summary });
    const members = JSON.parse(`{${state.members}}`) as { entity: unknown; summary: string };
    expect(members.entity).toEqual({ type: 'user', id: 'u\\u{200B}1', name: 'Ada\\u{202E}gpj.exe\\u{D800}' });
    expect(state.columns.entity_id).toBe('u\\u{200B}1');
    expect(members.summary).toHaveLength(240);
  });

  test.each([
    ['severity', 'urgent'],
    ['status', 'acknowledged'],
    ['kind', ''],
    ['kind', undefined],
    ['stateful', 'true'],
    ['openedAt', '2026-11-19 07:00:00'],
    ['summary', 'x'.repeat(8_193)],
    ['detector', undefined],
    ['details', undefined],
  ])('with an invalid %s is rejected', (member, value) => violation('detection', { [member]: value }, member));

  test.each([
    ['level', 'loud'],
    ['current', -1],
    ['peakCurrent', 411],
    ['baseline', null],
    ['score', 100.1],
    ['peakScore', 74.1],
    ['diffPercent', 'NaN'],
    ['episodeCount', 0],
    ['episodeCount', 1.5],
    ['actionGroup', undefined],
  ])('with an invalid details.%s is rejected', (member, value) =>
    violation('detection', { details: { ...details, [member]: value } }, `details.${member}`),
  );

  test('is resolved exactly when it is not open, and never before it was last seen', () => {
    violation('detection', { status: 'resolved' }, 'resolvedAt');
    violation('detection', { resolvedAt: '2026-11-20T09:00:00Z' }, 'resolvedAt');
    violation('detection', { status: 'dismissed', resolvedAt: '2026-11-20T07:59:59Z' }, 'resolvedAt');
    violation('detection', { lastSeenAt: '2026-11-19T06:59:59Z' }, 'lastSeenAt');
    const closed = { ...detection, status: 'resolved', resolvedAt: '2026-11-20T10:00:00.1239+01:00' };
    expect(readMembers('detection', closed).resolvedAt).toBe('2026-11-20T09:00:00.123Z');
  });
});

describe('a policy scan', () => {
  test('is served in the order of the contract, with its policy and automations by id only', () => {
    const { members, detailMembers, columns, times } = readState('policyScan', policyScan);
    expect(members).toBe(
      '"name":"Anonymous links","severity":"medium","status":"open","isResolved":false,"resourceType":"file","resources":14,' +
        '"assignedUser":"adele@contoso.example","description":null,"createdFrom":null,"scannedAt":"2026-11-20T06:00:00.000Z","resolvedAt":null',
    );
    expect(detailMembers).toBe('"policyId":"policy-anonymous-links","automations":"{\\"then\\":[\\"notify\\"]}"');
    expect(columns).toEqual({
      severity: 'medium',
      status: 'open',
      is_resolved: false,
      resource_type: 'file',
      policy_id: 'policy-anonymous-links',
    });
    expect(times).toEqual({ scanned_at: Date.UTC(2026, 10, 20, 6) });
  });

  test.each([
    ['open', false],
    ['resolved', true],
    ['snoozed', false],
    ['clear', true],
    ['error', false],
  ])('with the status %s counts as resolved: %s', (status, isResolved) => {
    expect(readMembers('policyScan', { ...policyScan, status }).isResolved).toBe(isResolved);
  });

  test('has automations as JSON text with visible characters only', () => {
    const automationsOf = (automations: unknown) =>
      (
        JSON.parse(`{${readState('policyScan', { ...policyScan, automations }).detailMembers}}`) as {
          automations: string;
        }
      ).automations;
    expect(automationsOf({ steps: ['mail'], score: 1.5 })).toBe('{"steps":["mail"],"score":1.5}');
    expect(automationsOf('{"n": 9007199254740993}')).toBe('{"n":9007199254740993}');
    for (const hidden of ['{"name":"a\u202eb"}', '{"name":"a\\u202eb"}'])
      expect(JSON.parse(automationsOf(hidden))).toEqual({ name: 'a\\u{202E}b' });
    expect(automationsOf(null)).toBeNull();
    expect(automationsOf(undefined)).toBeNull();
    violation('policyScan', { automations: 'notify' }, 'automations');
  });

  test.each([
    ['status', 'done'],
    ['resources', -1],
    ['resources', 1.5],
    ['policyId', undefined],
    ['scannedAt', undefined],
  ])('with an invalid %s is rejected', (member, value) => violation('policyScan', { [member]: value }, member));
});

describe('a notification', () => {
  test('is served in the order of the contract and has version 1 by default', () => {
    const state = readState('notification', notification);
    expect(state.version).toBe(1);
    expect(state.detailMembers).toBeNull();
    expect(JSON.parse(`{${state.members}}`)).toEqual({
      createdAt: '2026-11-20T08:01:00.000Z',
      source: 'policy',
      kind: 'digest',
      channel: 'email',
      decision: 'suppressed',
      reason: 'cooldown',
      policyId: null,
      policyName: null,
      subjectType: null,
      subjectId: null,
      subjectCount: 3,
      resourceType: null,
      resourceId: null,
      severity: 'low',
      recipients: ['adele@contoso.example'],
      recipientSource: null,
      senderMode: null,
      mailSubject: null,
    });
    expect(readState('notification', { ...notification, version: 7, changedAt: '2026-11-20T08:01:00Z' }).version).toBe(
      7,
    );
  });

  test('that was not sent has a reason', () => {
    for (const decision of ['suppressed', 'failed'])
      for (const reason of [null, undefined, '']) violation('notification', { decision, reason }, 'reason');
    expect(readMembers('notification', { ...notification, decision: 'sent', reason: null }).reason).toBeNull();
  });

  test.each([
    ['decision', 'postponed'],
    ['source', 'weather'],
    ['channel', 'webhook'],
    ['severity', 'urgent'],
    ['kind', undefined],
    ['recipients', 'adele@contoso.example'],
    ['createdAt', undefined],
  ])('with an invalid %s is rejected', (member, value) => violation('notification', { [member]: value }, member));
});

describe('an action', () => {
  test('is served in the order of the contract, and its steps are stored separately', () => {
    const { members, columns, detailMembers } = readState('action', action);
    expect(detailMembers).toBeNull();
    expect(JSON.parse(`{${members}}`)).toEqual({
      actionName: 'Remove anonymous links',
      actionType: 'removeSharingLink',
      policyId: null,
      policyName: null,
      actorId: null,
      actorName: null,
      actorKind: 'human',
      rollupRung: 'applied',
      itemsTotal: 5,
      itemsSettled: 3,
      failedCount: 1,
      hasFailures: true,
      isSimulated: false,
      isIrreversible: false,
      revertBucket: 'available',
      resourceType: null,
      resourceId: null,
      resourceName: null,
      askerCount: null,
      askerNames: ['Adele Vance'],
      actionArguments: { linkId: 'l1', clientSecret: '[removed]' },
      createdAt: '2026-11-20T07:00:00.000Z',
      dueAt: null,
      acknowledgedAt: null,
    });
    expect(columns).toMatchObject({
      rung: 'applied',
      has_failures: true,
      steps: '[{"rung":"staged","at":"2026-11-20T07:00:00Z","by":"adele","byKind":"human"}]',
    });
  });

  test('that cannot be reverted has the revert bucket notApplicable', () => {
    violation('action', { isIrreversible: true }, 'revertBucket');
    const irreversible = { ...action, isIrreversible: true, revertBucket: null };
    expect(readMembers('action', irreversible).revertBucket).toBe('notApplicable');
  });

  test('has arguments without secrets at every level and with unchanged digits', () => {
    const text = JSON.stringify({ ...action, actionArguments: 0 }).replace(
      '"actionArguments":0',
      '"actionArguments":{"limit":9007199254740993,"steps":[{"new_password":"x","tokenCount":3,"api-key":{"value":"y"}}]}',
    );
    expect(readState('action', text).members).toContain(
      '"actionArguments":{"limit":9007199254740993,"steps":[{"new_password":"[removed]","tokenCount":3,"api-key":"[removed]"}]}',
    );
  });

  test('settles at most all items and fails at most the settled items', () => {
    violation('action', { itemsSettled: 6 }, 'itemsSettled');
    violation('action', { failedCount: 4 }, 'failedCount');
  });

  test.each([
    ['rollupRung', 'done'],
    ['actorKind', 'robot'],
    ['revertBucket', 'maybe'],
    ['itemsTotal', -1],
    ['isSimulated', null],
    ['actionArguments', 'linkId=l1'],
    ['rungs', [{ rung: 'staged' }]],
    ['updatedAt', undefined],
  ])('with an invalid %s is rejected', (member, value) =>
    violation('action', { [member]: value }, member === 'rungs' ? 'rungs.0.at' : member),
  );
});
