import { requirementCatalogue } from '@tenantscope/compliance';
import { readMetrics } from '@tenantscope/store/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import * as input from './input-records.ts';
import { requirementPrefixes } from './outcomes.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

const nowMs = Date.UTC(2026, 5, 15, 12);
const metricsOf = (tenantId: string) =>
  facts.read(tenantId, (client) => readMetrics(client, { tenantId, nowMs, connectedAtMs: nowMs - 200 * input.dayMs }));

test('each measured requirement has exactly its metrics besides percentages', async () => {
  const measured = requirementCatalogue.filter((one) => one.kind === 'measured');
  const declared = measured.map(({ key, metricsJson, rule }) => {
    const names = Object.keys(metricsJson).filter((name) => rule.unit !== 'percent' || name !== rule.primaryMetric);
    return [key, names.sort()];
  });
  const read = Object.entries(await metricsOf(newTenantId())).map(([key, metric]) => [key, Object.keys(metric).sort()]);
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(declared));
});

test('each measured requirement is tested outcome by outcome in one file', () => {
  const prefixes: readonly string[] = Object.values(requirementPrefixes).flat();
  const tested = requirementCatalogue
    .filter(({ kind }) => kind === 'measured')
    .map(({ key }) => [key, prefixes.filter((prefix) => key.startsWith(prefix)).length]);
  expect(tested.filter(([, files]) => files !== 1)).toEqual([]);
});

test('no metric counts rows of another tenant', async () => {
  const [tenantId, neighbour] = [newTenantId(), newTenantId()];
  const before = await metricsOf(tenantId);
  await facts.ingest(neighbour, nowMs, [
    input.user('anna', { hasCopilotLicense: true }),
    input.agent('sales', { riskLevel: 'high', availableTo: 'all', deployedTo: 'none' }),
    input.app('assistant', { isAiApp: true, appId: '11111111-1111-4111-8111-111111111111' }),
    input.file('payroll', {
      sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }],
      hasAnonymousLink: true,
      aiAppReachCount: 1,
    }),
    input.site('finance', { sensitiveFileCount: 1 }),
    input.sensitiveInfoType('iban'),
    input.grant('grant', 'sales', { tenantWide: true }),
    input.restriction('r1', 'iban', 'noAccess', nowMs - 9 * input.dayMs),
    input.instructionChange('change', 'sales', nowMs - 30 * input.dayMs),
    input.riskClass('agent', 'sales', 'high'),
    input.policy('p1'),
    events.interaction('anna', nowMs - 5 * input.dayMs, { agentId: 'sales', messages: events.jailbreak }),
    events.fileEvent('FileAccessed', 'payroll', 'anna', nowMs - input.dayMs),
    events.forwarding('anna@contoso.example', 'someone@elsewhere.example', nowMs - input.dayMs),
    events.episode('e1', nowMs - 20 * input.dayMs, null),
    events.alert('a1', nowMs - 10 * input.dayMs, null, [events.mailEvidence('m1')]),
  ]);
  expect(await metricsOf(tenantId)).toEqual(before);
  expect(await metricsOf(neighbour)).not.toEqual(before);
});
