import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { buildConsolePages } from '@tenantscope/local';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgresProxy } from '../guards/postgres-proxy.ts';
import { createTestDatabase } from '../services/database.ts';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

let running: TestConsole;
let superuser: pg.Client;
let anonymous: ConsoleClient;
let member: ConsoleClient;

beforeAll(async () => {
  await buildConsolePages();
  running = await createTestConsole({}, { host: 'localhost' });
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  anonymous = await running.signIn(null);
  member = await running.signIn('viewer');
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});

const openPage = async (who: ConsoleClient, path: string) => {
  const { status, headers } = await who.request('GET', path);
  return { status, to: headers.get('location'), type: headers.get('content-type') };
};
const page = { status: 200, to: null, type: 'text/html; charset=utf-8' };

test('a request without a session is redirected to sign-in, with the page to continue at', async () => {
  for (const [path, to] of [
    ['/console', '/console/sign-in'],
    ['/console/', '/console/sign-in'],
    ['/console/keys', '/console/sign-in?to=%2Fkeys'],
    [
      '/console/audit?from=2026-11-01&action=created',
      '/console/sign-in?to=%2Faudit%3Ffrom%3D2026-11-01%26action%3Dcreated',
    ],
    ['/console/no-such-screen', '/console/sign-in?to=%2Fno-such-screen'],
  ] as const)
    expect(await openPage(anonymous, path), path).toMatchObject({ status: 302, to });
  const ended = await running.signIn('viewer');
  await superuser.query('update control.console_session set ended_at = clock_timestamp() where member_id = $1', [
    ended.memberId,
  ]);
  expect(await openPage(ended, '/console/feeds')).toMatchObject({ status: 302 });
});

test('public pages are served without a session', async () => {
  for (const path of ['/console/sign-in', '/console/sign-in?to=/keys', '/console/set-up', '/console/oidc-popup'])
    expect(await openPage(anonymous, path), path).toEqual(page);
  for (const path of ['/console/set-up', '/console/oidc-popup', '/console/keys', '/console/no-such-screen'])
    expect(await openPage(member, path), path).toEqual(page);
});

test('a signed-in member is redirected from the sign-in page, never to another site', async () => {
  for (const [query, to] of [
    ['', '/console/'],
    ['?to=/keys?view=active', '/console/keys?view=active'],
    ['?to=https://evil.example/', '/console/'],
    ['?to=//evil.example/', '/console/'],
    ['?to=/\\evil.example/', '/console/'],
  ] as const)
    expect(await openPage(member, `/console/sign-in${query}`), query).toMatchObject({ status: 302, to });
});

test('the page is not returned for missing assets or for API paths', async () => {
  for (const path of ['/console/assets/index-before.js', '/console/api/nothing', '/console/auth/nothing', '/elsewhere'])
    expect(await openPage(member, path), path).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' });
});

test('the page is served while the database is unavailable', async () => {
  await using database = await createTestDatabase();
  const wire = await openPostgresProxy(database.roles.console);
  await using disconnected = await createTestConsole(
    { TENANTSCOPE_CONSOLE_DATABASE_URL: wire.url },
    { lent: database },
  );
  const viewer = await disconnected.signIn('viewer');
  expect((await viewer.request('GET', '/console/api/me')).status).toBe(200);
  await wire[Symbol.asyncDispose]();
  expect(await openPage(viewer, '/console/keys')).toEqual(page);
  expect(await openPage(viewer, '/console/sign-in')).toEqual(page);
  expect((await viewer.request('GET', '/console/api/me')).status).toBe(503);
});

/** By another name for the same server, which `fetch` does not let one choose. */
const named = (host: string, path: string, method = 'GET') =>
  new Promise<{ status: number | undefined; to: string | undefined; text: string }>((resolve, reject) => {
    const { port } = new URL(running.origin);
    const headers = { host: host.replace('PORT', port) };
    request({ host: 'localhost', port, path, method, headers }, async (response) => {
      let text = '';
      for await (const part of response) text += part;
      resolve({ status: response.statusCode, to: response.headers.location, text });
    })
      .on('error', reject)
      .end();
  });

test('a request under another host name of this machine is redirected to the configured one, with path and query', async () => {
  for (const host of ['127.0.0.1:PORT', '[::1]:PORT', 'console.localhost:PORT'])
    expect(await named(host, '/console/audit?action=created'), host).toMatchObject({
      status: 302,
      to: `${running.origin}/console/audit?action=created`,
    });
  expect(await named('127.0.0.1:PORT', '/')).toMatchObject({ status: 302, to: `${running.origin}/` });
  for (const [path, method] of [
    ['/console/api/me', 'GET'],
    ['/console/api/sign-in/demo', 'POST'],
  ] as const)
    expect(JSON.parse((await named('127.0.0.1:PORT', path, method)).text).error.code).toBe('FOREIGN_HOST');
});

test('a foreign host name is refused with a message that names the configured one', async () => {
  for (const host of ['evil.example', 'evil.example:PORT', 'localhost.evil.example:PORT', 'localhost:1', 'no host']) {
    const response = await named(host, '/console/sign-in');
    expect(response, host).toMatchObject({ status: 421, to: undefined });
    expect(response.text).toContain(running.origin);
  }
});

test('localhost is served on its IPv4 and IPv6 addresses where both exist', async () => {
  const { port } = new URL(running.origin);
  const hasSecond = Object.values(networkInterfaces()).some((of) => of?.some(({ address }) => address === '::1'));
  for (const address of ['127.0.0.1', ...(hasSecond ? ['[::1]'] : [])])
    expect((await fetch(`http://${address}:${port}/`, { redirect: 'manual' })).status, address).toBe(302);
});
