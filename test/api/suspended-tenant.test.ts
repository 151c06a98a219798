import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSigningKey, parseSigningKey } from '@tenantscope/proof';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { createApiClient } from '../installation/api-client.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { storeReceipts } from '../installation/stored-receipt.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

let installation: Installation;
let ingest: Awaited<ReturnType<Installation['startIngest']>>;
let inspector: DatabaseInspector;
let baseUrl: string;

beforeAll(async () => {
  installation = await startInstallation();
  ingest = await installation.startIngest();
  await ingest.ready();
  ({ baseUrl } = await installation.startApi());
  inspector = await openDatabaseInspector(installation.database.superuser);
});
afterAll(async () => {
  await inspector[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

async function createKey(owner: { tenantId: string } | { organizationId: string }): Promise<string> {
  const create = { name: 'reader', scopes: ['logs:read'], owner, expiresAt: null };
  return (await installation.admin.keys.create(create)).secret;
}

async function storeRecords(tenantId: string, numbers: readonly number[]): Promise<void> {
  const before = await inspector.rowCount(tenantId);
  const messages = numbers.map((number) => activityMessage(tenantId, JSON.stringify(activityRecord(number))));
  await installation.publisher.send(installation.activityTopic, messages);
  await eventually(
    'rows are stored',
    30_000,
    async () => (await inspector.rowCount(tenantId)) === before + numbers.length,
  );
}

test('keys of a suspended tenant and of its organization are refused with 403 while its records are stored, and read them after it is resumed', async () => {
  const { id: organizationId } = await installation.admin.organizations.create({ name: 'Northern Watch' });
  const create = (name: string) =>
    installation.admin.tenants.create({ name, organizationId, azureTenantId: randomUUID() });
  const [suspended, other] = [await create('Suspended'), await create('Other')];
  const ownSecret = await createKey({ tenantId: suspended.id });
  const own = createApiClient(baseUrl, ownSecret);
  const wide = createApiClient(baseUrl, await createKey({ organizationId }));
  const select = (tenant: { id: string }) => ({ 'X-Tenant-Id': tenant.id });
  const statuses = async () => [
    (await own.get('/logs')).status,
    (await wide.get('/logs', {}, select(suspended))).status,
    (await wide.get('/logs', {}, select(other))).status,
  ];
  await storeRecords(suspended.id, [1, 2]);
  expect(await statuses()).toEqual([200, 200, 200]);

  await installation.cli('tenant', 'suspend', '--tenant', suspended.id);
  expect(await statuses()).toEqual([403, 403, 200]);
  const refused = await own.get('/logs');
  expect(refused.body.error).toMatchObject({ code: 'PLAN_REQUIRED', message: expect.stringMatching(/is suspended/) });
  expect((await own.get('/ping')).status).toBe(200);
  const called = await createMcpClient(baseUrl, ownSecret).call('list_logs');
  expect([called.isError, JSON.parse(called.content[0]?.text ?? '').error.code]).toEqual([true, 'PLAN_REQUIRED']);
  await storeRecords(suspended.id, [3, 4, 5]);

  await installation.cli('tenant', 'resume', '--tenant', suspended.id);
  expect(await statuses()).toEqual([200, 200, 200]);
  await eventually('all rows are read', 30_000, async () => (await own.get('/logs')).body.data.length === 5);
});

test('a tenant with a retention of its own is served a later beginning of the history, and its neighbour is not', async () => {
  const { id: organizationId } = await installation.admin.organizations.create({ name: 'Short Memory' });
  const [tenant, neighbour] = [
    await installation.admin.tenants.create({ name: 'Short', organizationId, azureTenantId: null }),
    await installation.admin.tenants.create({ name: 'Long', organizationId, azureTenantId: null }),
  ];
  const [own, other] = [
    createApiClient(baseUrl, await createKey({ tenantId: tenant.id })),
    createApiClient(baseUrl, await createKey({ tenantId: neighbour.id })),
  ];
  for (const numbers of [[1], [2], [3]]) {
    await storeRecords(tenant.id, numbers);
    await storeRecords(neighbour.id, numbers);
  }
  const list = async (caller: typeof own) => (await caller.get('/logs', { sort: 'discoveredAtAsc' })).body;
  await eventually('all rows are served', 30_000, async () => (await list(own)).data.length === 3);
  const [first, second] = (await list(own)).data;
  const { nextCursor } = (await own.get('/logs', { sort: 'discoveredAtAsc', limit: '1' })).body.pagination;
  const retention = (...args: string[]) => installation.cli('tenant', 'retention', '--tenant', tenant.id, ...args);
  for (const days of ['182', '401', 'none']) await expect(retention('--days', days)).rejects.toThrow(/--days must be/);
  expect(await retention('--days', '200')).toMatchObject({ retentionDays: 200, isDefault: false, droppedBefore: null });
  const feed = async (caller: typeof own) => (await caller.get('/feeds')).body.data[0];
  await eventually('the API has the retention', 5_000, async () => (await feed(own)).retentionDays === 200);
  expect((await feed(other)).retentionDays).toBe(400);
  expect((await list(own)).data).toHaveLength(3);

  // As if the end of a partition had expired.
  await inspector.client.query('update models.tenant_retention set dropped_before = $1, dropped_at = now()', [
    second.discoveredAt,
  ]);
  await eventually('the history begins later', 5_000, async () => (await list(own)).data.length === 2);
  const page = await list(own);
  expect([page.data[0].id, page.pagination.retainedFrom]).toEqual([second.id, second.discoveredAt]);
  expect((await own.get('/logs', { sort: 'discoveredAtDesc' })).body.data).toHaveLength(2);
  expect((await own.get(`/logs/${first.id}`)).status).toBe(404);
  expect((await own.get(`/logs/${second.id}`)).status).toBe(200);
  expect((await own.get('/logs', { cursor: nextCursor })).code).toBe('INVALID_CURSOR');
  expect((await own.get('/logs/summary')).body.data.rowCount).toBe(2);
  expect((await list(other)).data).toHaveLength(3);
  expect((await other.get('/logs/summary')).body.data.rowCount).toBe(3);
  expect((await feed(other)).retainedFrom).not.toBe(second.discoveredAt);
  const { rows: events } = await inspector.client.query(
    `select action, actor from control.admin_event where chain = $1 and subject_type = 'tenant_retention'`,
    [organizationId],
  );
  expect(events).toEqual([{ action: 'created', actor: expect.stringMatching(/^cli:/) }]);
});

test('a closed tenant has no keys and its records are dropped; its erasure removes its rows alone, and the certificate verifies', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-offboard-'));
  const superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
  try {
    await offboard(directory, superuser);
  } finally {
    await superuser.end();
    await rm(directory, { recursive: true });
  }
});

async function offboard(directory: string, superuser: pg.Client): Promise<void> {
  const { id: organizationId } = await installation.admin.organizations.create({ name: 'Harbour Watch' });
  const create = (name: string) =>
    installation.admin.tenants.create({ name, organizationId, azureTenantId: randomUUID() });
  const [leaving, staying] = [await create('Leaving Ltd'), await create('Staying Ltd')];
  const own = createApiClient(baseUrl, await createKey({ tenantId: leaving.id }));
  const wide = createApiClient(baseUrl, await createKey({ organizationId }));
  const command = (...args: string[]) => installation.cli('tenant', 'offboard', '--tenant', leaving.id, ...args);
  const send = (tenantId: string, value: string) =>
    installation.publisher.send(installation.activityTopic, [activityMessage(tenantId, value)]);
  await storeRecords(leaving.id, [1, 2, 3]);
  await storeRecords(staying.id, [4]);
  {
    await using _jobs = await installation.startJobs();
    await installation.cli('snapshot', 'take', '--tenant', leaving.id);
  }
  await storeReceipts(installation.database.roles.jobs, [leaving.id, staying.id]);
  expect((await own.get('/logs/receipts')).body.data).toHaveLength(1);
  await send(leaving.id, '{"not":');
  await attest(leaving.id);
  const countDeadLetters = async () => {
    const query = 'select count(*)::integer as count from models.dead_letter where tenant_id = $1';
    return (await superuser.query<{ count: number }>(query, [leaving.id])).rows[0]?.count;
  };
  await eventually('the dead letter is stored', 30_000, async () => (await countDeadLetters()) === 1);
  const topic = `bound-${randomUUID()}`;
  await installation.cli('source', 'create', '--topic', topic, '--format', 'okta.system-log', '--tenant', leaving.id);

  const collect = ['collector', 'create', 'okta', '--url', 'https://leaving.okta.com', '--secret-file', '/run/okta'];
  const { id: collectorId } = await installation.cli<{ id: string }>(...collect, '--tenant', leaving.id);

  await expect(command('--erase')).rejects.toThrow(/needs --certificate/);
  await expect(command('--close')).rejects.toThrow(
    new RegExp(`collector ${collectorId}, source binding of topic ${topic}`),
  );
  await installation.cli('source', 'remove', '--topic', topic);
  await installation.cli('collector', 'remove', collectorId);
  await command('--close');
  await expect(installation.cli(...collect, '--tenant', leaving.id)).rejects.toThrow(/is closed/);
  await expect(attest(leaving.id)).rejects.toThrow(/is closed/);
  expect((await own.get('/logs')).status).toBe(401);
  // As for an id that is no tenant of the organization.
  const errorOf = async (id: string) => {
    const { status, body } = await wide.get('/logs', {}, { 'X-Tenant-Id': id });
    return [status, body.error.code];
  };
  expect(await errorOf(leaving.id)).toEqual(await errorOf(randomUUID()));
  expect(await errorOf(leaving.azureTenantId ?? '')).toEqual(await errorOf(randomUUID()));
  expect((await wide.get('/tenants')).body.data).toMatchObject([{ id: staying.id }]);
  await expect(createKey({ tenantId: leaving.id })).rejects.toThrow();

  await command('--reopen');
  expect((await own.get('/logs')).status).toBe(401);
  expect((await wide.get('/logs', {}, { 'X-Tenant-Id': leaving.id })).body.data).toHaveLength(3);
  await command('--close');
  // A record that names no tenant makes ingestion read the tenants again; it reads them every 30 s otherwise.
  const { ce_tenantid: _, ...headers } = activityMessage(staying.id, '{}').headers;
  await installation.publisher.send(installation.activityTopic, [
    { ...activityMessage(staying.id, JSON.stringify(activityRecord(9))), headers },
  ]);
  let number = 10;
  await eventually('new records are dropped', 60_000, async () => {
    await send(leaving.id, '{"not":');
    await storeRecords(staying.id, [number++]);
    return (await scrapeDropped()) > 0;
  });
  const deadLetters = await countDeadLetters();
  await send(leaving.id, JSON.stringify(activityRecord(5)));
  await storeRecords(staying.id, [6]);
  expect([await countDeadLetters(), await inspector.rowCount(leaving.id)]).toEqual([deadLetters, 3]);
  await erase({ directory, superuser, leaving: leaving.id, staying: staying.id, organizationId });
}

interface ClosedTenant {
  readonly directory: string;
  readonly superuser: pg.Client;
  readonly leaving: string;
  readonly staying: string;
  readonly organizationId: string;
}

async function erase({ directory, superuser, leaving, staying, organizationId }: ClosedTenant): Promise<void> {
  const command = (...args: string[]) => installation.cli('tenant', 'offboard', '--tenant', leaving, ...args);
  const [keyFile, certificate, keys] = ['key', 'certificate.json', 'jwks.json'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  const key = await generateSigningKey();
  await writeFile(keyFile, key);
  await writeFile(keys, JSON.stringify({ keys: [(await parseSigningKey(key)).public] }));
  const eraseTo = (file: string) =>
    command('--erase', '--certificate', file, '--signing-key', keyFile, '--backup-days', '30');
  await expect(eraseTo(certificate)).rejects.toThrow(/repeat the command in \d+ s/);
  await superuser.query(`update control.tenant set closed_at = now() - interval '3 minutes' where id = $1`, [leaving]);
  const others = await inspector.rowCount(staying);
  await eraseTo(certificate);
  expect(await listRemaining(superuser, leaving)).toEqual(['control.api_key', 'models.tenant_erasure']);
  expect(await inspector.rowCount(staying)).toBe(others);
  const receipts = await superuser.query('select tenant_id from models.log_receipt');
  expect(receipts.rows).toEqual([{ tenant_id: staying }]);
  const tenant = await superuser.query('select name, azure_tenant_id from control.tenant where id = $1', [leaving]);
  expect(tenant.rows).toEqual([{ name: 'Erased tenant', azure_tenant_id: null }]);
  await expect(command('--reopen')).rejects.toThrow(/cannot be reopened/);

  const written = JSON.parse(await readFile(certificate, 'utf8'));
  expect(written.certificate).toMatchObject({ tenantId: leaving, organizationId, backups: { days: 30 } });
  expect(written.certificate.tables).toContainEqual({ table: 'models.audit_log', rows: 3 });
  expect(written.certificate.tables).toContainEqual({ table: 'models.log_receipt', rows: 1 });
  for (const table of ['control.collector', 'models.compliance_snapshot', 'models.statement_history'])
    expect(written.certificate.tables).toContainEqual({ table, rows: expect.any(Number) });
  expect(written.certificate.kafka.topics.length).toBeGreaterThan(8);
  await installation.cli('tenant', 'verify-erasure', certificate, '--keys', keys);
  written.certificate.tables[0].rows += 1;
  await writeFile(certificate, JSON.stringify(written));
  await expect(installation.cli('tenant', 'verify-erasure', certificate, '--keys', keys)).rejects.toThrow(
    /was altered/,
  );
  await expect(eraseTo(certificate)).rejects.toThrow(/repeat the command with another/);

  const events = await superuser.query<{ action: string }>(
    `select action from control.admin_event where subject_type = 'tenant_erasure' and subject_id = $1 and actor like 'cli:%' order by number`,
    [leaving],
  );
  expect(events.rows.map(({ action }) => action)).toEqual(['created', 'changed', 'changed']);
}

/** A row of a table that names the tenant without being a record of it. */
const attest = (tenantId: string) =>
  installation.cli(
    ...['attest', '--tenant', tenantId, '--requirement', 'ai.attest.literacy'],
    ...['--verdict', 'compliant', '--by', 'ada@leaving.example'],
  );

async function scrapeDropped(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${ingest.healthPort}/metrics`)).text();
  return Number(/^tenantscope_ingest_dropped_records_total\{[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** The tables of both schemas that still name the tenant. */
async function listRemaining(superuser: pg.Client, tenantId: string): Promise<string[]> {
  const { rows } = await superuser.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace in ('models'::regnamespace, 'control'::regnamespace) and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const remaining: string[] = [];
  for (const { name } of rows) {
    const found = await superuser.query(`select from ${name} where tenant_id = $1 limit 1`, [tenantId]);
    if (found.rowCount !== 0) remaining.push(name);
  }
  return remaining;
}
