import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routes } from '@tenantscope/console';
import { operations } from '@tenantscope/contract';
import { buildConsolePages, findFreePort } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { TOTP } from 'otpauth';
import pg from 'pg';
import { type Browser, chromium as browsers, type Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Installation, startInstallation } from '../../installation/installation.ts';
import { type ProductProcess, startProcess } from '../../installation/processes.ts';
import { clientSecret, startTestProvider, type TestProvider } from '../identity-provider.ts';
import { findChromium } from './chromium.ts';
import {
  clipboardOf,
  historyOf,
  keptBy,
  keptInDatabase,
  keptInRedis,
  type Places,
  spellings,
} from './secret-search.ts';
import { openWindow, type Window } from './window.ts';

// Everything secret that the whole product is given or gives out in a day of an administrator; afterwards all that it said, showed, wrote and kept is
// searched for it.

const chromium = await findChromium();
const password = 'a long enough password, in no list';

describe.skipIf(chromium === null)('secrets', { timeout: 180_000 }, () => {
  let running: Installation;
  let provider: TestProvider;
  let proxy: Server;
  let browser: Browser;
  let superuser: pg.Client;
  let redis: Redis;
  let origin = '';
  let organizationId = '';
  let tenantId = '';
  const processes: Record<string, ProductProcess> = {};
  const printed: Record<string, string> = {};
  /** Keys that went from the console to the api: those of the playground nobody else ever sees. */
  const carried = new Set<string>();

  beforeAll(async () => {
    await buildConsolePages();
    running = await startInstallation();
    provider = await startTestProvider();
    superuser = new pg.Client(running.database.superuser);
    await superuser.connect();
    redis = new Redis(inject('services').redis);
    ({ id: organizationId } = await running.admin.organizations.create({ name: 'Larkspur Group' }));
    ({ id: tenantId } = await running.admin.tenants.create({
      name: 'Contoso Ltd',
      organizationId,
      azureTenantId: randomUUID(),
    }));
    const loud = { TENANTSCOPE_LOG_LEVEL: 'trace' };
    const api = await running.startApi(loud);
    processes.api = api;
    processes.ingest = await running.startIngest(loud);
    const port = await findFreePort();
    origin = `http://localhost:${port}`;
    proxy = await listening(api.baseUrl);
    provider.register(origin);
    await provider.stop();
    await provider.start();
    processes.console = await startProcess('console', {
      ...running.environment,
      ...loud,
      TENANTSCOPE_CONSOLE_PORT: String(port),
      TENANTSCOPE_CONSOLE_URL: origin,
      TENANTSCOPE_PUBLIC_URL: api.baseUrl,
      TENANTSCOPE_CONSOLE_API_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v1`,
      TENANTSCOPE_CONSOLE_SECRET: sealing,
      TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
      TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
      TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
      TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
      TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
    });
    for (const [name, { child, output }] of Object.entries(processes)) {
      printed[name] = output();
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (part: Buffer) => {
          printed[name] += part.toString();
        });
    }
    browser = await browsers.launch({ executablePath: chromium ?? '' });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await processes.console?.[Symbol.asyncDispose]();
    proxy?.closeAllConnections();
    proxy?.close();
    redis?.disconnect();
    await superuser?.end();
    await provider?.[Symbol.asyncDispose]();
    await running?.[Symbol.asyncDispose]();
  }, 60_000);
  const sealing = randomUUID() + randomUUID();

  /** Between the console and the api: sees what the one shows to the other. */
  async function listening(baseUrl: string): Promise<Server> {
    const server = createServer(async (request, reply) => {
      const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
      if (bearer) carried.add(bearer);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = Object.entries(request.headers).filter(
        ([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name),
      ) as [string, string][];
      const answer = await fetch(new URL(request.url ?? '', baseUrl), {
        method: request.method ?? 'GET',
        headers,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      const body = Buffer.from(await answer.arrayBuffer());
      reply.writeHead(
        answer.status,
        Object.fromEntries(
          [...answer.headers].filter(
            ([name]) => !/^(connection|content-length|transfer-encoding|content-encoding)$/.test(name),
          ),
        ),
      );
      reply.end(body);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return server;
  }

  /** A window whose every answer is written down. */
  async function watched(said: Places, who: string): Promise<Window> {
    const window = await openWindow(browser, origin, null, {});
    window.context.on('response', (response: Response) => {
      const name = `${who} ${randomUUID()} ${response.request().method()} ${response.url()}`;
      if (!response.url().startsWith(origin)) return;
      reading.push(
        (async () => {
          const headers = await response.headersArray().catch(() => []);
          const body = await response.body().catch(() => Buffer.alloc(0));
          const run = headers.find((header) => header.name.toLowerCase() === 'x-run')?.value ?? '';
          said.set(
            `${name}: head`,
            [...headers.map((header) => `${header.name}: ${header.value}`), Buffer.from(run, 'base64url')].join('\n'),
          );
          said.set(`${name}: body`, body.toString());
        })(),
      );
    });
    return window;
  }
  const reading: Promise<void>[] = [];

  test('are nowhere but where they were issued', async () => {
    const secrets = new Map<string, string>();
    const said: Places = new Map();
    const kept: Places = new Map();

    // The first administrator, with the token of the host.
    const { token } = await running.cli<{ token: string }>('console', 'set-up');
    secrets.set('set-up token', token);
    secrets.set('password', password);
    secrets.set('sealing secret', sealing);
    secrets.set('client secret', clientSecret);
    const window = await watched(said, 'Maria');
    const { page } = window;
    await page.goto(`${origin}/console/set-up#${token}`);
    await page.getByLabel('Your name').fill('Maria Nowak');
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByRole('button', { name: 'Authenticator app' }).click();
    const totp = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
    secrets.set('authenticator', totp);
    await page.getByLabel('Code from the app').fill(new TOTP({ secret: totp }).generate());
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Recovery codes, shown only once.').waitFor();
    const codes = await page.locator('.codes code').allTextContents();
    expect(codes).toHaveLength(10);
    for (const [index, code] of codes.entries())
      secrets.set(`recovery code ${index}`, code).set(`recovery code ${index}, bare`, code.replaceAll('-', ''));
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('[popovertarget=user-menu]').waitFor();

    // Two keys, one in the place of the other.
    await page.evaluate(`navigator.clipboard.writeText('nothing yet')`);
    await page.goto(`${origin}/console/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Splunk bridge');
    await page.getByRole('button', { name: 'Create key' }).click();
    const first = (await page.locator('dialog .secret').textContent()) ?? '';
    expect(first).toMatch(/^tscope_live_/);
    secrets.set('key', first);
    expect(await clipboardOf(window), 'nobody copied it').toBe('nothing yet');
    await page.locator('dialog').getByRole('button', { name: 'Copy' }).first().click();
    expect(await clipboardOf(window)).toBe(first);
    await page.evaluate(`navigator.clipboard.writeText('something else')`);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.panel-side').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    const second = (await page.locator('dialog .secret').textContent()) ?? '';
    expect(second).not.toBe(first);
    secrets.set('key that took its place', second);
    await page.getByLabel('I have stored the secret').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.panel-side').waitFor();
    expect(await clipboardOf(window), 'only Copy copies').toBe('something else');
    kept.set('the page after a key', await keptBy(window));
    kept.set('its history', await historyOf(window));

    // The playground, in a browser and many times.
    await page.goto(`${origin}/console/playground`);
    await page.locator('form.panel').waitFor();
    for (const mode of ['REST', 'MCP']) {
      await page.getByRole('button', { name: mode, exact: true }).click();
      const answered = page.waitForResponse((response) => response.url().endsWith('/playground/run'));
      await page.keyboard.press('Control+Enter');
      await answered;
    }
    const sid = (await window.context.cookies()).find(({ name }) => name === 'sid')?.value ?? '';
    expect(sid).toHaveLength(43);
    secrets.set('session', sid);
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(origin + path, {
        method,
        headers: {
          Cookie: `sid=${sid}`,
          ...(body ? { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await answer.text();
      const run = answer.headers.get('x-run') ?? '';
      said.set(
        `${method} ${path} ${JSON.stringify(body ?? '')}`,
        [...answer.headers].join('\n') + text + Buffer.from(run, 'base64url'),
      );
      return { status: answer.status, text };
    };
    const { rows: keys } = await superuser.query<{ id: string }>(
      `select id from control.api_key where kind = 'api' and name like 'Splunk%'`,
    );
    for (const { name } of operations)
      for (const mode of ['rest', 'mcp'])
        for (const scopesOf of ['me', keys[0]?.id]) {
          const { status, text } = await ask('POST', '/console/api/playground/run', {
            operation: name,
            tenantId,
            mode,
            id: 'x',
            parameters: {},
            scopesOf,
          });
          expect(status, text.slice(0, 200)).toBe(200);
        }
    expect(carried.size, 'the test of two new keys, and keys of the playground').toBeGreaterThanOrEqual(4);
    for (const [index, secret] of [...carried].entries())
      if (secret !== first && secret !== second) secrets.set(`playground key ${index}`, secret);

    // Mistakes, whose words must not say the secret back, and everything else there is to be read.
    for (const path of ['/keys', '/playground/run', '/members/x', '/reauthenticate', '/dead-letters/requests'])
      await ask('POST', `/console/api${path}`, {
        name: first,
        [first]: first,
        scopesOf: first,
        reason: second,
        password,
        second: codes[0],
      });
    for (const path of ['/', '/?filter=', '/keys', '/members', '/audit', '/feeds', '/dead-letters'])
      await ask('GET', `/console${path}`);
    for (const { method, path } of routes)
      if (method === 'GET') for (const { id } of keys) await ask('GET', `/console/api${path.replace(':id', id)}`);
    for (const view of ['active', 'ended', 'playground']) await ask('GET', `/console/api/keys?view=${view}`);
    for (const path of ['/keys?view=playground', '/audit', '/members', '/feeds', '/playground']) {
      await page.goto(`${origin}/console${path}`);
      await page.getByRole('heading').first().waitFor();
      await page.waitForLoadState('networkidle');
      kept.set(`the page ${path}`, await keptBy(window));
    }

    // Out, and in again with a recovery code; then in by the provider.
    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    kept.set('the page of sign-in', await keptBy(window));
    await page.getByText('Use a local account').click();
    await page.getByLabel('Name').fill('Maria Nowak');
    for (const [word, code] of [
      [`not ${password}`, codes[1]],
      [password, codes[1]],
    ]) {
      await page.getByLabel('Password').fill(word ?? '');
      await page.getByLabel(/authenticator/).fill(code ?? '');
      const answered = page.waitForResponse((response) => response.url().endsWith('/sign-in/local'));
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await answered;
    }
    await page.locator('[popovertarget=user-menu]').waitFor();
    secrets.set(
      'session after a recovery code',
      (await window.context.cookies()).find(({ name }) => name === 'sid')?.value ?? '',
    );
    const visitor = await watched(said, 'Ada');
    visitor.page.on('request', (request) => {
      const { searchParams, pathname } = new URL(request.url());
      if (pathname !== '/console/auth/callback') return;
      secrets.set('code of the provider', searchParams.get('code') ?? '');
      secrets.set('state of the round', searchParams.get('state') ?? '');
    });
    provider.account = { sub: 'ada', name: 'Ada Nowak', groups: ['admins'] };
    await visitor.page.goto(`${origin}/console/auth/start`);
    await visitor.page.waitForURL(`${provider.issuer}/**`);
    await visitor.page.locator('input[name=login]').fill('ada');
    await visitor.page.locator('input[name=password]').fill('any');
    for (let n = 0; n < 2; n += 1) await visitor.page.locator('button[type=submit]').click();
    await visitor.page.locator('[popovertarget=user-menu]').waitFor();
    expect(secrets.get('code of the provider')).toBeTruthy();
    const cookies = await visitor.context.cookies(origin);
    secrets.set('session by the provider', cookies.find(({ name }) => name === 'sid')?.value ?? '');
    for (const [name, each] of [
      ['Maria', window],
      ['Ada', visitor],
    ] as const) {
      kept.set(`the last page of ${name}`, await keptBy(each));
      kept.set(`where ${name} could go back to`, await historyOf(each));
      kept.set(`the clipboard of ${name}`, name === 'Maria' ? await clipboardOf(each) : '');
    }
    await Promise.all(reading);
    await window.wellAs('secrets');

    // What the processes say, hold and are called by.
    for (const [name, { child, healthPort }] of Object.entries(processes)) {
      kept.set(`what ${name} printed`, printed[name] ?? '');
      kept.set(`metrics of ${name}`, await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text());
      kept.set(`arguments of ${name}`, await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => ''));
    }
    expect(printed.console).toContain('answering at');
    expect(printed.api?.length, 'the api says something').toBeGreaterThan(100);
    kept.set('Redis', await keptInRedis(redis));
    for (const [name, text] of await keptInDatabase(superuser)) kept.set(name, text);
    expect(kept.get('table control.playground_run')).toContain('list_logs');
    expect(kept.get('table control.admin_event')).toContain('Splunk bridge');

    /** Where a secret has to be said once: to whom it is given, and by whom. */
    const isIssuing = (secret: string, place: string): boolean => {
      if (/^key/.test(secret)) return / POST \S+\/console\/api\/keys: body$/.test(place);
      if (/^recovery/.test(secret)) return / POST \S+\/console\/api\/set-up: body$/.test(place);
      if (/^session/.test(secret))
        return / (POST \S+\/console\/api\/(set-up|sign-in\/local)|GET \S+\/console\/auth\/callback\S*): head$/.test(
          place,
        );
      if (secret === 'state of the round') return / GET \S+\/console\/auth\/start: head$/.test(place);
      return false;
    };
    const issued = new Set<string>();
    const leaks: string[] = [];
    for (const [name, secret] of secrets) {
      expect(secret.length, name).toBeGreaterThan(10);
      const all = spellings(secret);
      for (const [place, text] of [...said, ...kept])
        if (all.some((spelling) => text.includes(spelling))) {
          if (isIssuing(name, place)) issued.add(name);
          else leaks.push(`${name} in ${place}`);
        }
    }
    expect(leaks).toEqual([]);
    // That the search finds what is there.
    for (const name of [
      'key',
      'key that took its place',
      'recovery code 0',
      'session',
      'session after a recovery code',
      'session by the provider',
    ])
      expect([...issued], 'what was issued').toContain(name);

    // Digests lie in their one column.
    const columns: [string, string, RegExp][] = [
      ['key', 'table control.api_key', /^/],
      ['key that took its place', 'table control.api_key', /^/],
      ['session', 'table control.console_session', /^/],
      ['set-up token', 'table control.set_up_token', /^/],
      ['recovery code 5, bare', 'table control.member_credential', /^/],
    ];
    for (const [name, table] of columns) {
      const digest = createHash('sha256').update(secrets.get(name) ?? '');
      const bytes = digest.digest();
      const found = [...said, ...kept].filter(([, text]) =>
        (['hex', 'base64', 'base64url'] as const).some((encoding) =>
          text.includes(bytes.toString(encoding).replace(/=+$/, '')),
        ),
      );
      expect(
        found.map(([place]) => place),
        `digest of ${name}`,
      ).toEqual([table]);
    }
    // Whatever looks like a key is one that is known here, and the letters that are shown are eight.
    for (const [place, text] of [...said, ...kept])
      for (const [looks] of text.matchAll(/tscope_live_[0-9A-Za-z]{9,}/g))
        expect(isIssuing('key', place), `${looks} in ${place}`).toBe(true);
    await Promise.all([window, visitor].map((each) => each[Symbol.asyncDispose]()));
  });
});
