import type { LaneStatus } from '@tenantscope/store/lane';
import { expect, test } from 'vitest';
import { createLaneHealth } from '../src/lane/lane-health.ts';

const own = { clusterId: 'cluster', topicId: '0b9f6e0e-6b0a-4c8e-9b54-2f0f5c8d7a10', partition: 0 };
const behind: LaneStatus = {
  ...own,
  cluster: 'main',
  topic: 'activity',
  state: 'running',
  stall: null,
  stalledSince: null,
  unread: 4,
  worker: 'host/1',
  reason: null,
  unreadMs: 5_000,
  isMeasured: true,
};
const twoMinutesMs = 120_000;

function observeFor(status: LaneStatus | null, idleMs: number, owned: readonly (typeof own)[] = [own]) {
  let nowMs = 0;
  const health = createLaneHealth({ ownLanes: () => owned, msSinceWork: () => idleMs, now: () => nowMs });
  for (; nowMs <= twoMinutesMs; nowMs += 5_000) health.observe(status && [status]);
  return health;
}

test('liveness fails when an own lane has unread records and nothing was written for two minutes', () => {
  expect(observeFor(behind, twoMinutesMs).failureReason()).toBe('records are unread and nothing was written for 120 s');
  expect(observeFor({ ...behind, state: 'stalled' }, twoMinutesMs).failureReason()).not.toBeNull();
});

test('the process stays live while batches are written or retried, whatever is unread', () => {
  expect(observeFor(behind, 30_000).failureReason()).toBeNull();
});

test.each([
  ['nothing is unread', { ...behind, unreadMs: null }],
  ['the lane waits for an operator', { ...behind, state: 'stopped' } as const],
  ['the lane waits for its next probe', { ...behind, state: 'tripped' } as const],
  ['Kafka is unavailable, so the log is not measured', { ...behind, isMeasured: false }],
  ['the database is unavailable', null],
])('the process stays live while %s', (_, status) => {
  expect(observeFor(status, twoMinutesMs).failureReason()).toBeNull();
});

test('the lanes of another process fail neither liveness nor readiness', () => {
  const stalled: LaneStatus = {
    ...behind,
    state: 'stalled',
    stall: 'no progress',
    stalledSince: '2026-11-22T12:00:00.000Z',
  };
  const others = observeFor(stalled, twoMinutesMs, [{ ...own, partition: 1 }]);
  expect([others.failureReason(), others.unreadyReason()]).toEqual([null, null]);
  expect(observeFor(stalled, 0).unreadyReason()).toBe(
    'activity/0 is stalled: no progress since 2026-11-22T12:00:00.000Z: 4 records unread, consumer host/1',
  );
});

test('a stalled lane of a further cluster does not fail readiness', () => {
  const stalled = { ...behind, state: 'stalled', stall: 'not measured', isMeasured: false } as const;
  expect(observeFor(stalled, 0).unreadyReason()).toMatch(/^activity\/0 is stalled/);
  const partner = observeFor({ ...stalled, cluster: 'partner' }, twoMinutesMs);
  expect([partner.failureReason(), partner.unreadyReason()]).toEqual([null, null]);
});

test('two minutes are counted from the first observation of unread records', () => {
  let nowMs = 0;
  const health = createLaneHealth({ ownLanes: () => [own], msSinceWork: () => 10 * twoMinutesMs, now: () => nowMs });
  health.observe([behind]);
  nowMs = twoMinutesMs - 1;
  expect(health.failureReason()).toBeNull();
  health.observe([{ ...behind, unreadMs: null }]);
  health.observe([behind]);
  nowMs += twoMinutesMs - 1;
  expect(health.failureReason()).toBeNull();
});
