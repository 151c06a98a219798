import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import { readSection } from './read-section.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts[Symbol.asyncDispose]());

const noonMs = Date.UTC(2026, 5, 15, 12);
const window = { fromMs: Date.UTC(2020, 0), toMs: noonMs };

/** Automation runs are reported inside a text that no schema checks. */
async function executedAt(...times: readonly unknown[]): Promise<unknown[]> {
  const tenantId = newTenantId();
  const automations = JSON.stringify(times.map((time, index) => ({ id: `run-${index}`, executedAt: time })));
  await facts.ingest(tenantId, noonMs, [events.policyScan('s1', 'p1', noonMs, { automations })]);
  const { rows } = await readSection(facts, tenantId, 'remediation', window);
  return rows.map(({ createdAt }) => createdAt);
}

test('a time is parsed with its zone to the millisecond', async () => {
  const times = ['2024-02-29T23:59:59.123456+02:00', '2026-02-28T01:02:03Z', '2026-05-31t00:00:00.5z'];
  expect(await executedAt(...times)).toEqual([
    '2024-02-29T21:59:59.123Z',
    '2026-02-28T01:02:03.000Z',
    '2026-05-31T00:00:00.500Z',
  ]);
});

test('an invalid time becomes null and does not break the section', async () => {
  const texts = ['now', 'infinity', '', '2026-02-30T00:00:00Z', '2025-02-29T00:00:00Z', '2026-13-01T00:00:00Z'];
  const more = ['2026-04-31T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:00:00', '2026-01-01T00:00:00+99:00'];
  const years = ['0000-01-01T00:00:00Z', '99999-01-01T00:00:00Z'];
  expect(await executedAt(...texts, ...more, ...years, 1_700_000_000, null, {})).toEqual([]);
});
