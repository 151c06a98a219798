import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './product/eventually.ts';
import { type Product, product } from './product/product.ts';

let running: Product;

beforeAll(async () => {
  running = await product();
  await running.startIngest();
}, 90_000);
afterAll(() => running?.[Symbol.asyncDispose](), 60_000);

test('a tenant’s record says in which zone its weeks begin; a later one that is silent means UTC', async () => {
  const id = randomUUID();
  const tell = async (record: Record<string, unknown>) => {
    const state = { id, name: 'Contoso', plan: 'api', changedAt: new Date().toISOString(), ...record };
    const headers = { ce_specversion: '1.0', ce_type: 'tenantscope.tenant.upserted.v1' };
    const message = { key: id, value: Buffer.from(JSON.stringify(state)), headers };
    await running.publisher.send(running.activityTopic.replace('raw.activity', 'tenant'), [message]);
  };
  const zone = async () => (await running.admin.tenants.list()).find((one) => one.id === id)?.timeZone;

  await tell({ version: 1, timeZone: 'Europe/Warsaw' });
  await eventually('its zone is known', 20_000, async () => (await zone()) === 'Europe/Warsaw');
  await tell({ version: 2, timeZone: 'Asia/Kathmandu' });
  await eventually('its zone has changed', 10_000, async () => (await zone()) === 'Asia/Kathmandu');
  await tell({ version: 3, timeZone: 'Mars/Olympus' });
  await eventually('a zone that nobody knows is set aside', 10_000, async () => {
    const letters = await running.admin.deadLetters.list({ limit: 10 });
    return letters.some(({ detail }) => /timeZone is not an IANA time zone/.test(detail));
  });
  expect(await zone()).toBe('Asia/Kathmandu');
  await tell({ version: 4 });
  await eventually('it counts as UTC', 10_000, async () => (await zone()) === 'UTC');
}, 60_000);

test('one made by the command line has the zone that was given', async () => {
  const made = await running.cli('tenant', 'create', '--name', 'Contoso', '--time-zone', 'America/New_York');
  expect(made).toMatchObject({ timeZone: 'America/New_York' });
  expect(await running.cli('tenant', 'create', '--name', 'Fabrikam')).toMatchObject({ timeZone: 'UTC' });
}, 30_000);
