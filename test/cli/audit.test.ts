import pg from 'pg';
import { expect, test } from 'vitest';
import { createCommandLine } from './command-line.ts';

test('the audit log lists each CLI action with its actor and detects a forged event', async () => {
  await using line = await createCommandLine();
  const { id } = await line.json('org', 'create', '--name', 'First');
  await line.json('tenant', 'create', '--name', 'One', '--org', String(id));
  const { data } = (await line.json('audit', 'list')) as unknown as { data: { number: number; actor: string }[] };
  expect(data.map(({ number }) => number)).toEqual(data.map((_, index) => data.length - index));
  expect(data.length).toBeGreaterThan(1);
  for (const { actor } of data) expect(actor).toMatch(/^cli:./);
  expect(await line.json('audit', 'verify')).toEqual({
    organizationId: id,
    isWhole: true,
    through: data.length,
    brokenAt: null,
    fault: null,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await line.json('audit', 'verify', '--org', 'installation')).toMatchObject({ isWhole: true });

  const superuser = new pg.Client(line.superuser);
  await superuser.connect();
  await superuser.query(
    `update control.admin_event set actor = 'cli:another operator' where chain = $1 and number = 2`,
    [id],
  );
  await superuser.end();
  const { status, stdout, stderr } = await line.run('audit', 'verify', '--json');
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ isWhole: false, through: 1, brokenAt: 2, fault: 'altered' });
  expect(stderr).toContain('event 2 of First');
});
