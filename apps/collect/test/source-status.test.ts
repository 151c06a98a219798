import type { ClaimedStream } from '@tenantscope/store/collect';
import { expect, test } from 'vitest';
import { describeStatus, isReportDue } from '../src/collection/source-status.ts';

const minuteMs = 60_000;
const nowMs = Date.UTC(2026, 10, 20, 8);
const at = (minutesAgo: number) => new Date(nowMs - minutesAgo * minuteMs).toISOString();

const stream: ClaimedStream = {
  leaseId: 'lease',
  collectorId: 'c',
  tenantId: 't',
  provider: 'okta',
  stream: 'system-log',
  url: 'https://example.okta.com',
  settings: {},
  secretFile: '/run/secrets/okta',
  intervalMs: minuteMs,
  startAtMs: nowMs - 90 * 24 * 60 * minuteMs,
  createdAtMs: nowMs - 60 * minuteMs,
  state: 'active',
  position: null,
  gaps: [],
  completedAtMs: nowMs - minuteMs,
  failureCount: 0,
  failure: null,
  reported: null,
  reportedAtMs: null,
  reportedState: null,
};
const lost = { from: at(900), to: at(800), reason: 'expired' };
const progress = (minutesAgo: number | null, failure: string | null = null, kind = 'unavailable') => ({
  completedAtMs: minutesAgo === null ? null : nowMs - minutesAgo * minuteMs,
  gaps: [lost],
  failure: failure === null ? null : { kind, message: failure },
});

test('the status has the last complete import and the gaps that cannot be closed', () => {
  expect(describeStatus(stream, progress(4), nowMs)).toEqual({
    id: 'collector.c.system-log',
    tenantId: 't',
    version: nowMs * 1_000,
    changedAt: at(0),
    source: 'logs/SystemLog',
    enabled: true,
    licensed: null,
    connectedAt: at(60),
    lastCompleteImportAt: at(4),
    gaps: [lost],
  });
});

test.each([
  [6, null, 'records of this time are being collected'],
  [6, 'status 503', 'not collected: status 503'],
])('a stream that was complete %s minutes ago is behind', (minutesAgo, failure, reason) => {
  const { gaps } = describeStatus(stream, progress(minutesAgo, failure), nowMs);
  expect(gaps).toEqual([lost, { from: at(minutesAgo), to: at(0), reason }]);
});

test('a failure that ends only by a change of settings is an open gap when it repeats', () => {
  expect(describeStatus(stream, progress(1, 'status 401', 'refused'), nowMs).gaps).toEqual([lost]);
  const failing = { ...stream, failureCount: 1 };
  const refused = describeStatus(failing, progress(1, 'status 403', 'refused'), nowMs);
  expect(refused).toMatchObject({
    licensed: null,
    gaps: [lost, { from: at(1), to: at(0), reason: 'not collected: status 403' }],
  });
  const unlicensed = describeStatus(failing, progress(null, 'status 403', 'unlicensed'), nowMs);
  expect(unlicensed).toMatchObject({ licensed: false, gaps: [lost, { reason: 'not collected: status 403' }] });
  const licensed = describeStatus(stream, progress(0), nowMs);
  const reported = { ...stream, reported: { ...unlicensed }, reportedAtMs: nowMs, reportedState: 'active' } as const;
  expect(isReportDue(reported, licensed, nowMs)).toBe(true);
});

test('a stream that was never complete is behind from its start', () => {
  const { gaps, lastCompleteImportAt } = describeStatus(stream, progress(null), nowMs);
  expect(lastCompleteImportAt).toBeNull();
  expect(gaps[1]).toMatchObject({ from: new Date(stream.startAtMs).toISOString(), to: at(0) });
});

test('a stream with a long interval is behind after three of them', () => {
  const slow = { ...stream, intervalMs: 60 * minuteMs };
  expect(describeStatus(slow, progress(179), nowMs).gaps).toEqual([lost]);
  expect(describeStatus(slow, progress(181), nowMs).gaps).toHaveLength(2);
});

test('a paused collector is disabled and has no open gap', () => {
  const status = describeStatus({ ...stream, state: 'paused' }, progress(600), nowMs);
  expect(status).toMatchObject({ enabled: false, gaps: [lost] });
});

test('versions increase although the clock goes back', () => {
  const version = (nowMs + minuteMs) * 1_000;
  expect(describeStatus({ ...stream, reported: { version } }, progress(1), nowMs).version).toBe(version + 1);
});

test('a status is published when it changes, and every five minutes', () => {
  const first = describeStatus(stream, progress(1), nowMs);
  expect(isReportDue(stream, first, nowMs)).toBe(true);
  const reported: ClaimedStream = { ...stream, reported: { ...first }, reportedAtMs: nowMs, reportedState: 'active' };
  const isDue = (next: ClaimedStream, minutesAgo: number | null, laterMs: number) =>
    isReportDue(next, describeStatus(next, { ...progress(minutesAgo) }, nowMs + laterMs), nowMs + laterMs);
  expect(isDue(reported, 0, minuteMs)).toBe(false);
  expect(isDue(reported, 0, 5 * minuteMs)).toBe(true);
  expect(isDue(reported, null, minuteMs)).toBe(true);
  expect(isDue(reported, 10, minuteMs)).toBe(true);
  expect(isDue({ ...reported, state: 'paused' }, 0, minuteMs)).toBe(true);
});

test('an open gap that only grows is not published again', () => {
  const behind = describeStatus(stream, progress(10, 'status 503'), nowMs);
  const reported: ClaimedStream = { ...stream, reported: { ...behind }, reportedAtMs: nowMs, reportedState: 'active' };
  const next = describeStatus(reported, progress(10, 'status 503'), nowMs + minuteMs);
  expect(next.gaps[1]?.to).not.toBe(behind.gaps[1]?.to);
  expect(isReportDue(reported, next, nowMs + minuteMs)).toBe(false);
});

test('a status that was published by a clock that was days ahead is replaced when that is set back', () => {
  const aheadMs = nowMs + 3 * 24 * 60 * minuteMs;
  const published = describeStatus(stream, progress(4), aheadMs);
  const later = { ...stream, reported: { ...published }, reportedAtMs: aheadMs, reportedState: 'active' } as const;
  const status = describeStatus(later, progress(4), nowMs);
  expect(isReportDue(later, status, nowMs)).toBe(true);
  // Ingest refuses versions that are more than a day ahead.
  expect(status.version).toBe(nowMs * 1_000);
});
