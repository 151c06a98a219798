import { randomBytes } from 'node:crypto';
import { ledgerTopic, topics } from '@tenantscope/contract';
import { provisionDatabase } from '@tenantscope/local';
import { expect, inject, test } from 'vitest';
import { createTopics } from '../installation/create-topics.ts';
import { dropDatabase, onServer } from '../services/template.ts';
import { createCommandLine, kafka, run } from './command-line.ts';

test('migrate creates what is missing, reports it, and changes nothing the second time', async () => {
  await using line = await createCommandLine();
  const server = inject('services').postgres;
  const name = `cli_migrate_${randomBytes(4).toString('hex')}`;
  const { owner, roles } = await provisionDatabase(server, { name });
  const environment = {
    ...line.environment,
    TENANTSCOPE_OWNER_DATABASE_URL: owner,
    TENANTSCOPE_ADMIN_DATABASE_URL: roles.admin,
    TENANTSCOPE_CONSOLE_DATABASE_URL: roles.console,
  };
  const prefix = line.environment.TENANTSCOPE_TOPIC_PREFIX;
  try {
    const before = await run(['tenant', 'list'], { environment });
    expect(before).toMatchObject({ status: 1, stdout: '' });
    expect(before.stderr).toContain('tenantscope migrate');

    const planned = JSON.parse((await run(['migrate', '--plan', '--json'], { environment })).stdout);
    expect(planned).toMatchObject({ changed: [], unknown: [] });
    expect(planned.pending).toContainEqual({
      name: '0004_api_keys control',
      phase: 'expand',
      needs: [],
      obstacles: [],
    });
    const unchecked = await run(['migrate', '--check'], { environment });
    expect(unchecked.status).toBe(1);
    expect(unchecked.stderr).toMatch(/migrations are pending: 0000_.*; run "tenantscope migrate"/);

    const first = JSON.parse((await run(['migrate', '--json'], { environment })).stdout);
    expect(first.database).toEqual({
      applied: planned.pending.map((step: { name: string }) => step.name),
      postponed: [],
      omittedCells: [],
    });
    expect(first.topics).toEqual(
      [...Object.values(topics), ledgerTopic].map(({ suffix, partitions }) => ({
        name: `${prefix}.${suffix}`,
        partitions,
        planned: partitions,
        outcome: 'created',
      })),
    );
    const second = JSON.parse((await run(['migrate', '--json'], { environment })).stdout);
    expect(second.database.applied).toEqual([]);
    expect(new Set(second.topics.map((topic: { outcome: string }) => topic.outcome))).toEqual(new Set(['present']));

    const readable = await run(['migrate'], { environment });
    expect(readable).toMatchObject({ status: 0, stderr: '' });
    expect(readable.stdout).toMatch(/^The database is up to date\.\nTopic .*: up to date, 12 partitions\.\n/);
    expect((await run(['tenant', 'list'], { environment })).status).toBe(0);
    expect(await run(['migrate', '--check'], { environment })).toEqual({
      status: 0,
      stdout: 'No migration is pending.\n',
      stderr: '',
    });
  } finally {
    await onServer(server, (client) => dropDatabase(client, name));
  }
});

test('partitions are added only on request and never to a compacted topic', async () => {
  await using line = await createCommandLine();
  const admin = kafka().admin();
  await admin.connect();
  const prefix = line.environment.TENANTSCOPE_TOPIC_PREFIX;
  await createTopics(
    admin,
    ['raw.activity.v1', 'tenant.v1'].map((suffix) => ({ topic: `${prefix}.${suffix}`, numPartitions: 2 })),
  );
  const outcomes = async (...args: string[]) =>
    ((await line.json('migrate', ...args)).topics as { outcome: string; partitions: number }[])
      .slice(0, 2)
      .map(({ outcome, partitions }) => `${outcome} ${partitions}`);
  expect(await outcomes()).toEqual(['short 2', 'short 2']);
  expect(await outcomes('--add-partitions')).toEqual(['grown 12', 'short 2']);
  expect(await outcomes()).toEqual(['present 12', 'short 2']);
  await admin.disconnect();
});

test('changed migrations and those of a newer version are named, and migrate refuses them', async () => {
  await using line = await createCommandLine();
  await onServer(line.superuser, (client) =>
    client.query(`insert into control.migration (name, sha256) values ('9000_later control', '')`),
  );
  expect(await line.json('migrate', '--plan')).toEqual({
    pending: [],
    changed: [],
    unknown: ['9000_later control'],
    omittedCells: [],
  });
  const checked = await line.run('migrate', '--check');
  expect(checked.status).toBe(1);
  expect(checked.stderr).toContain('the database is of a newer version, which applied: 9000_later control');
  const migrated = await line.run('migrate');
  expect(migrated).toMatchObject({ status: 1, stdout: '' });
  expect(migrated.stderr).toMatch(
    /^tenantscope: The database is of a newer version, .*: 9000_later control\. Nothing was changed\./,
  );

  await onServer(line.superuser, (client) =>
    client.query(`delete from control.migration where name = '9000_later control';
                  update control.migration set sha256 = 'other' where name = '0004_api_keys control'`),
  );
  expect((await line.run('migrate', '--plan')).stdout).toBe(
    'No migration is pending.\nChanged after it was applied: 0004_api_keys control\n',
  );
  expect((await line.run('migrate', '--check')).stderr).toContain(
    'changed after they were applied: 0004_api_keys control;',
  );
  expect(await line.run('migrate')).toMatchObject({ status: 1, stdout: '' });
});
