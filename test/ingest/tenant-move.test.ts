import { randomUUID } from 'node:crypto';
import { connectKeyDirectory, hashSecret } from '@tenantscope/store/api-key';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let superuser: pg.Client;

beforeAll(async () => {
  installation = await startInstallation();
  superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
  await installation.startIngest();
}, 90_000);
afterAll(async () => {
  await superuser?.end();
  await installation?.[Symbol.asyncDispose]();
}, 60_000);

interface TenantState extends Record<string, unknown> {
  id: string;
  version: number;
}

async function publishTenant(record: TenantState): Promise<void> {
  const state = { name: 'Contoso', plan: 'api', changedAt: new Date().toISOString(), ...record };
  const headers = { ce_specversion: '1.0', ce_type: 'tenantscope.tenant.upserted.v1' };
  const message = { key: record.id, value: Buffer.from(JSON.stringify(state)), headers };
  await installation.publisher.send(installation.activityTopic.replace('raw.activity', 'tenant'), [message]);
}

const findTenant = async (id: string) => (await installation.admin.tenants.list()).find((one) => one.id === id);
const findDeadLetter = async (tenantId: string, reason: string) =>
  (await installation.admin.deadLetters.list({ limit: 100, tenantId, reason })).found.at(0);

async function waitForDeadLetter(tenantId: string, reason: string) {
  await eventually(
    `the record is dead-lettered as ${reason}`,
    20_000,
    async () => (await findDeadLetter(tenantId, reason)) !== undefined,
  );
  return findDeadLetter(tenantId, reason);
}

test('a record never moves a tenant, which an operator moves before the record is replayed', async () => {
  const { admin, cli } = installation;
  const [ours, theirs] = [
    await admin.organizations.create({ name: 'Ours' }),
    await admin.organizations.create({ name: 'Theirs' }),
  ];
  const id = randomUUID();
  await publishTenant({ id, organizationId: ours.id, version: 1 });
  await eventually('the tenant exists', 20_000, async () => (await findTenant(id)) !== undefined);
  const key = await admin.keys.create({ name: 'Poller', scopes: [], owner: { tenantId: id }, expiresAt: null });

  // Another organization, and none: neither the membership nor anything else of the record applies.
  await publishTenant({ id, organizationId: theirs.id, version: 3, name: 'Renamed' });
  const deadLetter = await waitForDeadLetter(id, 'ORGANIZATION_CHANGE');
  expect(deadLetter).toMatchObject({
    state: 'pending',
    detail: expect.stringMatching(/tenantscope tenant move.*replay/),
  });
  expect(await findTenant(id)).toMatchObject({ organizationId: ours.id, name: 'Contoso', version: 1 });
  // A newer record of the own organization still applies, and an older one is stale and no dead letter.
  await publishTenant({ id, organizationId: ours.id, version: 2, name: 'Contoso 2' });
  await eventually('the tenant is renamed', 20_000, async () => (await findTenant(id))?.name === 'Contoso 2');

  // A replay before the move fails again, and is not settled.
  const deadLetterId = deadLetter?.id ?? '';
  const readDeadLetter = () =>
    cli<{ state: string; replays: number; changedAt: string }>('dead-letters', 'show', deadLetterId);
  await cli('dead-letters', 'replay', deadLetterId);
  await eventually('the replay has failed again', 20_000, async () => {
    const { state, replays } = await readDeadLetter();
    return state === 'pending' && replays === 1;
  });

  const move = ['tenant', 'move', '--tenant', id, '--org', theirs.id];
  const planned = { from: { id: ours.id }, to: { id: theirs.id }, activeKeys: 1, revokedKeys: 1 };
  expect(await cli(...move)).toMatchObject({ ...planned, moved: false });
  expect(await findTenant(id)).toMatchObject({ organizationId: ours.id });
  expect(await cli(...move, '--yes')).toMatchObject({ ...planned, moved: true });
  await expect(cli(...move, '--yes')).rejects.toThrow(/belongs to this organization already/);
  expect((await admin.keys.list({ tenantId: id })).find((one) => one.id === key.id)?.revokedAt).not.toBeNull();
  const { rows } = await superuser.query(
    `select chain, actor, before ->> 'organization_id' as left, after ->> 'organization_id' as joined from control.admin_event
      where subject_type = 'tenant' and subject_id = $1 and before ->> 'organization_id' is distinct from after ->> 'organization_id' and before is not null
      order by chain = $2 desc`,
    [id, ours.id],
  );
  const moved = { actor: expect.stringMatching(/^cli:./), left: ours.id, joined: theirs.id };
  expect(rows).toEqual([
    { chain: ours.id, ...moved },
    { chain: theirs.id, ...moved },
  ]);

  await cli('dead-letters', 'replay', deadLetterId);
  await eventually('the record has become the tenant', 20_000, async () => (await findTenant(id))?.name === 'Renamed');
  await eventually('the dead letter is settled', 20_000, async () => (await readDeadLetter()).state === 'settled');
  expect(await findTenant(id)).toMatchObject({ organizationId: theirs.id, version: 3 });
}, 90_000);

