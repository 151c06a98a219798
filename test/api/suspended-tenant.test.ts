import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { createApiClient } from '../installation/api-client.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

let installation: Installation;
let inspector: DatabaseInspector;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  await (await installation.startIngest()).ready();
  ({ baseUrl } = await installation.startApi());
  inspector = await openDatabaseInspector(installation.database.superuser);
});
afterAll(async () => {
  await inspector[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

async function createKey(owner: { tenantId: string } | { organizationId: string }): Promise<string> {
  const create = { name: 'reader', scopes: ['logs:read'], owner, expiresAt: null };
  return (await installation.admin.keys.create(create)).secret;
}

async function storeRecords(tenantId: string, numbers: readonly number[]): Promise<void> {
  const before = await inspector.rowCount(tenantId);
  const messages = numbers.map((number) => activityMessage(tenantId, JSON.stringify(activityRecord(number))));
  await installation.publisher.send(installation.activityTopic, messages);
  await eventually(
    'rows are stored',
    30_000,
    async () => (await inspector.rowCount(tenantId)) === before + numbers.length,
  );
}

test('keys of a suspended tenant and of its organization are refused with 403 while its records are stored, and read them after it is resumed', async () => {
  const { id: organizationId } = await installation.admin.organizations.create({ name: 'Northern Watch' });
  const create = (name: string) =>
    installation.admin.tenants.create({ name, organizationId, azureTenantId: randomUUID() });
  const [suspended, other] = [await create('Suspended'), await create('Other')];
  const ownSecret = await createKey({ tenantId: suspended.id });
  const own = createApiClient(baseUrl, ownSecret);
  const wide = createApiClient(baseUrl, await createKey({ organizationId }));
  const select = (tenant: { id: string }) => ({ 'X-Tenant-Id': tenant.id });
  const statuses = async () => [
    (await own.get('/logs')).status,
    (await wide.get('/logs', {}, select(suspended))).status,
    (await wide.get('/logs', {}, select(other))).status,
  ];
  await storeRecords(suspended.id, [1, 2]);
  expect(await statuses()).toEqual([200, 200, 200]);

  await installation.cli('tenant', 'suspend', '--tenant', suspended.id);
  expect(await statuses()).toEqual([403, 403, 200]);
  const refused = await own.get('/logs');
  expect(refused.body.error).toMatchObject({ code: 'PLAN_REQUIRED', message: expect.stringMatching(/is suspended/) });
  expect((await own.get('/ping')).status).toBe(200);
  const called = await createMcpClient(baseUrl, ownSecret).call('list_logs');
  expect([called.isError, JSON.parse(called.content[0]?.text ?? '').error.code]).toEqual([true, 'PLAN_REQUIRED']);
  await storeRecords(suspended.id, [3, 4, 5]);

  await installation.cli('tenant', 'resume', '--tenant', suspended.id);
  expect(await statuses()).toEqual([200, 200, 200]);
  await eventually('all rows are read', 30_000, async () => (await own.get('/logs')).body.data.length === 5);
});
