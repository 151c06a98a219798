import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startIngest();
});
afterAll(() => installation?.[Symbol.asyncDispose]());

async function publishTenant(record: Record<string, unknown> & { readonly id: string }): Promise<void> {
  const state = { name: 'Contoso', plan: 'api', changedAt: new Date().toISOString(), ...record };
  const headers = { ce_specversion: '1.0', ce_type: 'tenantscope.tenant.upserted.v1' };
  const message = { key: record.id, value: Buffer.from(JSON.stringify(state)), headers };
  await installation.publisher.send(installation.activityTopic.replace('raw.activity', 'tenant'), [message]);
}

const findTenant = async (id: string) => (await installation.admin.tenants.list()).find((one) => one.id === id);

test('a tenant record sets the time zone of its weeks, and a later one without a zone means UTC', async () => {
  const id = randomUUID();
  const zone = async () => (await findTenant(id))?.timeZone;

  await publishTenant({ id, version: 1, timeZone: 'Europe/Warsaw' });
  await eventually('the time zone is stored', 20_000, async () => (await zone()) === 'Europe/Warsaw');
  await publishTenant({ id, version: 2, timeZone: 'Asia/Kathmandu' });
  await eventually('the time zone has changed', 10_000, async () => (await zone()) === 'Asia/Kathmandu');
  await publishTenant({ id, version: 3, timeZone: 'Mars/Olympus' });
  await eventually('an unknown time zone is dead-lettered', 10_000, async () => {
    const { found: deadLetters } = await installation.admin.deadLetters.list({ limit: 10 });
    return deadLetters.some(({ detail }) => /timeZone is not an IANA time zone/.test(detail));
  });
  expect(await zone()).toBe('Asia/Kathmandu');
  await publishTenant({ id, version: 4 });
  await eventually('the time zone is UTC', 10_000, async () => (await zone()) === 'UTC');
});

test('a tenant record with a NUL in its name is stored, and the lane of tenants goes on', async () => {
  const [id, next] = [randomUUID(), randomUUID()];
  await publishTenant({ id, version: 1, name: 'Con\u0000toso' });
  await publishTenant({ id: next, version: 1, name: 'Fabrikam' });
  await eventually('the next tenant is stored', 20_000, async () => (await findTenant(next)) !== undefined);
  expect(await findTenant(id)).toMatchObject({ name: 'Con\\u{0}toso' });
});

test('a tenant created by the CLI has the given time zone', async () => {
  const created = await installation.cli('tenant', 'create', '--name', 'Contoso', '--time-zone', 'America/New_York');
  expect(created).toMatchObject({ timeZone: 'America/New_York' });
  expect(await installation.cli('tenant', 'create', '--name', 'Fabrikam')).toMatchObject({ timeZone: 'UTC' });
});
