import { isDeepStrictEqual } from 'node:util';
import { requirementCatalogue } from '@tenantscope/compliance';
import { readMetrics } from '@tenantscope/store/compliance';
import { logTallies } from '@tenantscope/store/ingest';
import pg from 'pg';
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

test('while tallies of the log are being counted, every metric that is read from them is unknown', async () => {
  const tenantId = newTenantId();
  const clientId = '22222222-2222-4222-8222-222222222222';
  await facts.ingest(tenantId, nowMs - 20 * input.dayMs, [
    input.agent('sales'),
    input.app('assistant', { isAiApp: true, appId: clientId }),
    input.user('leo', { accountEnabled: false, disabledAt: input.at(nowMs - 30 * input.dayMs) }),
    input.user('anna', { hasCopilotLicense: true, mfaRegistered: true }),
    input.license('SPE_E5', { consumedUnits: 1, capabilityStatus: 'enabled', servicePlans: [] }),
    events.interaction('anna', nowMs - 21 * input.dayMs, { agentId: 'sales', clientId }),
    events.appUse(clientId, 'leo', nowMs - 21 * input.dayMs),
  ]);
  await facts.ingest(tenantId, nowMs - input.dayMs, [
    events.appUse(clientId, 'anna', nowMs - 2 * input.dayMs, {
      DeviceProperties: [{ Name: 'IsCompliant', Value: 'True' }],
    }),
  ]);
  await using owner = await connectSuperuser(facts.database.superuser);
  const counted = await metricsOf(tenantId);
  await owner.query(`insert into models.log_tally_backfill select tally, now(), now() from unnest($1::text[]) tally`, [
    [...logTallies.map(({ name }) => name), 'actor_tally'],
  ]);
  const whileCounting = await metricsOf(tenantId);
  await owner.query('delete from models.log_tally where tenant_id = $1', [tenantId]);
  await owner.query('delete from models.actor_tally where tenant_id = $1', [tenantId]);
  const withoutTallies = await metricsOf(tenantId);
  await owner.query('delete from models.log_tally_backfill');
  expect(withoutTallies).toEqual(whileCounting);
  const changed = Object.keys(counted).filter((key) => !isDeepStrictEqual(counted[key], whileCounting[key]));
  expect(changed.length).toBeGreaterThanOrEqual(logTallies.length);
  for (const key of changed) expect(new Set(Object.values(whileCounting[key] ?? {}))).toContain(null);
});

async function connectSuperuser(connectionString: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
