import { atOneMoment, openPool, readMetrics, readSourceStates } from '@tenantscope/store';
import { expect, test } from 'vitest';
import * as happened from './happened.ts';
import { notification } from './notified.ts';
import { nowMs } from './outcomes.ts';
import * as said from './said.ts';
import { strangeTenant, toldDatabase } from './told.ts';

const { dayMs, hourMs } = said;

/** Something of every kind that a rule counts. */
const everything: readonly said.Saying[] = [
  said.user('anna', { roles: ['Global Administrator'], methodsRegistered: ['fido2'], licenseSkus: ['SPE_E5'] }),
  said.user('leo', { accountEnabled: false, disabledAt: said.at(nowMs - 9 * dayMs), riskLevel: 'high' }),
  said.guest('gus'),
  said.group('staff', { owners: [{ id: 'anna', name: 'Anna' }] }),
  said.device('laptop', { isCompliant: true, isEncrypted: true, lastSyncAt: said.at(nowMs) }),
  said.license('SPE_E5', { consumedUnits: 1 }),
  said.agent('sales'),
  said.app('crm', { isAiApp: true }),
  said.file('plan', { hasAnonymousLink: true }),
  said.site('finance'),
  said.sensitiveInfoType('iban'),
  said.grant('grant', 'sales'),
  said.restriction('restriction', 'iban', 'noAccess', nowMs - dayMs),
  said.policy('policy', { severity: 'critical' }),
  said.detector('detector', { lastRunAt: said.at(nowMs) }),
  said.sourceStatus('agents', nowMs),
  happened.fileEvent('FileAccessed', 'plan', 'leo', nowMs - hourMs, { IsManagedDevice: false }),
  happened.interaction('anna', nowMs - hourMs, { agentId: 'sales', messages: happened.jailbreak }),
  happened.adminConsent('11111111-1111-4111-8111-111111111111', nowMs - hourMs),
  happened.forwarding('anna@contoso.example', 'gus@elsewhere.example', nowMs - hourMs),
  happened.episode('episode', nowMs - 9 * dayMs, 5),
  happened.alert('alert', nowMs - 9 * dayMs, 5, []),
  happened.policyScan('scan', 'policy', nowMs),
  happened.action('action', 'blockAgent', { type: 'agent', id: 'sales' }, nowMs - 9 * dayMs),
  notification('told', nowMs - hourMs),
];

test('nothing of one tenant is counted for another, also where row-level security does not bind', async () => {
  await using told = await toldDatabase();
  const unbound = openPool(told.database.superuser, { name: 'above the walls', maxConnections: 1 });
  const [full, empty] = [strangeTenant(), strangeTenant()];
  const counted = (tenantId: string) =>
    atOneMoment(unbound, tenantId, async (client) => {
      const of = { tenantId, nowMs, connectedAtMs: nowMs - 100 * dayMs };
      return { metrics: await readMetrics(client, of), sources: await readSourceStates(client, of) };
    });
  const before = await counted(empty);
  await told.tell(full, nowMs, everything);
  const after = await counted(empty);
  const own = await counted(full);
  await unbound.end();

  expect(after).toEqual(before);
  const moved = Object.keys(own.metrics).filter(
    (key) => JSON.stringify(own.metrics[key]) !== JSON.stringify(before.metrics[key]),
  );
  expect(moved.length).toBeGreaterThan(40);
});
