import { randomUUID } from 'node:crypto';
import { scopes } from '@tenantscope/contract';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createCommandLine } from './command-line.ts';

const secretForm = /^tscope_live_[0-9A-Za-z]{49}$/;

test('organizations and tenants are created, listed and assigned plans', async () => {
  await using line = await createCommandLine();
  const organization = await line.json('org', 'create', '--name', 'Northern Watch');
  expect(await line.json('org', 'list')).toMatchObject({ data: [{ id: organization.id, name: 'Northern Watch' }] });

  const azureTenantId = randomUUID();
  const tenant = await line.json(
    ...['tenant', 'create', '--name', 'Larkspur', '--org', String(organization.id)],
    ...['--azure-tenant-id', azureTenantId.toUpperCase()],
  );
  const alone = await line.json('tenant', 'create', '--name', 'Alone', '--plan', 'none');
  expect(tenant).toMatchObject({ name: 'Larkspur', organizationId: organization.id, azureTenantId, plan: 'api' });
  expect(alone).toMatchObject({ organizationId: null, azureTenantId: null, plan: 'none' });

  expect((await line.json('tenant', 'list')).data).toHaveLength(2);
  const ofOrganization = await line.json('tenant', 'list', '--org', String(organization.id));
  expect(ofOrganization).toMatchObject({ data: [{ id: tenant.id }] });

  const byUpstreamId = ['tenant', 'set-plan', '--tenant', azureTenantId, '--plan', 'none'];
  expect(await line.json(...byUpstreamId)).toMatchObject({ id: tenant.id, plan: 'none' });
  expect(await line.json('tenant', 'set-plan', '--tenant', String(alone.id), '--plan', 'api')).toMatchObject({
    plan: 'api',
  });
});

test('a tenant without an organization, or with the upstream id of another one, is created with a note of what that means', async () => {
  await using line = await createCommandLine();
  const upstream = ['--azure-tenant-id', randomUUID()];
  const organization = await line.json('org', 'create', '--name', 'Northern Watch');
  const owner = ['--org', String(organization.id)];
  const create = async (...options: string[]) =>
    (await line.run('tenant', 'create', '--name', 'Larkspur', ...options)).stdout;
  expect(await create(...owner, ...upstream)).not.toContain('The ');
  expect(await create(...owner)).not.toContain('The ');
  expect(await create()).toContain('belongs to no organization: the console does not show it');
  const { data } = (await line.json('tenant', 'list')) as { data: { id: string; azureTenantId: string | null }[] };
  const first = data.find(({ azureTenantId }) => azureTenantId !== null);
  expect(await create(...owner, ...upstream)).toContain(`The upstream id is also that of ${first?.id}: name each`);
});

