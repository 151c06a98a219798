import { type Route, routes } from '@tenantscope/console';
import { roles } from '@tenantscope/store/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reauthentication, routePermissions } from './route-permissions.ts';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
const visitors: Record<string, ConsoleClient> = {};

beforeAll(async () => {
  running = await createTestConsole();
  for (const role of roles) visitors[role] = await running.signIn(role);
  visitors.anonymous = await running.signIn(null);
});
afterAll(() => running?.[Symbol.asyncDispose]());

const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const pathOf = (path: string) => `/console/api${path.replace(':id', '00000000-0000-4000-8000-000000000000')}`;

test.each(named)('%s without a session returns only the request to sign in', async (_, { method, path }) => {
  const response = await visitors.anonymous?.request(method, pathOf(path));
  expect(response).toMatchObject({ status: 401, body: { error: { code: 'NOT_SIGNED_IN' } } });
});

test.each(named)('%s refuses an invented session', async (_, { method, path }) => {
  const response = await visitors.anonymous?.request(method, pathOf(path), {}, { Cookie: `sid=${'x'.repeat(43)}` });
  expect(response?.status).toBe(401);
});

function describeReauthentication({ requiresReauthentication }: Route): Reauthentication {
  if (requiresReauthentication === undefined) return 'never';
  if (requiresReauthentication.length > 0) return 'sometimes';
  expect(requiresReauthentication({})).toBe(true);
  return 'always';
}

test('every endpoint is declared with the roles and the re-authentication of the handwritten table', () => {
  const declared = named.map(([name, route]) => [name, route.roles, describeReauthentication(route)] as const);
  const sorted = (table: typeof routePermissions) => table.toSorted(([a], [b]) => (a < b ? -1 : 1));
  expect(sorted(declared)).toEqual(sorted(routePermissions));
});

test.each(routePermissions)('%s refuses every role but %j and names the permitted ones', async (route, permitted) => {
  const [method = '', path = ''] = route.split(' ');
  for (const role of roles) {
    const response = await visitors[role]?.request(method, pathOf(path));
    if (permitted.includes(role)) expect([401, 403], `${role}: ${response?.text}`).not.toContain(response?.status);
    else {
      expect(response, role).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
      expect(response?.body.error.message).toContain(permitted.join(' or '));
    }
  }
});

const changing = named.filter(([, { method }]) => method !== 'GET');
const foreign: [string, Record<string, string>][] = [
  ['another origin', { Origin: 'https://evil.example' }],
  ['no origin', { Origin: '' }],
  ['another port of this host', { 'Sec-Fetch-Site': 'same-site' }],
  ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['an address typed in', { 'Sec-Fetch-Site': 'none' }],
];

test.each(changing)('%s refuses requests from other sites', async (_, { method, path }) => {
  for (const [from, headers] of foreign) {
    const response = await visitors.admin?.request(method, pathOf(path), {}, headers);
    expect(response, from).toMatchObject({ status: 403, body: { error: { code: 'FOREIGN_ORIGIN' } } });
  }
  const form = await visitors.admin?.request(method, pathOf(path), {}, { 'Content-Type': 'text/plain' });
  expect(form?.status).toBe(415);
});

test('every response has the security policy and is not cached', async () => {
  for (const path of ['/console/api/me', '/console/api/nothing', '/console/', '/elsewhere']) {
    const response = await visitors.admin?.request('GET', path);
    expect(response?.headers.get('content-security-policy'), path).toContain("require-trusted-types-for 'script'");
    expect(response?.headers.get('x-content-type-options'), path).toBe('nosniff');
    if (path.startsWith('/console/api')) expect(response?.headers.get('cache-control'), path).toBe('no-store');
  }
});

test('an error has the same body as errors of the API', async () => {
  const response = await visitors.admin?.request('POST', '/console/api/keys', { name: '', tenantId: 'x' });
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETER' } } });
  expect(response?.body.error.details.map(({ parameter }: { parameter: string }) => parameter)).toContain('name');
  const truncated = await fetch(`${running.origin}/console/api/keys`, {
    method: 'POST',
    headers: {
      Cookie: `sid=${visitors.admin?.secret}`,
      Origin: running.origin,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/json',
    },
    body: '{"name":',
  });
  expect(truncated.status).toBe(400);
  expect(await truncated.json()).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
});
