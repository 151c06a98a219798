import { randomUUID } from 'node:crypto';
import { makeSecret } from '@tenantscope/store/api-key';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

let installation: Installation;
let baseUrl: string;
let tenant: Awaited<ReturnType<Installation['createTenant']>>;
let caller: ApiClient;

beforeAll(async () => {
  installation = await startInstallation();
  await using ingest = await installation.startIngest();
  await ingest.ready();
  ({ baseUrl } = await installation.startApi());
  tenant = await installation.createTenant('Own');
  caller = createApiClient(baseUrl, tenant.secret);
});
afterAll(() => installation[Symbol.asyncDispose]());

async function keyOf(owner: { tenantId: string } | { organizationId: string }, ...scopes: string[]) {
  const key = await installation.admin.keys.create({ name: 'key', scopes, owner, expiresAt: null });
  return { ...key, caller: createApiClient(baseUrl, key.secret) };
}

async function organization() {
  const { id } = await installation.admin.organizations.create({ name: `Organization ${randomUUID()}` });
  const member = async (name: string) =>
    installation.admin.tenants.create({ name, organizationId: id, azureTenantId: randomUUID() });
  return { id, member };
}

test('ping returns the tenant, name and scopes of the key', async () => {
  const response = await caller.get('/ping');
  expect(response).toMatchObject({
    status: 200,
    body: { data: { tenantId: tenant.id, name: 'reader', scopes: ['logs:read'], organizationWide: false } },
  });
  expect(response.headers.get('x-tenant-id')).toBe(tenant.id);
  expect((await caller.get('/tenants')).body).toEqual({
    data: [{ id: tenant.id, name: 'Own', azureTenantId: tenant.azureTenantId }],
    pagination: { nextCursor: null, hasMore: false, limit: 1000 },
  });
});

test('a key is accepted from either header or from both, and two different keys are rejected', async () => {
  const { secret } = tenant;
  const bearer = { Authorization: `Bearer ${secret}` };
  const anonymous = createApiClient(baseUrl, null);
  expect((await anonymous.get('/ping', {}, { 'X-API-Key': secret })).status).toBe(200);
  expect((await anonymous.get('/ping', {}, { ...bearer, 'X-API-Key': secret })).status).toBe(200);
  expect((await anonymous.get('/ping', {}, { ...bearer, 'X-API-Key': makeSecret() })).status).toBe(401);
  expect((await anonymous.get('/ping', { name: secret }, bearer)).code).toBe('UNAUTHENTICATED');
});

