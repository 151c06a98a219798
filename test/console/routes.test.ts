import { routes } from '@tenantscope/console';
import { roles } from '@tenantscope/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestConsole, testConsole, type Visitor } from './visitor.ts';

let running: TestConsole;
const visitors: Record<string, Visitor> = {};

beforeAll(async () => {
  running = await testConsole();
  for (const role of roles) visitors[role] = await running.visitor(role);
  visitors.nobody = await running.visitor(null);
}, 60_000);
afterAll(() => running?.[Symbol.asyncDispose]());

const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const pathOf = (path: string) => `/console/api${path.replace(':id', '00000000-0000-4000-8000-000000000000')}`;

test.each(named)('%s: nobody is told nothing but to sign in', async (_, { method, path }) => {
  const answer = await visitors.nobody?.ask(method, pathOf(path));
  expect(answer).toMatchObject({ status: 401, body: { error: { code: 'NOT_SIGNED_IN' } } });
});

test.each(named)('%s: a session that was made up is none', async (_, { method, path }) => {
  const answer = await visitors.nobody?.ask(method, pathOf(path), {}, { Cookie: `sid=${'x'.repeat(43)}` });
  expect(answer?.status).toBe(401);
});

test.each(named)('%s: other roles than its own are refused, and told whose it is', async (_, route) => {
  for (const role of roles) {
    const answer = await visitors[role]?.ask(route.method, pathOf(route.path));
    if (route.roles.includes(role)) expect([401, 403], `${role}: ${answer?.text}`).not.toContain(answer?.status);
    else {
      expect(answer, role).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
      expect(answer?.body.error.message).toContain(route.roles.join(' or '));
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

test.each(changing)('%s: a page from elsewhere changes nothing, whoever is signed in', async (_, { method, path }) => {
  for (const [from, headers] of foreign) {
    const answer = await visitors.admin?.ask(method, pathOf(path), {}, headers);
    expect(answer, from).toMatchObject({ status: 403, body: { error: { code: 'FOREIGN_ORIGIN' } } });
  }
  const form = await visitors.admin?.ask(method, pathOf(path), {}, { 'Content-Type': 'text/plain' });
  expect(form?.status).toBe(415);
});

test('every answer carries the policy, and none of the data is kept by a cache', async () => {
  for (const path of ['/console/api/me', '/console/api/nothing', '/console/', '/elsewhere']) {
    const answer = await visitors.admin?.ask('GET', path);
    expect(answer?.headers.get('content-security-policy'), path).toContain("require-trusted-types-for 'script'");
    expect(answer?.headers.get('x-content-type-options'), path).toBe('nosniff');
    if (path.startsWith('/console/api')) expect(answer?.headers.get('cache-control'), path).toBe('no-store');
  }
});

test('a refusal has the envelope of the api', async () => {
  const answer = await visitors.admin?.ask('POST', '/console/api/keys', { name: '', tenantId: 'x' });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETER' } } });
  expect(answer?.body.error.details.map(({ parameter }: { parameter: string }) => parameter)).toContain('name');
  const torn = await fetch(`${running.origin}/console/api/keys`, {
    method: 'POST',
    headers: {
      Cookie: `sid=${visitors.admin?.secret}`,
      Origin: running.origin,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/json',
    },
    body: '{"name":',
  });
  expect(torn.status).toBe(400);
  expect(await torn.json()).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
});
