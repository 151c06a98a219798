import {
  type DemoState,
  type DemoTenant,
  demoHistory,
  demoRecords,
  demoStream,
  demoTenants,
  publishDemo,
  publishDemoStream,
} from '@tenantscope/demo';
import { auditParts } from '@tenantscope/intake';
import { expect, inject, test } from 'vitest';
import { type CommandLine, createCommandLine, readTopic } from '../cli/command-line.ts';
import { eventually } from '../installation/eventually.ts';
import { startInstallation } from '../installation/installation.ts';
import { onServer } from '../services/template.ts';

const [tenant] = demoTenants as [DemoTenant, ...DemoTenant[]];
const tenantId = '0d9a5c1e-7b34-4f2a-9e61-3c8b7f5d2a10';

function destination(line: CommandLine) {
  return { kafka: { brokers: inject('services').kafka }, topicPrefix: line.environment.TENANTSCOPE_TOPIC_PREFIX ?? '' };
}

test('a history is published record by record with types and times', async () => {
  await using line = await createCommandLine({ topics: true });
  const records = [...demoHistory({ tenant, endMs: Date.UTC(2026, 10, 20), count: 400 })];
  expect(await publishDemo({ ...destination(line), tenantId, records })).toBe(400);
  const taken = await readTopic(line.topic);
  expect(taken.map(({ value }) => JSON.parse(String(value)))).toEqual(records.map(({ record }) => record));
  expect(taken.map(({ headers }) => [headers.ce_type, headers.ce_time])).toEqual(
    records.map(({ format, occurredAtMs }) => [
      `tenantscope.raw.${format.replaceAll('.', '-')}.v1`,
      new Date(occurredAtMs).toISOString(),
    ]),
  );
});

test('a stream is published in real time and ends on request', async () => {
  await using line = await createCommandLine({ topics: true });
  const ending = new AbortController();
  const begunMs = Date.now();
  const streams = [{ tenantId, happenings: demoStream({ tenant, startMs: begunMs, perSecond: 50 }) }];
  const published = publishDemoStream({ ...destination(line), streams, signal: ending.signal });
  await eventually('fifty records are published', 15_000, async () => (await readTopic(line.topic)).length >= 50);
  ending.abort();
  await published;
  const taken = await readTopic(line.topic);
  const times = taken.map(({ headers }) => Date.parse(headers.ce_time ?? ''));
  // The least precise format has whole seconds.
  expect(Math.min(...times)).toBeGreaterThan(begunMs - 1_000);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
  expect(new Set(taken.map(({ value }) => String(value))).size).toBe(taken.length);
});

test('all records of the three demo companies are ingested without gaps or dead letters', async () => {
  await using whole = await startInstallation();
  await whole.startIngest();
  const kafka = { brokers: inject('services').kafka };
  const topicPrefix = whole.environment.TENANTSCOPE_TOPIC_PREFIX ?? '';
  const named = new Set<string>();
  for (const tenant of demoTenants) {
    const { name, azureTenantId } = tenant;
    const { id } = await whole.admin.tenants.create({ name, azureTenantId, organizationId: null });
    const endMs = Date.now();
    const states = [...demoRecords({ tenant, endMs })];
    for (const state of states) named.add(rowOf(id, state));
    await publishDemo({ kafka, topicPrefix, tenantId: id, records: states });
    await publishDemo({ kafka, topicPrefix, tenantId: id, records: demoHistory({ tenant, endMs, count: 300 }) });
  }
  const expected = Map.groupBy(named, (name) => name.split('/')[0] ?? '');
  await onServer(whole.database.superuser, async (client) => {
    const rows = async (table: string, what = 'count(*)') =>
      Number((await client.query(`select ${what} as rows from models.${table}`)).rows[0].rows);
    await eventually('nine hundred records are rows', 20_000, async () => (await rows('audit_log')) >= 900);
    expected.delete('none');
    for (const [table, { length }] of expected) {
      // An agent that only the audit log names is no record of the inventory.
      const what =
        table === 'entity_part'
          ? `count(distinct (tenant_id, kind, id)) filter (where part <> all('{${auditParts}}'))`
          : 'count(*)';
      await eventually(`${length} records are in ${table}`, 20_000, async () => (await rows(table, what)) === length);
    }
    expect(await rows('audit_log', 'count(distinct tenant_id)')).toBe(3);
  });
  expect((await whole.cli('status')).deadLetters).toEqual({ pending: [] });
});

const tables = {
  detection: 'detection',
  policyScan: 'policy_scan',
  notification: 'notification',
  action: 'action',
  agentEvidence: 'agent_evidence',
  compliance: 'compliance_record',
  entity: 'entity_part',
  rawEntity: 'entity_part',
} as const;

/** An assigned owner is a part of the entity. */
function rowOf(tenantId: string, state: DemoState): string {
  const { kind, id } =
    state.kind === 'accountable' && 'fields' in state
      ? { kind: (state.fields.subject as { type: string }).type, id: (state.fields.subject as { id: string }).id }
      : state;
  return `${tableOf(state)}/${tenantId}/${kind}/${id}`;
}

/** Alerts are counted elsewhere: some come from the log, and an incident is not an alert. */
function tableOf({ topic }: DemoState): string {
  return topic === 'rawAlert' ? 'none' : tables[topic];
}