test('an expired key is rejected, and a revoked key is rejected on the next request of every instance', async () => {
  const second = await installation.startApi();
  const key = await installation.admin.keys.create({
    name: 'short',
    scopes: [],
    owner: { tenantId: tenant.id },
    expiresAt: null,
  });
  const callers = [createApiClient(baseUrl, key.secret), createApiClient(second.baseUrl, key.secret)];
  for (const each of [...callers, ...callers]) expect((await each.get('/ping')).status).toBe(200);
  await installation.admin.keys.revoke(key.id);
  for (const each of callers.toReversed()) expect((await each.get('/ping')).code).toBe('UNAUTHENTICATED');
  const expiring = await installation.admin.keys.create({
    name: 'expiring',
    scopes: [],
    owner: { tenantId: tenant.id },
    expiresAt: new Date(Date.now() + 1_500),
  });
  const late = createApiClient(baseUrl, expiring.secret);
  expect((await late.get('/ping')).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  expect((await late.get('/ping')).code).toBe('UNAUTHENTICATED');
});

test('an organization key selects one of its tenants per request', async () => {
  const { id, member } = await organization();
  const [first, second] = [await member('First'), await member('Second')];
  const stranger = await installation.createTenant('Stranger');
  const { caller: wide } = await keyOf({ organizationId: id }, 'logs:read');

  expect((await wide.get('/ping')).body).toMatchObject({ data: { tenantId: null, organizationWide: true } });
  expect((await wide.get('/tenants')).body?.data).toHaveLength(2);
  expect((await wide.get('/logs')).code).toBe('TENANT_REQUIRED');
  for (const selector of [first.id, first.id.toUpperCase(), first.azureTenantId, first.azureTenantId?.toUpperCase()]) {
    const response = await wide.get('/logs', { limit: '1' }, { 'X-Tenant-Id': String(selector) });
    expect({ status: response.status, tenant: response.headers.get('x-tenant-id') }).toEqual({
      status: 200,
      tenant: first.id,
    });
  }
  expect((await wide.get('/ping', {}, { 'X-Tenant-Id': second.id })).body).toMatchObject({
    data: { tenantId: second.id },
  });

  const refused = await Promise.all(
    [stranger.id, randomUUID(), 'nonsense', '', `${first.id}, ${second.id}`].map((selector) =>
      wide.get('/logs', {}, { 'X-Tenant-Id': selector, 'X-Request-Id': 'same' }),
    ),
  );
  expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
  expect(refused[0]).toMatchObject({ status: 403, code: 'TENANT_NOT_IN_ORGANIZATION' });
  expect(refused.map(({ headers }) => headers.get('x-tenant-id'))).toEqual(refused.map(() => null));
});

test('a tenant key may name its own tenant and no other', async () => {
  for (const selector of [tenant.id, tenant.id.toUpperCase(), tenant.azureTenantId])
    expect((await caller.get('/logs', { limit: '1' }, { 'X-Tenant-Id': selector })).status).toBe(200);
  const stranger = await installation.createTenant('Stranger');
  for (const selector of [stranger.id, stranger.azureTenantId, randomUUID(), 'nonsense'])
    expect((await caller.get('/logs', {}, { 'X-Tenant-Id': selector })).code).toBe('TENANT_NOT_IN_ORGANIZATION');
});

test('a plan without the API blocks the data but not ping and tenants', async () => {
  const lapsed = await installation.createTenant('Lapsed');
  await installation.admin.tenants.setPlan(lapsed.id, 'none');
  const reader = createApiClient(baseUrl, lapsed.secret);
  expect((await reader.get('/logs')).code).toBe('PLAN_REQUIRED');
  expect((await reader.get('/ping')).status).toBe(200);
  expect((await reader.get('/tenants')).status).toBe(200);
  await installation.admin.tenants.setPlan(lapsed.id, 'api');
  expect((await reader.get('/logs')).status).toBe(200);
});

test('checks run in the order of the contract', async () => {
  const { id, member } = await organization();
  const first = await member('First');
  const { caller: narrow } = await keyOf({ organizationId: id }, 'licenses:read');
  const { caller: open } = await keyOf({ organizationId: id }, 'logs:read');
  const wrong = { limit: '0' };
  const select = { 'X-Tenant-Id': first.id };
  const anonymous = createApiClient(baseUrl, null);

  expect((await anonymous.get('/nonsense')).code).toBe('NOT_FOUND');
  expect((await anonymous.get('/logs', wrong, { Accept: 'text/html' })).code).toBe('UNAUTHENTICATED');
  expect((await narrow.get('/logs', wrong, { Accept: 'text/html' })).code).toBe('NOT_ACCEPTABLE');
  expect((await narrow.get('/logs', wrong)).code).toBe('TENANT_REQUIRED');
  expect((await narrow.get('/logs', wrong, { 'X-Tenant-Id': randomUUID() })).code).toBe('TENANT_NOT_IN_ORGANIZATION');
  await installation.admin.tenants.setPlan(first.id, 'none');
  expect((await narrow.get('/logs', wrong, select)).code).toBe('PLAN_REQUIRED');
  await installation.admin.tenants.setPlan(first.id, 'api');
  const scope = await narrow.get('/logs', wrong, select);
  expect(scope).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
  expect(scope.text).toContain('logs:read');
  expect((await open.get('/logs', wrong, select)).code).toBe('INVALID_PARAMETER');
  expect((await open.get('/logs', { limit: '1' }, select)).status).toBe(200);
});

test('every response to a valid key has rate limit headers, and every tenant response names the tenant', async () => {
  for (const [path, status] of [
    ['/ping', 200],
    ['/tenants', 200],
    ['/logs', 200],
    ['/logs?limit=0', 400],
    ['/logs?cursor=x', 400],
    ['/logs?nonsense=1', 400],
  ] as const) {
    const { headers, status: got } = await caller.get(path);
    expect(got, path).toBe(status);
    expect(headers.get('x-ratelimit-limit')).toBe('600');
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    expect(Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000).toBeLessThanOrEqual(61);
    expect(headers.get('x-tenant-id')).toBe(tenant.id);
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

test('a GET request with a body is served and its body is ignored', async () => {
  const response = await createApiClient(baseUrl, null).raw(
    `GET /api/v1/logs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant.secret}\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"limit":1}`,
  );
  expect(response).toContain('HTTP/1.1 200');
  expect(response).toContain('"limit":50');
});

test('responses are compressed when the client accepts it', async () => {
  for (const coding of ['gzip', 'zstd']) {
    const response = await caller.get('/openapi.json', {}, { 'Accept-Encoding': coding });
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(response.body).toMatchObject({ openapi: '3.1.0' });
  }
});

test('the last use of a key is stored at the latest when the process ends', async () => {
  const key = await keyOf({ tenantId: tenant.id });
  const own = await installation.startApi();
  for (let n = 0; n < 3; n += 1) await createApiClient(own.baseUrl, key.secret).get('/ping');
  await own[Symbol.asyncDispose]();
  expect(await own.gone).toBe(0);
  const listed = (await installation.admin.keys.list({ tenantId: tenant.id })).find(({ id }) => id === key.id);
  expect(listed).toMatchObject({ requests: 3 });
  expect(Date.now() - Date.parse(String(listed?.lastUsedAt))).toBeLessThan(30_000);
});

test('requests, rejections and attempts after the end of a key are counted per hour', async () => {
  const key = await keyOf({ tenantId: tenant.id });
  const own = await installation.startApi();
  const client = createApiClient(own.baseUrl, key.secret);
  // A tool call that is refused, whose HTTP response is 200.
  expect((await createMcpClient(own.baseUrl, key.secret).call('list_logs', {})).isError).toBe(true);
  await client.get('/ping', {}, { 'User-Agent': 'poller/1.0 «x»' });
  await client.get('/ping', { nonsense: '1' }, { 'User-Agent': 'poller/1.1' });
  await installation.admin.keys.revoke(key.id);
  for (let n = 0; n < 2; n += 1) expect((await client.get('/ping', {}, { 'User-Agent': 'late/2' })).status).toBe(401);
  await own[Symbol.asyncDispose]();
  const reader = new pg.Client(installation.database.roles.console);
  await reader.connect();
  try {
    for (const table of ['hour', 'day']) {
      const { rows } = await reader.query(
        `select requests, refused, over_limit, refused_after_end, last_address, last_agent, last_refused_at > last_used_at as later, refused_agent from control.api_key_usage_${table} where key_id = $1`,
        [key.id],
      );
      expect(rows, table).toEqual([
        {
          requests: '3',
          refused: '2',
          over_limit: '0',
          refused_after_end: '2',
          last_address: '127.0.0.1',
          last_agent: 'poller/1.1',
          later: true,
          refused_agent: 'late/2',
        },
      ]);
    }
  } finally {
    await reader.end();
  }
});
