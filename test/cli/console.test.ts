import { expect, test } from 'vitest';
import { createCommandLine } from './command-line.ts';

test('a set-up token belongs to the only organization or to the named one, with a role and tenants', async () => {
  await using line = await createCommandLine();
  const refused = async (...args: string[]) => {
    const { status, stderr } = await line.run(...args);
    expect(status).not.toBe(0);
    return stderr;
  };
  const refusedWithoutOrganization = await refused('console', 'set-up');
  expect(refusedWithoutOrganization).toContain('org create');
  const first = await line.json('org', 'create', '--name', 'First');
  const created = await line.json('console', 'set-up');
  expect(created).toMatchObject({ organizationId: first.id, link: null });
  expect(created.token).toMatch(/^[\w-]{32}$/);
  const second = await line.json('org', 'create', '--name', 'Second');
  expect(await refused('console', 'set-up')).toContain('--org');
  expect(await line.json('console', 'set-up', '--org', String(second.id))).toMatchObject({ organizationId: second.id });
  expect(await refused('console', 'set-up', '--org', '00000000-0000-4000-8000-000000000000')).toContain('org list');
  expect(created).toMatchObject({ role: 'admin', tenantIds: null });

  const tenant = await line.json('tenant', 'create', '--name', 'Own', '--org', String(first.id));
  const foreign = await line.json('tenant', 'create', '--name', 'Foreign', '--org', String(second.id));
  const forViewer = ['console', 'set-up', '--org', String(first.id), '--role', 'viewer', '--tenant'];
  expect(await line.json(...forViewer, String(tenant.id))).toMatchObject({ role: 'viewer', tenantIds: [tenant.id] });
  expect(await refused(...forViewer, String(foreign.id))).toContain('belongs to another organization');
  expect(await refused('console', 'set-up', '--org', String(first.id), '--role', 'owner')).toContain(
    '--role must be one of admin, officer, viewer',
  );
});