test('a tenant that a record adds with the upstream id of another does not take over its requests', async () => {
  const { admin, database } = installation;
  const organization = await admin.organizations.create({ name: 'Both' });
  const [id, azureTenantId] = [randomUUID(), randomUUID()];
  await publishTenant({ id, organizationId: organization.id, azureTenantId, version: 1 });
  await eventually('the tenant exists', 20_000, async () => (await findTenant(id)) !== undefined);
  const later = '00000000-0000-4000-8000-0000000000aa';
  await publishTenant({ id: later, organizationId: organization.id, azureTenantId, version: 1 });
  await eventually('the other tenant exists', 20_000, async () => (await findTenant(later)) !== undefined);

  const owner = { organizationId: organization.id };
  const { secret } = await admin.keys.create({ name: 'Poller', scopes: [], owner, expiresAt: null });
  await using keys = await connectKeyDirectory(database.roles.keys, { name: 'test', maxConnections: 1 });
  const record = await keys.lookUp(hashSecret(secret), azureTenantId, false);
  expect(record).toMatchObject({ selected: { id } });
});

test('no login moves a tenant by a plain update, and no member by the function', async () => {
  const { admin, database } = installation;
  const [ours, theirs] = [
    await admin.organizations.create({ name: 'Ours' }),
    await admin.organizations.create({ name: 'Theirs' }),
  ];
  const tenant = await admin.tenants.create({ name: 'Own', organizationId: ours.id, azureTenantId: null });
  const attempt = async (url: string, actor: string, statement: string) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      await client.query(`select set_config('tenantscope.actor', $1, false)`, [actor]);
      await client.query(statement);
      return null;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.end();
    }
  };
  const update = `update control.tenant set organization_id = '${theirs.id}' where id = '${tenant.id}'`;
  const call = `select control.move_tenant('${tenant.id}', '${ours.id}', '${theirs.id}', false)`;
  for (const role of ['api', 'keys', 'ingest', 'jobs', 'console', 'admin'] as const) {
    const actor = { admin: 'cli:maria', console: 'sign-in:local' }[role as string] ?? '';
    expect(await attempt(database.roles[role], actor, update), role).toMatch(/permission denied|read-only/);
    if (role !== 'admin')
      expect(await attempt(database.roles[role], actor, call), role).toMatch(/permission denied|read-only/);
  }
  for (const actor of [`member:${ours.id}`, 'sign-in:local', 'set-up'])
    expect(await attempt(database.roles.admin, actor, call), actor).toMatch(/not permitted for the login/);
  const stale = call.replace(`'${ours.id}'`, 'null');
  expect(await attempt(database.roles.admin, 'cli:maria', stale)).toMatch(/in another organization by now/);
  expect((await admin.tenants.find(tenant.id)).organizationId).toBe(ours.id);
}, 60_000);

test('a version more than a day ahead of the clock is a dead letter, and a frozen tenant is repaired', async () => {
  const { cli } = installation;
  const id = randomUUID();
  await publishTenant({ id, version: 1 });
  await eventually('the tenant exists', 20_000, async () => (await findTenant(id)) !== undefined);
  await publishTenant({ id, version: Date.UTC(2100, 0, 1) * 1_000, name: 'Frozen' });
  expect(await waitForDeadLetter(id, 'FUTURE_VERSION')).toMatchObject({ state: 'pending' });
  expect(await findTenant(id)).toMatchObject({ name: 'Contoso', version: 1 });

  // As a worker before this rule, or one with a wrong clock, left it.
  await expect(cli('version', 'reset', 'tenant', id)).rejects.toThrow(/has no version more than a day ahead/);
  const frozen = Date.UTC(2100, 0, 1) * 1_000;
  await superuser.query('update control.tenant set version = $2 where id = $1', [id, frozen]);
  const shown = await cli<{ versions: { before: number; after: number }[]; reset: boolean }>(
    'version',
    'reset',
    'tenant',
    id,
  );
  expect(shown).toMatchObject({ versions: [{ before: frozen }], reset: false });
  expect(await findTenant(id)).toMatchObject({ version: frozen });
  expect(await cli('version', 'reset', 'tenant', id, '--to', '1', '--yes')).toMatchObject({
    versions: [{ before: frozen, after: 1 }],
    reset: true,
  });
  await publishTenant({ id, version: 2, name: 'Repaired' });
  await eventually('the next state applies', 20_000, async () => (await findTenant(id))?.name === 'Repaired');
}, 90_000);

test('a record does not restore a tenant whose data was erased', async () => {
  const [id, azureTenantId] = [randomUUID(), randomUUID()];
  const read = async () => {
    const lanes = await installation.admin.lanes.list();
    const own = lanes.filter(({ topic }) => topic.endsWith('.tenant.v1'));
    return own.reduce((sum, { nextOffset }) => sum + Number(nextOffset), 0);
  };
  await publishTenant({ id, azureTenantId, version: 1 });
  await eventually('the tenant exists', 20_000, async () => (await findTenant(id)) !== undefined);
  await superuser.query(
    `update control.tenant set closed_at = now(), erased_at = now(), name = 'Erased tenant', azure_tenant_id = null, plan = 'none' where id = $1`,
    [id],
  );
  const before = await read();
  await publishTenant({ id, azureTenantId, version: 2 });
  await eventually('the record is read', 20_000, async () => (await read()) === before + 1);
  expect(await findTenant(id)).toMatchObject({ name: 'Erased tenant', azureTenantId: null, plan: 'none', version: 1 });
});
