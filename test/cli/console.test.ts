import { expect, test } from 'vitest';
import { createCommandLine } from './command-line.ts';

test('a set-up token belongs to the only organization or to the named one', async () => {
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
});
