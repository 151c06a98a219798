import { requirementCatalogue } from '@tenantscope/compliance';
import { readMetrics } from '@tenantscope/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as happened from './happened.ts';
import { prefixesOf } from './outcomes.ts';
import * as said from './said.ts';
import { strangeTenant, type Told, toldDatabase } from './told.ts';

let told: Told;
beforeAll(async () => {
  told = await toldDatabase();
}, 60_000);
afterAll(() => told?.[Symbol.asyncDispose]());

const nowMs = Date.UTC(2026, 5, 15, 12);
const metricsOf = (tenantId: string) =>
  told.read(tenantId, (client) => readMetrics(client, { tenantId, nowMs, connectedAtMs: nowMs - 200 * said.dayMs }));

test('each measured requirement has its metrics, all of them but percentages, and nothing has others', async () => {
  const measured = requirementCatalogue.filter((one) => one.kind === 'measured');
  const declared = measured.map(({ key, metricsJson, rule }) => {
    const names = Object.keys(metricsJson).filter((name) => rule.unit !== 'percent' || name !== rule.primaryMetric);
    return [key, names.sort()];
  });
  const read = Object.entries(await metricsOf(strangeTenant())).map(([key, metric]) => [
    key,
    Object.keys(metric).sort(),
  ]);
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(declared));
});

test('each measured requirement is tested in one file, outcome by outcome', () => {
  const prefixes: readonly string[] = Object.values(prefixesOf).flat();
  const tested = requirementCatalogue
    .filter(({ kind }) => kind === 'measured')
    .map(({ key }) => [key, prefixes.filter((prefix) => key.startsWith(prefix)).length]);
  expect(tested.filter(([, files]) => files !== 1)).toEqual([]);
});

test('of a neighbour nothing is counted', async () => {
  const [tenantId, neighbour] = [strangeTenant(), strangeTenant()];
  const before = await metricsOf(tenantId);
  await told.tell(neighbour, nowMs, [
    said.user('anna', { hasCopilotLicense: true }),
    said.agent('sales', { riskLevel: 'high', availableTo: 'all', deployedTo: 'none' }),
    said.app('assistant', { isAiApp: true, appId: '11111111-1111-4111-8111-111111111111' }),
    said.file('payroll', {
      sensitiveInfoTypes: [{ id: 'iban', name: 'IBAN' }],
      hasAnonymousLink: true,
      aiAppReachCount: 1,
    }),
    said.site('finance', { sensitiveFileCount: 1 }),
    said.sensitiveInfoType('iban'),
    said.grant('grant', 'sales', { tenantWide: true }),
    said.restriction('r1', 'iban', 'noAccess', nowMs - 9 * said.dayMs),
    said.instructionChange('change', 'sales', nowMs - 30 * said.dayMs),
    said.riskClass('agent', 'sales', 'high'),
    said.policy('p1'),
    happened.interaction('anna', nowMs - 5 * said.dayMs, { agentId: 'sales', messages: happened.jailbreak }),
    happened.fileEvent('FileAccessed', 'payroll', 'anna', nowMs - said.dayMs),
    happened.forwarding('anna@contoso.example', 'someone@elsewhere.example', nowMs - said.dayMs),
    happened.episode('e1', nowMs - 20 * said.dayMs, null),
    happened.alert('a1', nowMs - 10 * said.dayMs, null, [happened.mailEvidence('m1')]),
  ]);
  expect(await metricsOf(tenantId)).toEqual(before);
  expect(await metricsOf(neighbour)).not.toEqual(before);
});
