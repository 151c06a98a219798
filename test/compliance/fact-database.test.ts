import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import * as input from './input-records.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts[Symbol.asyncDispose]());

const noonMs = Date.UTC(2026, 5, 15, 12);
const { dayMs, hourMs } = input;

test('every input record becomes rows stamped with its ingestion time', async () => {
  const tenantId = newTenantId();
  const otherRecords = [
    input.user('anna'),
    input.guest('gus'),
    input.agent('sales'),
    input.app('crm', { appId: '11111111-1111-4111-8111-111111111111' }),
    input.file('plan'),
    input.site('finance'),
    input.group('staff'),
    input.device('laptop'),
    input.license('COPILOT'),
    input.sensitiveInfoType('iban'),
    input.accountable('agent', 'sales', 'anna'),
    input.grant('g1', 'sales'),
    input.instructionChange('c1', 'sales', noonMs - dayMs),
    input.restriction('r1', 'iban', 'noAccess', noonMs - dayMs),
    input.restrictionEvent('e1', 'r1', { event: 'declare', occurredAt: input.at(noonMs) }),
    input.decision('agent', 'sales', 'approved', noonMs),
    input.riskClass('agent', 'sales', 'high'),
    input.attestation('ai.attest.literacy', { attestedAt: input.at(noonMs) }),
    input.tenantFact('usesHighRiskAi', true),
    input.sourceStatus('agents', noonMs),
    input.policy('p1'),
    input.detector('d1'),
    events.episode('x1', noonMs - dayMs, 5),
    events.policyScan('s1', 'p1', noonMs),
    events.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, noonMs),
    events.alert('al1', noonMs - hourMs, null, [events.mailEvidence('m1'), events.agentEvidence('sales')]),
  ];
  const logEvents = [
    events.fileEvent('FileAccessed', 'plan', 'anna', noonMs),
    events.interaction('anna', noonMs, { agentId: 'sales', messages: events.jailbreak }),
    events.lifecycleEvent('BotCreate', 'sales', noonMs),
    events.adminConsent('11111111-1111-4111-8111-111111111111', noonMs),
    events.appUse('11111111-1111-4111-8111-111111111111', 'anna', noonMs),
    events.forwarding('anna@contoso.example', 'gus@elsewhere.example', noonMs),
  ];
  await facts.ingest(tenantId, noonMs, [...logEvents, ...otherRecords]);

  const counted = await facts.read(tenantId, async (client) => {
    const { rows } = await client.query<{ kind: string; rows: number; stamps: string[] }>(
      `select kind, count(*)::integer as rows, array_agg(distinct to_char(stamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI')) as stamps from (
                   select 'logs' as kind, discovered_at as stamp from models.audit_log where tenant_id = $1
         union all select 'users', updated_at from models.entity_user where tenant_id = $1
         union all select 'evidence', updated_at from models.agent_evidence where tenant_id = $1
         union all select 'compliance', updated_at from models.compliance_record where tenant_id = $1
         union all select 'alerts', updated_at from models.security_alert where tenant_id = $1
        ) stamped group by kind order by kind`,
      [tenantId],
    );
    return Object.fromEntries(rows.map(({ kind, rows: count, stamps }) => [kind, [count, ...stamps]]));
  });
  const stamp = '2026-06-15 12:00';
  expect(counted).toEqual({
    alerts: [1, stamp],
    compliance: [7, stamp],
    evidence: [4, stamp],
    logs: [logEvents.length, stamp],
    users: [2, stamp],
  });
});

test('records with an earlier discovery time can be ingested later', async () => {
  const tenantId = newTenantId();
  for (const days of [10, 400, 200]) {
    const ingestedMs = noonMs - days * dayMs;
    await facts.ingest(tenantId, ingestedMs, [
      events.fileEvent('FileAccessed', `plan-${days}`, 'anna', ingestedMs - hourMs),
    ]);
  }
  const oldest = await facts.read(tenantId, async (client) => {
    const { rows } = await client.query<{ at: Date }>(
      'select min(discovered_at) as at from models.audit_log where tenant_id = $1',
      [tenantId],
    );
    return rows[0]?.at.getTime();
  });
  expect(oldest).toBe(noonMs - 400 * dayMs);
});
