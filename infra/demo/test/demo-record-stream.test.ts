// @module-tag exhaustive
import { asTenantId } from '@tenantscope/contract';
import { type Message, readRecords } from '@tenantscope/intake';
import { expect, test } from 'vitest';
import { type DemoState, demoNotificationStream, demoRecordStream, demoTenants, toMessages } from '../src/index.ts';

const historyMs = Date.UTC(2026, 10, 20, 15, 30);
const startMs = historyMs + 3_600_000;
const tenantId = asTenantId('0d9a5c1e-7b34-4f2a-9e61-3c8b7f5d2a10');
const tenant = demoTenants.at(-1) ?? raise();
const past = { tenant, historyMs, startMs };

function raise(): never {
  throw new Error('there are tenants');
}

/** What ingestion makes of a state said when it happens. */
function outcomesOf(state: DemoState) {
  return toMessages(state, tenantId).flatMap(({ key, value, headers }) => {
    const message = { key: Buffer.from(String(key)), value, headers: headers as Message['headers'] };
    return readRecords(state.topic, message, {
      findTenant: (id) => (id === tenantId ? { azureTenantId: tenant.azureTenantId } : undefined),
      nowMs: state.changedAtMs,
      maxValueBytes: 1_048_576,
      onlyElement: null,
    });
  });
}

test('changes are in order of time, a few per minute, and all of them are parsed', { tags: 'exhaustive' }, () => {
  const states = demoRecordStream(past).take(300).toArray();
  const times = states.map(({ changedAtMs }) => changedAtMs);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  const perMinute = states.length / (((times.at(-1) ?? 0) - startMs) / 60_000);
  expect(perMinute).toBeGreaterThan(2);
  expect(perMinute).toBeLessThan(10);
  expect(states.flatMap(outcomesOf).filter(({ kind }) => kind === 'rejected')).toEqual([]);
});

test('detections grow and resolve, alerts and actions progress, entities change', { tags: 'exhaustive' }, () => {
  const outcomes = demoRecordStream(past).take(400).toArray().flatMap(outcomesOf);
  const versions = new Map<string, number>();
  const changed = new Set<string>();
  for (const outcome of outcomes) {
    const record = outcome.kind === 'state' ? outcome.state : outcome.kind === 'part' ? outcome.part : raise();
    const what = outcome.kind === 'state' ? outcome.table : 'entity';
    const name = `${what}/${record.id}`;
    const before = versions.get(name);
    if (before !== undefined) {
      expect(record.version, name).toBeGreaterThan(before);
      changed.add(what);
    }
    versions.set(name, record.version);
  }
  expect([...changed].sort()).toEqual(['action', 'detection', 'entity', 'policy_scan', 'security_alert']);
});

test('another start gives no record version of this one', () => {
  const versions = (from: number) =>
    demoRecordStream({ ...past, startMs: from })
      .take(200)
      .toArray()
      .map(({ kind, id, changedAtMs }) => `${kind}/${id}/${changedAtMs}`);
  const one = new Set(versions(startMs));
  expect(versions(startMs + 600_001).filter((version) => one.has(version))).toEqual([]);
});

test('notifications continue, each about a record of the history', () => {
  const states = demoNotificationStream(past).take(50).toArray();
  expect(new Set(states.map(({ id }) => id)).size).toBe(50);
  expect(states.flatMap(outcomesOf).filter(({ kind }) => kind !== 'state')).toEqual([]);
});
