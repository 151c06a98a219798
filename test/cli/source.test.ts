import { expect, test } from 'vitest';
import { onServer } from '../services/template.ts';
import { createCommandLine } from './command-line.ts';

const format = 'okta.system-log';

test('a binding is created, listed and removed, and the audit log has each change with its operator', async () => {
  await using line = await createCommandLine();
  expect((await line.run('source', 'list')).stdout).toBe('No topic is bound.\n');
  const organization = await line.json('org', 'create', '--name', 'Ours');
  const tenant = await line.json('tenant', 'create', '--name', 'A', '--org', String(organization.id));
  const create = ['source', 'create', '--topic', 'okta.raw', '--format', format, '--tenant', String(tenant.id)];
  const created = await line.json(...create);
  expect(created).toMatchObject({ topic: 'okta.raw', cluster: 'main', format, tenantId: tenant.id, tenantPath: null });
  expect((await line.json('source', 'list')).data).toMatchObject([{ id: created.id, state: 'waiting', lanes: 0 }]);
  expect((await line.run('source', 'list')).stdout).toMatch(/okta\.raw +main +okta\.system-log .* waiting/);
  expect((await line.run('status')).stdout).toContain(
    'Source bindings: 1, of which 1 not read\nokta.raw waiting: no ingest process has checked the topic yet',
  );
  expect((await line.run('source', 'status')).stdout).toContain('okta.raw');

  const again = await line.run(...create);
  expect(again).toMatchObject({ status: 1, stdout: '' });
  expect(again.stderr).toMatch(/okta\.raw is already bound to okta\.system-log.*"tenantscope source remove --topic/);
  expect(await line.json('source', 'remove', '--topic', 'okta.raw')).toMatchObject({ id: created.id });
  const twice = await line.run('source', 'remove', '--topic', 'okta.raw');
  expect(twice).toMatchObject({ status: 1, stdout: '' });
  expect(twice.stderr).toMatch(/has no source binding/);
  expect((await line.json('source', 'list')).data).toEqual([]);
  expect((await line.json('source', 'list', '--removed')).data).toMatchObject([{ id: created.id, state: 'removed' }]);

  const events = await onServer(line.superuser, (client) =>
    client.query(
      `select chain, actor, action, subject_id from control.admin_event where subject_type = 'source_binding' order by number`,
    ),
  );
  expect(events.rows).toEqual(
    ['created', 'changed'].map((action) => ({
      chain: organization.id,
      actor: expect.stringMatching(/^cli:/),
      action,
      subject_id: created.id,
    })),
  );
});

test('a binding that cannot work is refused with the reason', async () => {
  await using line = await createCommandLine();
  const { id } = await line.json('tenant', 'create', '--name', 'A');
  const tenant = ['--tenant', String(id)];
  const cases: [args: string[], status: number, message: RegExp][] = [
    [['--topic', line.topic, '--format', format, ...tenant], 2, /is a topic of the product/],
    [['--topic', line.topic.replace('raw.activity', 'tenant'), '--format', format, ...tenant], 2, /is a topic of the/],
    [['--topic', '__consumer_offsets', '--format', format, ...tenant], 2, /is a topic of Kafka itself/],
    [['--topic', 'a b', '--format', format, ...tenant], 2, /must be the name of a topic/],
    [['--topic', '..', '--format', format, ...tenant], 2, /must be the name of a topic/],
    [['--topic', 'x'.repeat(250), '--format', format, ...tenant], 2, /must be the name of a topic/],
    [['--topic', 'a', '--format', 'okta.systemlog', ...tenant], 2, /did you mean okta\.system-log/],
    // A record of the product names its type, tenant and key itself.
    [['--topic', 'a', '--format', 'detection', ...tenant], 2, /is no format of provider records/],
    [['--topic', 'a', '--format', format], 2, /--tenant, or the member that has it with --tenant-from/],
    [['--topic', 'a', '--format', format, ...tenant, '--tenant-from', 'customerId'], 2, /--tenant-from/],
    [['--topic', 'a', '--format', format, '--tenant-from', ' '], 2, /must be the name of a member/],
    [['--topic', 'a', '--format', format, '--tenant-from', 'a\nb'], 2, /must be the name of a member/],
    [['--topic', 'a', '--format', format, '--tenant-from', 'x'.repeat(201)], 2, /must be the name of a member/],
    [['--topic', 'a', '--format', format, '--tenant', 'b1a7c3d2-0000-4000-8000-000000000001'], 1, /There is no tenant/],
    [['--topic', 'a', '--format', format, '--tenant', 'x'], 2, /must be a GUID/],
  ];
  for (const [args, status, message] of cases) {
    const result = await line.run('source', 'create', ...args);
    expect(result, args.join(' ')).toMatchObject({ status, stdout: '' });
    expect(result.stderr).toMatch(message);
  }
  expect((await line.json('source', 'list', '--removed')).data).toEqual([]);
});
