import { afterAll, beforeAll, expect, test } from 'vitest';
import * as happened from './happened.ts';
import * as said from './said.ts';
import { strangeTenant, type Told, toldDatabase } from './told.ts';

let told: Told;
beforeAll(async () => {
  told = await toldDatabase();
}, 60_000);
afterAll(() => told[Symbol.asyncDispose]());

const noonMs = Date.UTC(2026, 5, 15, 12);
const { dayMs, hourMs } = said;

test('everything that is told becomes rows, stamped with the moment it was told', async () => {
  const tenantId = strangeTenant();
  const sayings = [
    said.user('anna'),
    said.guest('gus'),
    said.agent('sales'),
    said.app('crm', { appId: '11111111-1111-4111-8111-111111111111' }),
    said.file('plan'),
    said.site('finance'),
    said.group('staff'),
    said.device('laptop'),
    said.license('COPILOT'),
    said.sensitiveInfoType('iban'),
    said.accountable('agent', 'sales', 'anna'),
    said.grant('g1', 'sales'),
    said.instructionChange('c1', 'sales', noonMs - dayMs),
    said.restriction('r1', 'iban', 'noAccess', noonMs - dayMs),
    said.restrictionEvent('e1', 'r1', { event: 'declare', occurredAt: said.at(noonMs) }),
    said.decision('agent', 'sales', 'approved', noonMs),
    said.riskClass('agent', 'sales', 'high'),
    said.attestation('ai.attest.literacy', { attestedAt: said.at(noonMs) }),
    said.tenantFact('usesHighRiskAi', true),
    said.sourceStatus('agents', noonMs),
    said.policy('p1'),
    said.detector('d1'),
    happened.episode('x1', noonMs - dayMs, 5),
    happened.policyScan('s1', 'p1', noonMs),
    happened.action('a1', 'blockAgent', { type: 'agent', id: 'sales' }, noonMs),
    happened.alert('al1', noonMs - hourMs, null, [happened.mailEvidence('m1'), happened.agentEvidence('sales')]),
  ];
  const events = [
    happened.fileEvent('FileAccessed', 'plan', 'anna', noonMs),
    happened.interaction('anna', noonMs, { agentId: 'sales', messages: happened.jailbreak }),
    happened.lifecycleEvent('BotCreate', 'sales', noonMs),
    happened.adminConsent('11111111-1111-4111-8111-111111111111', noonMs),
    happened.appUse('11111111-1111-4111-8111-111111111111', 'anna', noonMs),
    happened.forwarding('anna@contoso.example', 'gus@elsewhere.example', noonMs),
  ];
  await told.tell(tenantId, noonMs, [...events, ...sayings]);

  const counted = await told.read(tenantId, async (client) => {
    const { rows } = await client.query<{ kind: string; rows: number; stamps: string[] }>(
      `select kind, count(*)::integer as rows, array_agg(distinct to_char(stamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI')) as stamps from (
                   select 'logs' as kind, discovered_at as stamp from models.audit_log where tenant_id = $1
         union all select 'users', updated_at from models.entity_user where tenant_id = $1
         union all select 'evidence', updated_at from models.agent_evidence where tenant_id = $1
         union all select 'compliance', updated_at from models.compliance_record where tenant_id = $1
         union all select 'alerts', updated_at from models.security_alert where tenant_id = $1
       ) told group by kind order by kind`,
      [tenantId],
    );
    return Object.fromEntries(rows.map(({ kind, rows: count, stamps }) => [kind, [count, ...stamps]]));
  });
  const stamp = '2026-06-15 12:00';
  expect(counted).toEqual({
    alerts: [1, stamp],
    compliance: [7, stamp],
    evidence: [4, stamp],
    logs: [events.length, stamp],
    users: [2, stamp],
  });
});

test('what was discovered earlier may be told later', async () => {
  const tenantId = strangeTenant();
  for (const days of [10, 400, 200]) {
    const toldMs = noonMs - days * dayMs;
    await told.tell(tenantId, toldMs, [happened.fileEvent('FileAccessed', `plan-${days}`, 'anna', toldMs - hourMs)]);
  }
  const oldest = await told.read(tenantId, async (client) => {
    const { rows } = await client.query<{ at: Date }>(
      'select min(discovered_at) as at from models.audit_log where tenant_id = $1',
      [tenantId],
    );
    return rows[0]?.at.getTime();
  });
  expect(oldest).toBe(noonMs - 400 * dayMs);
});
