// @module-tag exhaustive
import { createHash } from 'node:crypto';
import { asTenantId } from '@tenantscope/contract';
import { activityFormats, type LogRow, readActivity, toEventType } from '@tenantscope/intake';
import { createCloudEventMessage } from '@tenantscope/publish';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DemoRecord, type DemoTenant, demoHistory, demoStream, demoTenants } from '../src/index.ts';

const endMs = Date.UTC(2026, 10, 20, 15, 30);
const tenantId = asTenantId('0d9a5c1e-7b34-4f2a-9e61-3c8b7f5d2a10');

const generate = (tenant: DemoTenant, seed = 'a seed') => [...demoHistory({ tenant, endMs, seed })];
const generated = new Map<DemoTenant, readonly DemoRecord[]>();

/** The history with the first seed, generated once. */
function history(tenant: DemoTenant): readonly DemoRecord[] {
  const records = generated.get(tenant) ?? generate(tenant);
  generated.set(tenant, records);
  return records;
}

const [first] = demoTenants as [DemoTenant, ...DemoTenant[]];

/** What ingestion makes of a record: its rows, or the reasons why not. */
function read(tenant: DemoTenant, { format, record, occurredAtMs }: DemoRecord) {
  const value = Buffer.from(JSON.stringify(record));
  const event = {
    id: 'demo',
    source: '/collectors/demo',
    type: toEventType(format),
    tenantId,
    timeMs: occurredAtMs,
    value,
  };
  const { key, headers } = createCloudEventMessage(event);
  return readActivity(
    { key: Buffer.from(String(key)), value, headers: headers as Record<string, string> },
    {
      findTenant: (id) => (id === tenantId ? { azureTenantId: tenant.azureTenantId } : undefined),
      nowMs: endMs,
      maxValueBytes: 1_048_576,
      onlyElement: null,
    },
  );
}

function rowsOf(tenant: DemoTenant, records: readonly DemoRecord[]): LogRow[] {
  return records.flatMap((record) =>
    read(tenant, record).flatMap((outcome) => {
      if (outcome.kind !== 'rejected') return outcome.kind === 'log' ? [outcome.row] : [];
      throw new Error(`${record.format}: ${outcome.reason}: ${outcome.detail}: ${JSON.stringify(record.record)}`);
    }),
  );
}

describe.each(demoTenants.map((tenant) => [tenant.name, tenant] as const))('%s', (_, tenant) => {
  let records: readonly DemoRecord[];
  let rows: LogRow[];
  beforeAll(() => {
    records = history(tenant);
    rows = rowsOf(tenant, records);
  });

  test('every record of the history becomes a row with the time of the record', () => {
    expect(records).toHaveLength(tenant.historyCount);
    for (const record of records) {
      for (const row of rowsOf(tenant, [record])) expect(row.occurredAtMs).toBe(record.occurredAtMs);
    }
  });

  test('no two records are equal, so no two become one row', () => {
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });

  test('all records occurred within the thirty days before the end, and not in order of arrival', () => {
    const times = records.map((record) => record.occurredAtMs);
    expect(Math.max(...times)).toBeLessThanOrEqual(endMs);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(endMs - 30 * 86_400_000);
    expect(times).not.toEqual(times.toSorted((one, other) => one - other));
  });

  test('most activity occurs in office hours', () => {
    const local = rows.map((row) => new Date(row.occurredAtMs + tenant.company.plan.utcOffsetHours * 3_600_000));
    const inOffice = local.filter((at) => at.getUTCDay() % 6 !== 0 && at.getUTCHours() >= 7 && at.getUTCHours() < 19);
    expect(inOffice.length / local.length).toBeGreaterThan(0.6);
  });
});

test('the same seed gives the same history, another seed a different one', () => {
  const digest = (seed: string) =>
    createHash('sha256')
      .update(JSON.stringify(generate(first, seed)))
      .digest('hex');
  expect(digest('one')).toBe(digest('one'));
  expect(digest('one')).not.toBe(digest('other'));
});

test('the tenants together use every format', () => {
  const spoken = demoTenants.flatMap((tenant) => history(tenant).map((record) => record.format));
  expect(new Set(spoken)).toEqual(new Set(activityFormats));
});

test('every filter of the log matches some and not all records of the first tenant', () => {
  const records = history(first);
  const rows = rowsOf(first, records);
  const names = Object.keys(rows[0]?.columns ?? {}) as (keyof LogRow['columns'])[];
  const values = names.map(
    (name) => [name, new Set(rows.map((row) => row.columns[name]).filter((value) => value !== null)).size] as const,
  );
  // Ids of entities are resolved only when entities are present.
  const resolved: readonly string[] = ['applicationId', 'actorUserId'];
  expect(values.filter(([name, count]) => !resolved.includes(name) && count < 2)).toEqual([]);
});

test('the first tenant has every severity, every kind of actor, and managed, unmanaged and unregistered devices', () => {
  const rows = rowsOf(first, history(first));
  const seen = (name: keyof LogRow['columns']) => new Set(rows.map((row) => row.columns[name]));
  expect([...seen('severity')].sort()).toEqual(['critical', 'high', 'informational', 'low', 'medium']);
  expect(seen('actorType')).toEqual(
    expect.toSatisfy((kinds: Set<string>) =>
      ['user', 'guest', 'servicePrincipal', 'application', 'agent', 'system'].every((kind) => kinds.has(kind)),
    ),
  );
  expect(seen('isManagedDevice')).toEqual(new Set([true, false, null]));
  expect([...seen('outcome')]).toEqual(expect.arrayContaining(['success', 'failure']));
});

test('the stream is in order of time, at about the requested rate, and another start gives different records', () => {
  const take = (startMs: number) => demoStream({ tenant: first, startMs, perSecond: 5 }).take(1_000).toArray();
  const records = take(endMs);
  const last = records.at(-1)?.occurredAtMs ?? 0;
  expect((last - endMs) / 1_000).toBeGreaterThan(150);
  expect((last - endMs) / 1_000).toBeLessThan(260);
  const ids = new Set([...records, ...take(endMs + 1)].map((record) => JSON.stringify(record.record)));
  expect(ids.size).toBe(2_000);
  expect(rowsOf(first, records).length).toBeGreaterThanOrEqual(1_000);
});

test('the records use only documentation addresses and reserved domain names', () => {
  const text = demoTenants.map((tenant) => JSON.stringify(history(tenant))).join('\n');
  const addresses = new Set(text.match(/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g));
  const outside = [...addresses].filter((address) => !/^(192\.0\.2|198\.51\.100|203\.0\.113)\./.test(address));
  // Versions of browsers and of mail servers look like addresses.
  expect(outside.filter((address) => !/^\d+\.0\.0\.0$|^15\.20\./.test(address) && address !== '1.0.0.0')).toEqual([]);
  const mailDomains = new Set([...text.matchAll(/@([a-z0-9.-]+\.[a-z0-9]+)/g)].map(([, domain]) => domain ?? ''));
  const real = [...mailDomains].filter((domain) => !/\.(example|test)$/.test(domain));
  expect(
    real.filter((domain) => !['thread.tacv2', 'live.com', 'thread.v2', 'unq.gbl.spaces'].includes(domain)),
  ).toEqual([]);
});
