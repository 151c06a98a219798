import { reportTemplates, requirementCatalogue } from '@tenantscope/compliance';
import { readMetrics, readSourceStates } from '@tenantscope/store/compliance';
import { withReadSnapshot } from '@tenantscope/store/connection';
import { expect, test } from 'vitest';
import { writePackBytes } from '../evidence/packs.ts';
import { eventfulRecords, render, toMs } from '../report/tenants.ts';
import { openTestPool } from '../services/pool.ts';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import { readAllFindings, requirementsWithFindings } from './finding-counts.ts';
import * as input from './input-records.ts';
import { notification } from './notifications.ts';
import { nowMs } from './outcomes.ts';

const { dayMs, hourMs } = input;

/** One record of every kind that a rule counts. */
const everything: readonly input.InputRecord[] = [
  input.user('anna', { roles: ['Global Administrator'], methodsRegistered: ['fido2'], licenseSkus: ['SPE_E5'] }),
  input.user('leo', { accountEnabled: false, disabledAt: input.at(nowMs - 9 * dayMs), riskLevel: 'high' }),
  input.guest('gus'),
  input.group('staff', { owners: [{ id: 'anna', name: 'Anna' }] }),
  input.device('laptop', { isCompliant: true, isEncrypted: true, lastSyncAt: input.at(nowMs) }),
  input.license('SPE_E5', { consumedUnits: 1 }),
  input.agent('sales'),
  input.app('crm', { isAiApp: true }),
  input.file('plan', { hasAnonymousLink: true }),
  input.site('finance'),
  input.sensitiveInfoType('iban'),
  input.grant('grant', 'sales'),
  input.restriction('restriction', 'iban', 'noAccess', nowMs - dayMs),
  input.policy('policy', { severity: 'critical' }),
  input.detector('detector', { lastRunAt: input.at(nowMs) }),
  input.sourceStatus('agents', nowMs),
  events.fileEvent('FileAccessed', 'plan', 'leo', nowMs - hourMs, { IsManagedDevice: false }),
  events.interaction('anna', nowMs - hourMs, { agentId: 'sales', messages: events.jailbreak }),
  events.adminConsent('11111111-1111-4111-8111-111111111111', nowMs - hourMs),
  events.forwarding('anna@contoso.example', 'gus@elsewhere.example', nowMs - hourMs),
  events.episode('episode', nowMs - 9 * dayMs, 5),
  events.alert('alert', nowMs - 9 * dayMs, 5, []),
  events.policyScan('scan', 'policy', nowMs),
  events.action('action', 'blockAgent', { type: 'agent', id: 'sales' }, nowMs - 9 * dayMs),
  notification('sent', nowMs - hourMs),
];

test('no metric counts rows of another tenant when row-level security does not apply', async () => {
  await using facts = await openFactDatabase();
  const unbound = openTestPool(facts.database.superuser, { max: 1 });
  const [full, empty] = [newTenantId(), newTenantId()];
  const counted = (tenantId: string) =>
    withReadSnapshot(unbound, tenantId, async (client) => {
      const of = { tenantId, nowMs, connectedAtMs: nowMs - 100 * dayMs };
      return { metrics: await readMetrics(client, of), sources: await readSourceStates(client, of) };
    });
  const before = await counted(empty);
  await facts.ingest(full, nowMs, everything);
  const after = await counted(empty);
  const own = await counted(full);
  await unbound.end();

  expect(after).toEqual(before);
  const moved = Object.keys(own.metrics).filter(
    (key) => JSON.stringify(own.metrics[key]) !== JSON.stringify(before.metrics[key]),
  );
  expect(moved.length).toBeGreaterThan(40);
});

/** The evidence pack, every report and all findings of a tenant, as texts. */
async function readDocuments(facts: FactDatabase, tenantId: string): Promise<Readonly<Record<string, string>>> {
  const documents: Record<string, string> = {};
  const pack = await writePackBytes(facts, tenantId, { fromMs: toMs - 183 * dayMs, toMs });
  documents.pack = pack.toString();
  for (const template of reportTemplates)
    documents[template.id] = JSON.stringify(await render(facts, tenantId, template, 'en'));
  const instant = { tenantId, nowMs: toMs, connectedAtMs: toMs - 400 * dayMs };
  for (const { key } of requirementsWithFindings)
    documents[key] = JSON.stringify(
      await facts.read(tenantId, (client) => readAllFindings(client, instant, key, 1_000)),
    );
  return documents;
}

test('no document has anything of another tenant with the same ids when row-level security does not apply', async () => {
  await using facts = await openFactDatabase();
  const unbound = openTestPool(facts.database.superuser, { max: 3 });
  const unboundFacts: FactDatabase = {
    ...facts,
    read: (tenantId, work) => withReadSnapshot(unbound, tenantId, work, { timeoutMs: 60_000 }),
  };
  const [own, other] = [newTenantId(), newTenantId()];
  const sources = [...new Set(requirementCatalogue.flatMap((one) => one.sources))];
  const statuses = sources.map((source) => input.sourceStatus(source, toMs));
  await facts.ingest(own, toMs, [...eventfulRecords((kind) => `own ${kind}`), ...statuses]);
  const before = await readDocuments(unboundFacts, own);
  await facts.ingest(other, toMs, [...eventfulRecords((kind) => `foreign ${kind}`), ...statuses]);
  await facts.ingest(newTenantId(), toMs, everything);
  const after = await readDocuments(unboundFacts, own);
  const foreign = await readDocuments(unboundFacts, other);
  await unbound.end();

  for (const [name, document] of Object.entries(after)) expect(document, name).toBe(before[name]);
  expect(before.pack).toContain('own agent');
  expect(foreign.pack).toContain('foreign agent');
  expect(Object.values(before).filter((document) => document !== '[]').length).toBeGreaterThan(30);
}, 300_000);
