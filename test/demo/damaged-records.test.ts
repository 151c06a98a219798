import { type DemoTenant, demoTenants, publishDamagedRecords, unregisteredTenantId } from '@tenantscope/demo';
import { expect, inject, test } from 'vitest';
import { openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { startInstallation } from '../installation/installation.ts';

const [tenant] = demoTenants as [DemoTenant, ...DemoTenant[]];

test('each damaged demo record becomes one dead letter with its own reason and no row', async () => {
  await using whole = await startInstallation();
  await using inspector = await openDatabaseInspector(whole.database.superuser);
  const { name, azureTenantId } = tenant;
  const { id: tenantId } = await whole.admin.tenants.create({ name, azureTenantId, organizationId: null });
  await using ingest = await whole.startIngest();
  void ingest;
  const to = {
    kafka: { brokers: inject('services').kafka },
    topicPrefix: whole.environment.TENANTSCOPE_TOPIC_PREFIX ?? '',
  };
  const published = await publishDamagedRecords({ ...to, tenant, tenantId, endMs: Date.now() });
  await eventually(
    'each record is a dead letter',
    30_000,
    async () => (await inspector.deadLetters()).length === published,
  );
  const deadLetters = (await inspector.deadLetters()).map(({ reason, tenantId: of }) => [reason, of]);
  expect(deadLetters.sort()).toEqual([
    ['FUTURE_TIMESTAMP', tenantId],
    ['INVALID_JSON', tenantId],
    ['NOT_UTF8', tenantId],
    ['UNKNOWN_TENANT', unregisteredTenantId],
  ]);
  expect(await inspector.rowCount(tenantId)).toBe(0);
});
