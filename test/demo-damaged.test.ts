import { type DemoTenant, demoTenants, publishDamaged, unenteredTenantId } from '@tenantscope/demo';
import { expect, inject, test } from 'vitest';
import { eventually } from './product/eventually.ts';
import { lookInto } from './product/looking.ts';
import { product } from './product/product.ts';

const [tenant] = demoTenants as [DemoTenant, ...DemoTenant[]];

test('what arrives damaged in the demonstration is a dead letter each, for another reason, and no row', async () => {
  await using whole = await product();
  await using looking = await lookInto(whole.database.superuser);
  const { name, azureTenantId } = tenant;
  const { id: tenantId } = await whole.admin.tenants.create({ name, azureTenantId, organizationId: null });
  await using ingest = await whole.startIngest();
  void ingest;
  const to = { brokers: inject('services').kafka, topicPrefix: whole.environment.TENANTSCOPE_TOPIC_PREFIX ?? '' };
  const published = await publishDamaged({ ...to, tenant, tenantId, endMs: Date.now() });
  await eventually('each is a letter', 30_000, async () => (await looking.letters()).length === published);
  const letters = (await looking.letters()).map(({ reason, tenantId: of }) => [reason, of]);
  expect(letters.sort()).toEqual([
    ['FUTURE_TIMESTAMP', tenantId],
    ['INVALID_JSON', tenantId],
    ['NOT_UTF8', tenantId],
    ['UNKNOWN_TENANT', unenteredTenantId],
  ]);
  expect(await looking.rowCount(tenantId)).toBe(0);
}, 60_000);
