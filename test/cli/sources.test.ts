import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { onServer } from '../services/template.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

const [one, other] = [randomUUID(), randomUUID()].sort() as [string, string];

/** Two tenants with rows; the collector of one reports about its users, and three of its records are no rows. */
async function twoTenants(line: CommandLine): Promise<void> {
  await onServer(line.superuser, async (client) => {
    await client.query(
      `insert into models.source_progress (tenant_id, source, cluster_id, topic_id, partition, last_occurred_at, last_discovered_at, row_count, is_unlisted)
       select tenant_id, source, 'cluster', '00000000-0000-4000-8000-000000000000', partition, '2026-11-20T07:59:00Z', discovered, rows, unlisted
         from (values ($1::uuid, 'logs', 0, '2026-11-20T08:00:00Z'::timestamptz, 10, false), ($1, 'logs/NewLogs', 0, '2026-11-20T08:00:00Z', 4, true),
                      ($1, 'users', 0, '2026-11-20T07:00:00Z', 1, false), ($1, 'users', 1, '2026-11-20T08:00:00Z', 1, false),
                      ($2, 'logs', 0, '2026-11-20T08:00:00Z', 8, false))
              as one (tenant_id, source, partition, discovered, rows, unlisted)`,
      [one, other],
    );
    await client.query(
      `with message as (
         insert into models.dead_letter_message (id, topic, partition, "offset", headers) values (gen_random_uuid(), 't', 0, 0, '[]') returning id
       )
       insert into models.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, format, state, worker_version)
       select gen_random_uuid(), id, element, 't', $1::uuid, 'MISSING_ACTION', 'normalise', 'x', format, state, '1'
         from message, (values (0, 'okta.system-log', 'pending'), (1, 'okta.system-log', 'discarded'), (2, null, 'pending'),
                               (3, 'okta.system-log', 'settled')) as letter (element, format, state)`,
      [one],
    );
  });
}

test('sources lists the last event, silence and unknown categories by tenant', async () => {
  await using line = await createCommandLine();
  expect(await line.json('source', 'status')).toEqual({ sources: [], rejected: [], bindings: [] });
  await twoTenants(line);
  const { sources } = await line.json('source', 'status');
  expect(sources).toMatchObject([
    { tenantId: one, source: 'logs', rows: 10, isUnlisted: false, isEnabled: null, importedAt: null, gaps: null },
    { tenantId: one, source: 'logs/NewLogs', rows: 4, isUnlisted: true },
    { tenantId: one, source: 'users', rows: 2, lastDiscoveredAt: '2026-11-20T08:00:00.000Z' },
    { tenantId: other, source: 'logs', rows: 8, lastOccurredAt: '2026-11-20T07:59:00.000Z' },
  ]);
  for (const { silentMs } of sources as { silentMs: number }[]) expect(silentMs).toBeGreaterThanOrEqual(0);
  const { status, stdout } = await line.run('source', 'status');
  expect(status).toBe(0);
  expect(stdout).toContain('logs/NewLogs (unknown category)');
});

test('the former name "sources" still works, and no help lists it', async () => {
  await using line = await createCommandLine();
  expect(await line.json('sources')).toEqual(await line.json('source', 'status'));
  expect((await line.run('--help')).stdout).not.toMatch(/^ +sources\b/m);
});

test('sources of a tenant need an id of it', async () => {
  await using line = await createCommandLine();
  expect(await line.run('source', 'status', '--tenant', 'dev-1.okta.com')).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('--tenant must be a GUID'),
  });
});

test('sources counts the records of each format that are no rows, and their share', async () => {
  await using line = await createCommandLine();
  await twoTenants(line);
  expect((await line.json('source', 'status')).rejected).toEqual([
    { tenantId: one, format: 'okta.system-log', rejected: 2, share: 2 / 15 },
    { tenantId: one, format: null, rejected: 1, share: 1 / 15 },
  ]);
  expect((await line.run('source', 'status')).stdout).toMatch(/2 +13\.3 % +okta\.system-log/);
});

test('sources shows what collectors report, a disabled one only where no other reports', async () => {
  await using line = await createCommandLine();
  await twoTenants(line);
  const gap = { from: '2026-11-19T00:00:00Z', to: '2026-11-19T06:00:00Z', reason: 'outage' };
  await onServer(line.superuser, async (client) => {
    for (const [id, version, facts] of [
      ['new', 2, { source: 'user', enabled: true, lastCompleteImportAt: '2026-11-20T06:00:00Z', gaps: [gap] }],
      ['old', 1, { source: 'user', enabled: false, gaps: null }],
      ['empty', 1, { source: 'logs/SystemLog', enabled: true, lastCompleteImportAt: '2026-11-20T07:00:00Z', gaps: [] }],
    ] as const) {
      await client.query(
        `insert into models.compliance_record (tenant_id, id, record_id, kind, version, digest, updated_at, changed_at, document)
         values ($1, 'sourceStatus/' || $2, $2, 'sourceStatus', $3, '', now(), now(), $4)`,
        [one, id, version, JSON.stringify({ payload: facts })],
      );
    }
  });
  const { sources } = await line.json('source', 'status');
  expect(sources).toMatchObject([
    { source: 'logs', isEnabled: null },
    { source: 'logs/NewLogs', gaps: null },
    {
      source: 'logs/SystemLog',
      rows: 0,
      lastDiscoveredAt: null,
      silentMs: null,
      isUnlisted: false,
      isEnabled: true,
      gaps: [],
    },
    { source: 'users', isEnabled: true, importedAt: '2026-11-20T06:00:00.000Z', gaps: [gap] },
    { source: 'logs', tenantId: other },
  ]);
  expect((await line.run('source', 'status')).stdout).toMatch(/logs\/SystemLog +0 +– +– +– +2026-11-20T07:00:00\.000Z/);
});

test('sources of one tenant name no other, and an unknown tenant is refused', async () => {
  await using line = await createCommandLine();
  await twoTenants(line);
  const organization = await line.json('org', 'create', '--name', 'Contoso');
  const tenant = await line.json('tenant', 'create', '--name', 'Contoso', '--org', String(organization.id));
  expect(await line.json('source', 'status', '--tenant', String(tenant.id))).toEqual({
    sources: [],
    rejected: [],
    bindings: [],
  });
  expect(await line.run('source', 'status', '--tenant', randomUUID())).toMatchObject({ status: 1, stdout: '' });
});
