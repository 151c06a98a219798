import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';

let product: ControlledInstallation;
let log: ControlledLog;

beforeAll(async () => {
  product = await startControlledInstallation();
  log = await openControlledLog(product.database.superuser);
});
afterAll(async () => {
  await log?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
});

test.each([
  ['2001:db8::1', ['2001:DB8::1', '2001:0db8:0:0:0:0:0:1', '[2001:db8::1]:443', 'fe80::2,2001:db8:0::1%eth0']],
  ['203.0.113.7', ['::ffff:203.0.113.7', '::FFFF:cb00:7107', ' 203.0.113.7', '203.0.113.7:52431']],
])('the events of %s are found by every notation of the address', async (address, notations) => {
  const tenantId = await product.createTenant();
  const discoveredAt = new Date(product.throughMs() - 1_000).toISOString();
  await log.write(tenantId, [
    { actorIp: address, discoveredAt },
    { actorIp: '198.51.100.1', discoveredAt },
    { actorIp: null, discoveredAt },
  ]);
  const reader = product.reader(tenantId, ['logs:read']);
  for (const actorIp of notations) {
    const page = await reader.get('/logs', { actorIp });
    expect(
      page.body.data.map((row: { actorIp: string }) => row.actorIp),
      actorIp,
    ).toEqual([address]);
    expect((await reader.get('/logs/summary', { actorIp })).body.data.rowCount, actorIp).toBe(1);
  }
});
