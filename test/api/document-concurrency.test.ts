import { randomUUID } from 'node:crypto';
import { grantableScopes } from '@tenantscope/contract';
import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

let product: ControlledInstallation;
let organizationId: string;
let blocker: PoolClient;

beforeAll(async () => {
  product = await startControlledInstallation({ TENANTSCOPE_DOCUMENT_QUEUE_MS: '2000' });
  organizationId = (await product.admin.organizations.create({ name: 'An organization' })).id;
}, 60_000);
afterAll(() => product?.[Symbol.asyncDispose]());

// Documents read this table, pages of the log do not: while the lock lasts, every document runs.
beforeEach(async () => {
  blocker = await product.superuser.connect();
  await blocker.query('begin; lock table models.entity_fact in access exclusive mode');
});
afterEach(async () => {
  await blocker.query('rollback');
  blocker.release();
});

const createTenant = async (owner: string | null): Promise<string> =>
  (await product.admin.tenants.create({ name: 'A tenant', organizationId: owner, azureTenantId: randomUUID() })).id;

const createKey = async (owner: { tenantId: string } | { organizationId: string }): Promise<string> =>
  (await product.admin.keys.create({ name: 'reader', scopes: [...grantableScopes], owner, expiresAt: null })).secret;

const clientOf = async (tenantId: string): Promise<ApiClient> =>
  createApiClient(product.baseUrl, await createKey({ tenantId }));

const countRunning = async (): Promise<number> => (await listRunningPids()).length;

const untilRunning = (count: number) =>
  eventually(`${count} documents run`, 10_000, async () => (await countRunning()) === count);

test('24 status requests of one tenant leave the polling of another tenant alone, two run, and the others get 429', async () => {
  const tenantId = await createTenant(organizationId);
  const keys = await Promise.all([1, 2, 3].map(() => clientOf(tenantId)));
  const neighbor = await clientOf(await createTenant(null));
  const status = keys.flatMap((key) => Array.from({ length: 8 }, () => key.get('/compliance/status')));
  await eventually('documents run', 10_000, async () => (await countRunning()) >= 2);

  const polls = await Promise.all(Array.from({ length: 8 }, () => neighbor.get('/logs', { limit: '1000' })));
  expect(polls.map((poll) => poll.status)).toEqual(Array(8).fill(200));
  expect(await countRunning()).toBe(2);

  const settled: Awaited<(typeof status)[number]>[] = [];
  for (const one of status) void one.then((response) => settled.push(response));
  await eventually('22 requests are refused', 10_000, () => settled.length >= 22);
  await blocker.query('rollback');
  await Promise.all(status);
  const refused = settled.filter((response) => response.status === 429);
  expect(refused.length).toBe(22);
  for (const { code, body, headers } of refused) {
    expect(code).toBe('RATE_LIMITED');
    expect(body.error.message).toMatch(/concurrency limit.*2 documents.*tenant/i);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  }
}, 60_000);

test('four documents of an organization run at once, and another organization is not delayed by them', async () => {
  const tenants = await Promise.all([1, 2, 3].map(() => createTenant(organizationId)));
  const client = createApiClient(product.baseUrl, await createKey({ organizationId }));
  const paths = ['/compliance/status', '/copilot-readiness'];
  const six = tenants.flatMap((id) => paths.map((path) => client.get(path, {}, { 'X-Tenant-Id': id })));
  await untilRunning(4);

  const other = (await clientOf(await createTenant(null))).get('/evidence/agents');
  await untilRunning(5);
  let refused = 0;
  for (const one of six) void one.then(({ status }) => (refused += status === 429 ? 1 : 0));
  await eventually('two requests are refused', 10_000, () => refused === 2);
  await blocker.query('rollback');
  // On a loaded machine a document may exceed its time limit, but the four that ran are not refused.
  const over = (await Promise.all(six)).filter(({ status }) => status === 429);
  expect(over.map(({ body }) => body.error.message)).toEqual(
    Array(2).fill(expect.stringMatching(/concurrency limit.*4 documents.*organization/i)),
  );
  expect((await other).status).not.toBe(429);
}, 60_000);

test('a tool call over the concurrency limit returns the error of its route', async () => {
  const tenantId = await createTenant(null);
  const secret = await createKey({ tenantId });
  const client = createApiClient(product.baseUrl, secret);
  const running = [client.get('/compliance/status'), client.get('/copilot-readiness')];
  await untilRunning(2);
  const { status, headers, body } = await createMcpClient(product.baseUrl, secret).request('tools/call', {
    name: 'get_compliance_status',
    arguments: {},
  });
  expect(status).toBe(200);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(headers.get('x-ratelimit-limit')).toBe('600');
  expect(body.result.isError).toBe(true);
  expect(JSON.parse(body.result.content[0].text).error).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(/concurrency limit/i),
  });
  await blocker.query('rollback');
  await Promise.all(running);
}, 60_000);

test('a client that disconnects frees its place at once, whether it runs or waits', async () => {
  const tenantId = await createTenant(null);
  const secret = await createKey({ tenantId });
  const start = () => {
    const disconnect = new AbortController();
    const response = fetch(`${product.baseUrl}/compliance/status`, {
      headers: { Authorization: `Bearer ${secret}` },
      signal: disconnect.signal,
    });
    response.catch(() => {});
    return { disconnect, response };
  };
  const [first, second] = [start(), start()];
  await untilRunning(2);
  const pidsBefore = await listRunningPids();
  const abandoned = start();
  const third = start();
  abandoned.disconnect.abort();
  first.disconnect.abort();
  await eventually('the third request runs in the place of the first', 3_000, async () => {
    const pids = await listRunningPids();
    return pids.length === 2 && pids.join() !== pidsBefore.join();
  });
  await blocker.query('rollback');
  expect((await second.response).status).not.toBe(429);
  expect((await third.response).status).not.toBe(429);
}, 60_000);

/** Of the first connections of documents of which a statement waits: a document may wait with its second one alone. */
async function listRunningPids(): Promise<number[]> {
  const { rows } = await product.superuser.query<{ pid: number }>(
    `select distinct coalesce(substring(application_name from 'second connection of (\\d+)$')::int, pid) as pid
     from pg_stat_activity
     where datname = current_database() and usename <> current_user and wait_event_type = 'Lock'
     order by 1`,
  );
  return rows.map(({ pid }) => pid);
}