test('a tenant is suspended, resumed and renamed, each with an event of the audit log, and a repetition changes nothing', async () => {
  await using line = await createCommandLine();
  const azureTenantId = randomUUID();
  const { id } = await line.json('tenant', 'create', '--name', 'Larkspur', '--azure-tenant-id', azureTenantId);
  const tenant = ['--tenant', azureTenantId];
  const suspended = await line.json('tenant', 'suspend', ...tenant);
  expect(suspended).toEqual({ id, name: 'Larkspur', suspendedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
  expect(await line.json('tenant', 'suspend', ...tenant)).toEqual(suspended);
  expect(await line.json('tenant', 'list')).toMatchObject({ data: [{ id, suspendedAt: suspended.suspendedAt }] });
  expect((await line.run('tenant', 'list')).stdout).toContain('suspended since');
  const renamed = { id, name: 'Larkspur Ltd', previousName: 'Larkspur' };
  expect(await line.json('tenant', 'rename', ...tenant, '--name', ' Larkspur Ltd ')).toEqual(renamed);
  expect(await line.json('tenant', 'resume', ...tenant)).toEqual({ id, name: 'Larkspur Ltd', suspendedAt: null });
  await line.json('tenant', 'resume', ...tenant);
  const client = new pg.Client(line.superuser);
  await client.connect();
  const { rows } = await client
    .query(
      `select action, before ->> 'name' as old_name, after ->> 'name' as name, after ->> 'suspended_at' is not null as suspended
         from control.admin_event where subject_type = 'tenant' and actor like 'cli:%' order by number`,
    )
    .finally(() => client.end());
  expect(rows).toEqual([
    { action: 'created', old_name: null, name: 'Larkspur', suspended: false },
    { action: 'changed', old_name: 'Larkspur', name: 'Larkspur', suspended: true },
    { action: 'changed', old_name: 'Larkspur', name: 'Larkspur Ltd', suspended: true },
    { action: 'changed', old_name: 'Larkspur Ltd', name: 'Larkspur Ltd', suspended: false },
  ]);
});

test('the secret of a key is shown only once', async () => {
  await using line = await createCommandLine();
  const { id: tenant } = await line.json('tenant', 'create', '--name', 'Larkspur');
  const created = await line.json(
    'key',
    'create',
    '--name',
    'siem',
    '--scopes',
    'logs:read,users:read',
    '--tenant',
    String(tenant),
  );
  expect(created).toMatchObject({
    name: 'siem',
    scopes: ['logs:read', 'users:read'],
    tenantId: tenant,
    expiresAt: null,
  });
  expect(created.secret).toMatch(secretForm);

  const readable = await line.run('key', 'create', '--name', 'second', '--scopes', 'all', '--tenant', String(tenant));
  const [second = ''] = readable.stdout.match(/tscope_live_\w+/) ?? [];
  expect(second).toMatch(secretForm);

  for (const args of [
    ['key', 'list', '--json'],
    ['key', 'list'],
    ['key', 'list', '--tenant', String(tenant)],
  ]) {
    const { status, stdout } = await line.run(...args);
    expect(status).toBe(0);
    expect(stdout).toContain('siem');
    expect(stdout).not.toContain(String(created.secret).slice(25));
    expect(stdout).not.toContain(second.slice(25));
  }
});

test('a key accepts every scope, no scope, a legacy scope, an organization and an expiry', async () => {
  await using line = await createCommandLine();
  const { id: organization } = await line.json('org', 'create', '--name', 'Northern Watch');
  const owner = ['--org', String(organization)];
  const make = (scopes: string, ...rest: string[]) =>
    line.json('key', 'create', '--name', 'k', '--scopes', scopes, ...owner, ...rest);
  expect(await make('all')).toMatchObject({ scopes: [...scopes], organizationId: organization, tenantId: null });
  expect(await make('')).toMatchObject({ scopes: [] });
  expect(await make('monitoring-alerts:read')).toMatchObject({ scopes: ['monitoring-alerts:read'] });
  expect(await make('logs:read', '--expires-at', '2090-02-03')).toMatchObject({
    expiresAt: '2090-02-03T00:00:00.000Z',
  });
  expect((await line.json('key', 'list', ...owner)).data).toHaveLength(4);
});

test('a revoked key shows its revocation time, also after a second revocation', async () => {
  await using line = await createCommandLine();
  const { id: tenant } = await line.json('tenant', 'create', '--name', 'Larkspur');
  const { id } = await line.json(
    'key',
    'create',
    '--name',
    'siem',
    '--scopes',
    'logs:read',
    '--tenant',
    String(tenant),
  );
  const first = await line.json('key', 'revoke', String(id));
  expect(first.revokedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(await line.json('key', 'revoke', String(id))).toEqual(first);
});

test('invalid arguments exit with 2 and name the allowed values, and failed operations exit with 1', async () => {
  await using line = await createCommandLine();
  const { id } = await line.json('tenant', 'create', '--name', 'Larkspur');
  const tenant = ['--tenant', String(id)];
  const key = ['key', 'create', '--name', 'k', '--scopes'];
  const unknownId = randomUUID();
  const cases: [status: number, message: RegExp, ...words: string[]][] = [
    [2, /unknown command/, 'tenants'],
    [2, /unknown option/, 'tenant', 'list', '--nonsense'],
    [2, /--name/, 'org', 'create'],
    [2, /1 to 200 characters/, 'org', 'create', '--name', ' '],
    [2, /--plan must be one of api, none/, 'tenant', 'set-plan', ...tenant, '--plan', 'gold'],
    [2, /--azure-tenant-id must be a GUID/, 'tenant', 'create', '--name', 'a', '--azure-tenant-id', 'larkspur'],
    [2, /unknown scope logs:write; allowed are all, logs:read, /, ...key, 'logs:read,logs:write', ...tenant],
    [2, /exactly one/, ...key, 'logs:read'],
    [2, /exactly one/, ...key, 'logs:read', ...tenant, '--org', unknownId],
    [2, /--expires-at must be a time/, ...key, 'logs:read', ...tenant, '--expires-at', 'soon'],
    [2, /is in the past/, ...key, 'logs:read', ...tenant, '--expires-at', '2020-01-01'],
    [1, /no organization/, 'tenant', 'create', '--name', 'a', '--org', unknownId],
    [1, /no tenant/, 'tenant', 'suspend', '--tenant', unknownId],
    [1, /no tenant/, 'tenant', 'resume', '--tenant', unknownId],
    [1, /no tenant/, 'tenant', 'rename', '--tenant', unknownId, '--name', 'a'],
    [2, /1 to 200 characters/, 'tenant', 'rename', ...tenant, '--name', ' '],
    [1, /no tenant/, 'tenant', 'set-plan', '--tenant', unknownId, '--plan', 'api'],
    [1, /no tenant/, ...key, 'logs:read', '--tenant', unknownId],
    [1, /no organization/, ...key, 'logs:read', '--org', unknownId],
    [1, /no key/, 'key', 'revoke', unknownId],
  ];
  const results = await Promise.all(cases.map(([, , ...args]) => line.run(...args, '--json')));
  for (const [index, [status, message, ...args]] of cases.entries()) {
    expect({ args, ...results[index] }).toMatchObject({ args, status, stdout: '' });
    expect(results[index]?.stderr).toMatch(message);
    expect(results[index]?.stderr).not.toMatch(/\n {4}at /);
  }
});

test('a secret passed as an id is not echoed', async () => {
  await using line = await createCommandLine();
  const secret = `tscope_live_${'a'.repeat(49)}`;
  for (const args of [
    ['key', 'revoke', secret],
    ['key', 'list', '--tenant', secret],
    ['key', 'list', `--${secret}`],
    [secret],
  ]) {
    const { status, stdout, stderr } = await line.run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).not.toContain('aaaa');
  }
});

test('terminal control sequences in names are escaped', async () => {
  await using line = await createCommandLine();
  const name = 'Lark\u001b[31mspur \u202egnp.exe';
  await line.json('tenant', 'create', '--name', name);
  expect(await line.json('tenant', 'list')).toMatchObject({ data: [{ name }] });
  const { stdout } = await line.run('tenant', 'list');
  expect(stdout).toContain('Lark\\u{1b}[31mspur \\u{202e}gnp.exe');
});

test('ids at other providers are added and removed, and belong to one tenant', async () => {
  await using line = await createCommandLine();
  const azureTenantId = 'a1b2c3d4-0000-4000-8000-0000000000aa';
  const first = String((await line.json('tenant', 'create', '--name', 'A', '--azure-tenant-id', azureTenantId)).id);
  const second = String((await line.json('tenant', 'create', '--name', 'B')).id);
  const add = (id: string, tenant: string) => ['tenant', 'add-provider-id', id, '--tenant', tenant];
  expect(await line.json(...add('acme.okta.com', first))).toEqual({
    id: first,
    name: 'A',
    providerIds: ['acme.okta.com'],
  });
  expect(await line.json(...add(' C03az79cb ', first))).toMatchObject({ providerIds: ['acme.okta.com', 'C03az79cb'] });
  expect(await line.json(...add('ACME.okta.com', first))).toMatchObject({
    providerIds: ['acme.okta.com', 'C03az79cb'],
  });
  for (const taken of ['c03AZ79CB', azureTenantId.toUpperCase(), first]) {
    const refused = await line.run(...add(taken, second));
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain(`is one of the tenant ${first} already`);
  }
  for (const invalid of [' ', 'x'.repeat(201), 'a\nb'])
    expect(await line.run(...add(invalid, first))).toMatchObject({ status: 2, stdout: '' });
  expect((await line.run('tenant', 'list')).stdout).toMatch(/acme\.okta\.com, C03az79cb/);
  const remove = ['tenant', 'remove-provider-id', 'Acme.okta.com', '--tenant', first];
  expect(await line.json(...remove)).toMatchObject({ providerIds: ['C03az79cb'] });
  const twice = await line.run(...remove);
  expect(twice.stderr).toMatch(/does not have the id/);
  expect(twice).toMatchObject({ status: 1, stdout: '' });
});
