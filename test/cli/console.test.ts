import { expect, test } from 'vitest';
import { commandLine } from './command-line.ts';

test('a set-up token is made for the only organization, or for the one that is named', async () => {
  await using line = await commandLine();
  const refused = async (...words: string[]) => {
    const { status, stderr } = await line.run(...words);
    expect(status).not.toBe(0);
    return stderr;
  };
  const none = await refused('console', 'set-up');
  expect(none).toContain('org create');
  const first = await line.json('org', 'create', '--name', 'First');
  const made = await line.json('console', 'set-up');
  expect(made).toMatchObject({ organizationId: first.id, link: null });
  expect(made.token).toMatch(/^[\w-]{32}$/);
  const second = await line.json('org', 'create', '--name', 'Second');
  expect(await refused('console', 'set-up')).toContain('--org');
  expect(await line.json('console', 'set-up', '--org', String(second.id))).toMatchObject({ organizationId: second.id });
  expect(await refused('console', 'set-up', '--org', '00000000-0000-4000-8000-000000000000')).toContain('org list');
});
