// @module-tag exhaustive
import { getDetection, getPolicyScan, getSecurityAlert } from '@tenantscope/contract';
import { describe, expect, test } from 'vitest';
import { type DemoTenant, demoRecords, demoTenants } from '../src/index.ts';

const days = [Date.UTC(2026, 10, 20, 15, 30), Date.UTC(2027, 0, 4, 0, 1), Date.UTC(2028, 1, 29, 23, 59)];
const feeds = ['detection', 'policyScan', 'rawAlert'];

/** Ids of what was noticed, in a demo that ends at a moment. */
const idsOf = (tenant: DemoTenant, endMs: number) =>
  new Set([...demoRecords({ tenant, endMs })].filter(({ topic }) => feeds.includes(topic)).map(({ id }) => id));

test.each(days)('the examples of the reference exist in the first tenant on any day: %i', (endMs) => {
  const [first] = demoTenants as [DemoTenant, ...DemoTenant[]];
  const ids = idsOf(first, endMs);
  for (const { exampleId, name } of [getDetection, getPolicyScan, getSecurityAlert])
    expect(ids.has(exampleId), name).toBe(true);
});

describe.each(demoTenants.map((tenant) => [tenant.name, tenant] as const))('%s', (_, tenant) => {
  test('ids are unique, and the creation time of a record never changes', () => {
    const [endMs = 0] = days;
    const created = new Map<string, unknown>();
    for (const state of demoRecords({ tenant, endMs })) {
      if (!feeds.includes(state.topic)) continue;
      const fields: Readonly<Record<string, unknown>> =
        'fields' in state ? state.fields : 'record' in state ? state.record : {};
      const began = fields.openedAt ?? fields.scannedAt ?? fields.createdDateTime ?? fields.createTime;
      expect(began).toBeTypeOf('string');
      expect(created.get(state.id) ?? began, state.id).toBe(began);
      created.set(state.id, began);
    }
  });

  test('routine records of one demo do not occur in another', () => {
    const [one, other] = days.map((endMs) => idsOf(tenant, endMs)) as [Set<string>, Set<string>];
    const shared = [...one].filter((id) => other.has(id));
    expect(shared.length).toBeGreaterThan(0);
    expect(shared.length).toBeLessThan(one.size / 2);
  });
});
