import { makeSecret } from '@tenantscope/store/api-key';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../installation/api-client.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let superuser: pg.Client;
let tenantId: string;

beforeAll(async () => {
  installation = await startInstallation();
  superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
  const { rows } = await superuser.query<{ name: string }>('select current_database() as name');
  await superuser.query(`alter database ${pg.escapeIdentifier(rows[0]?.name ?? '')} set track_functions = 'all'`);
  tenantId = (await installation.createTenant()).id;
}, 90_000);
afterAll(async () => {
  await superuser.end();
  await installation[Symbol.asyncDispose]();
}, 60_000);

/** Addresses as a trusted proxy forwards them: failures are counted per address. */
const startApi = () => installation.startApi({ TENANTSCOPE_TRUSTED_PROXIES: '127.0.0.1' });
const from = (address: string) => ({ 'X-Forwarded-For': address });
const createKey = () =>
  installation.admin.keys.create({ name: 'key', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null });

async function countLookUps(): Promise<number> {
  const { rows } = await superuser.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::integer as calls from pg_stat_user_functions where schemaname = 'control' and funcname = 'look_up_key'`,
  );
  return rows[0]?.calls ?? 0;
}

test('a repeated unknown key reaches the database once, and a key created meanwhile works at once', async () => {
  const before = await countLookUps();
  const api = await startApi();
  const unknown = createApiClient(api.baseUrl, makeSecret());
  for (let n = 0; n < 100; n += 1)
    expect((await unknown.get('/ping', {}, from(`192.0.2.${n % 50}`))).code).toBe('UNAUTHENTICATED');
  const { secret, id } = await createKey();
  const created = createApiClient(api.baseUrl, secret);
  expect((await created.get('/ping')).status).toBe(200);
  await installation.admin.keys.revoke(id);
  expect((await created.get('/ping')).code, 'revocation stays immediate').toBe('UNAUTHENTICATED');
  // Statistics are complete when the connections have ended.
  await api[Symbol.asyncDispose]();
  // One for the unknown key; the new key is checked, read, and read again after its revocation.
  expect((await countLookUps()) - before).toBe(4);
});

test('unknown keys are counted by address on every route, and MCP counts them whatever the content type', async () => {
  await using api = await startApi();
  const post = (path: string, secret: string, address: string) =>
    fetch(`${api.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': secret, 'Content-Type': 'text/plain', ...from(address) },
      body: '{}',
    });
  const statuses: number[] = [];
  for (let n = 0; n < 62; n += 1) statuses.push((await post('/mcp', makeSecret(), '198.51.100.1')).status);
  expect(statuses).toEqual([...Array(60).fill(415), 429, 429]);
  const { secret } = await createKey();
  expect((await post('/mcp', secret, '198.51.100.1')).status, 'an existing key is never refused').toBe(415);

  const unknownRoute = async (key: string) =>
    (await createApiClient(api.baseUrl, key).get('/nonsense', {}, from('198.51.100.2'))).status;
  for (let n = 0; n < 60; n += 1) expect(await unknownRoute(makeSecret())).toBe(404);
  expect(await unknownRoute(makeSecret())).toBe(429);
  expect(await unknownRoute(secret)).toBe(404);
  const anonymous = await createApiClient(api.baseUrl, null).get('/nonsense', {}, from('198.51.100.2'));
  expect(anonymous.status, 'a request without a key is no attempt').toBe(404);
});

test('a key pays for requests of unknown routes, of unsupported media types and with large bodies, and its usage counts them', async () => {
  const api = await startApi();
  const { secret, id } = await createKey();
  const client = createApiClient(api.baseUrl, secret);
  expect((await client.get('/ping')).status).toBe(200);
  for (const path of ['/nonsense', '/monitoring-alerts']) {
    const { status, headers } = await client.get(path);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([404, '600']);
  }
  const media = await fetch(`${api.baseUrl}/mcp`, { method: 'POST', headers: { 'X-API-Key': secret }, body: '{}' });
  expect(media.status).toBe(415);
  const large = await client.raw(
    `GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nX-API-Key: ${secret}\r\nContent-Length: 65537\r\n\r\n`,
  );
  expect(large).toMatch(/^HTTP\/1.1 413 /);
  const last = await client.get('/ping');
  expect(Number(last.headers.get('x-ratelimit-remaining'))).toBe(594);
  await api[Symbol.asyncDispose]();
  const { rows } = await superuser.query(
    'select requests::integer, refused::integer from control.api_key_usage_day where key_id = $1',
    [id],
  );
  expect(rows).toEqual([{ requests: 6, refused: 4 }]);
});
