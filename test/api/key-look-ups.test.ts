import { randomUUID } from 'node:crypto';
import { connectAdmin } from '@tenantscope/store/admin';
import { connectKeyDirectory, hashSecret, makeSecret } from '@tenantscope/store/api-key';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let admin: Awaited<ReturnType<typeof connectAdmin>>;
const secrets = [makeSecret()];
const selectors: (string | null)[] = [null, randomUUID()];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  for (const name of ['Contoso', 'Fabrikam']) {
    const organization = await admin.organizations.create({ name });
    const owners: ({ tenantId: string } | { organizationId: string })[] = [{ organizationId: organization.id }];
    for (const azureTenantId of [randomUUID(), null]) {
      const tenant = await admin.tenants.create({ name, organizationId: organization.id, azureTenantId });
      owners.push({ tenantId: tenant.id });
      selectors.push(tenant.id, azureTenantId);
    }
    for (const owner of owners)
      for (const isRevoked of [false, true]) {
        const { id, secret } = await admin.keys.create({ name, scopes: ['logs:read'], owner, expiresAt: null });
        if (isRevoked) await admin.keys.revoke(id);
        secrets.push(secret);
      }
  }
}, 60_000);
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const openKeys = () => connectKeyDirectory(database.roles.keys, { name: 'test', maxConnections: 2 });

test('keys that are looked up together have the records that each has alone', async () => {
  await using keys = await openKeys();
  const request = fc.record({
    secret: fc.constantFrom(...secrets),
    selector: fc.constantFrom(...selectors),
    listsTenants: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 120 }), async (requests) => {
      const lookUps = requests.map(
        ({ secret, selector, listsTenants }) =>
          () =>
            keys.lookUp(hashSecret(secret), selector, listsTenants),
      );
      const together = await Promise.all(lookUps.map((lookUp) => lookUp()));
      const alone = [];
      for (const lookUp of lookUps) alone.push(await lookUp());
      expect(together).toEqual(alone);
    }),
    { numRuns: 30 },
  );
});

test('a key that is revoked before a request is refused, whatever is looked up with it', async () => {
  await using keys = await openKeys();
  const tenantId = selectors[2] as string;
  const create = () => admin.keys.create({ name: 'key', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null });
  const other = await create();
  for (let round = 0; round < 20; round += 1) {
    const { id, secret } = await create();
    const lookUpBoth = () =>
      Promise.all([other.secret, secret].map((one) => keys.lookUp(hashSecret(one), null, false)));
    const earlier = lookUpBoth();
    await admin.keys.revoke(id);
    expect(await lookUpBoth()).toMatchObject([{ keyId: other.id }, { endedKeyId: id }]);
    await earlier;
  }
});
