import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { buildConsolePages } from '@tenantscope/local';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWire } from '../guards/wire.ts';
import { testDatabase } from '../services/database.ts';
import { type TestConsole, testConsole, type Visitor } from './visitor.ts';

let running: TestConsole;
let superuser: pg.Client;
let nobody: Visitor;
let somebody: Visitor;

beforeAll(async () => {
  await buildConsolePages();
  running = await testConsole({}, { host: 'localhost' });
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  nobody = await running.visitor(null);
  somebody = await running.visitor('viewer');
}, 60_000);
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
});

const visit = async (who: Visitor, path: string) => {
  const { status, headers } = await who.ask('GET', path);
  return { status, to: headers.get('location'), type: headers.get('content-type') };
};
const page = { status: 200, to: null, type: 'text/html; charset=utf-8' };

test('whoever is not signed in is led to the door before there is a page, and told where to go on', async () => {
  for (const [path, to] of [
    ['/console', '/console/sign-in'],
    ['/console/', '/console/sign-in'],
    ['/console/keys', '/console/sign-in?to=%2Fkeys'],
    ['/console/audit?from=2026-11-01&act=created', '/console/sign-in?to=%2Faudit%3Ffrom%3D2026-11-01%26act%3Dcreated'],
    ['/console/no-such-screen', '/console/sign-in?to=%2Fno-such-screen'],
  ] as const)
    expect(await visit(nobody, path), path).toMatchObject({ status: 302, to });
  const ended = await running.visitor('viewer');
  await superuser.query('update control.console_session set ended_at = clock_timestamp() where person_id = $1', [
    ended.personId,
  ]);
  expect(await visit(ended, '/console/feeds')).toMatchObject({ status: 302 });
});

test('what is there for everybody is a page for everybody', async () => {
  for (const path of ['/console/sign-in', '/console/sign-in?to=/keys', '/console/set-up', '/console/came-back'])
    expect(await visit(nobody, path), path).toEqual(page);
  for (const path of ['/console/set-up', '/console/came-back', '/console/keys', '/console/no-such-screen'])
    expect(await visit(somebody, path), path).toEqual(page);
});

test('whoever is signed in is led on from the door, and never out of the console', async () => {
  for (const [query, to] of [
    ['', '/console/'],
    ['?to=/keys?view=active', '/console/keys?view=active'],
    ['?to=https://evil.example/', '/console/'],
    ['?to=//evil.example/', '/console/'],
    ['?to=/\\evil.example/', '/console/'],
  ] as const)
    expect(await visit(somebody, `/console/sign-in${query}`), query).toMatchObject({ status: 302, to });
});

test('a page is no answer to a script that is gone, nor to what asks the server', async () => {
  for (const path of ['/console/assets/index-before.js', '/console/api/nothing', '/console/auth/nothing', '/elsewhere'])
    expect(await visit(somebody, path), path).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' });
});

test('while the database is away the page is there, to say so', async () => {
  await using database = await testDatabase();
  const wire = await openWire(database.roles.admin);
  await using cut = await testConsole({ TENANTSCOPE_ADMIN_DATABASE_URL: wire.url }, { lent: database });
  const cutOff = await cut.visitor('viewer');
  expect((await cutOff.ask('GET', '/console/api/me')).status).toBe(200);
  await wire[Symbol.asyncDispose]();
  expect(await visit(cutOff, '/console/keys')).toEqual(page);
  expect(await visit(cutOff, '/console/sign-in')).toEqual(page);
  expect((await cutOff.ask('GET', '/console/api/me')).status).toBe(503);
});

/** By another name for the same server, which `fetch` does not let one choose. */
const named = (host: string, path: string, method = 'GET') =>
  new Promise<{ status: number | undefined; to: string | undefined; text: string }>((resolve, reject) => {
    const { port } = new URL(running.origin);
    const headers = { host: host.replace('PORT', port) };
    request({ host: 'localhost', port, path, method, headers }, async (answer) => {
      let text = '';
      for await (const part of answer) text += part;
      resolve({ status: answer.statusCode, to: answer.headers.location, text });
    })
      .on('error', reject)
      .end();
  });

test('by another name of this machine one is led to the name that holds, with all that was asked', async () => {
  for (const host of ['127.0.0.1:PORT', '[::1]:PORT', 'console.localhost:PORT'])
    expect(await named(host, '/console/audit?act=created'), host).toMatchObject({
      status: 302,
      to: `${running.origin}/console/audit?act=created`,
    });
  expect(await named('127.0.0.1:PORT', '/')).toMatchObject({ status: 302, to: `${running.origin}/` });
  for (const [path, method] of [
    ['/console/api/me', 'GET'],
    ['/console/api/sign-in/demo', 'POST'],
  ] as const)
    expect(JSON.parse((await named('127.0.0.1:PORT', path, method)).text).error.code).toBe('FOREIGN_HOST');
});

test('a name that is not ours is refused in words, with ours in them', async () => {
  for (const host of ['evil.example', 'evil.example:PORT', 'localhost.evil.example:PORT', 'localhost:1', 'no host']) {
    const answer = await named(host, '/console/sign-in');
    expect(answer, host).toMatchObject({ status: 421, to: undefined });
    expect(answer.text).toContain(running.origin);
  }
});

test('localhost is answered at both of its addresses, wherever there are both', async () => {
  const { port } = new URL(running.origin);
  const hasSecond = Object.values(networkInterfaces()).some((of) => of?.some(({ address }) => address === '::1'));
  for (const address of ['127.0.0.1', ...(hasSecond ? ['[::1]'] : [])])
    expect((await fetch(`http://${address}:${port}/`, { redirect: 'manual' })).status, address).toBe(302);
});
