// @module-tag torture
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routes } from '@tenantscope/console';
import { operations } from '@tenantscope/contract';
import { buildConsolePages, findFreePort } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { TOTP } from 'otpauth';
import pg from 'pg';
import { type Browser, chromium as browsers } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Installation, startInstallation } from '../../installation/installation.ts';
import { type ProductProcess, startProcess } from '../../installation/processes.ts';
import { clientSecret, startTestProvider, type TestProvider } from '../identity-provider.ts';
import { startBearerProxy } from './bearer-proxy.ts';
import { findChromium } from './chromium.ts';
import { expectDigestsInOneTable, expectNoLeaks, expectNoOtherKeys } from './secret-checks.ts';
import { createSecretRecorder, type SecretRecorder } from './secret-recorder.ts';
import { readClipboard, readDatabase, readHistory, readPageContents, readRedis } from './secret-search.ts';
import type { Window } from './window.ts';

// One day of an administrator, with every secret that the product receives or issues; afterwards the secrets are searched in all responses, pages, logs,
// metrics, tables and Redis keys.

const chromium = await findChromium();
const password = 'a long enough password, in no list';

describe.skipIf(chromium === null)('secrets', { tags: ['browser'] }, () => {
  let running: Installation;
  let provider: TestProvider;
  let proxy: Server;
  let browser: Browser;
  let superuser: pg.Client;
  let redis: Redis;
  let origin = '';
  let organizationId = '';
  let tenantId = '';
  let recorder: SecretRecorder;
  const processes: Record<string, ProductProcess> = {};
  const output: Record<string, string> = {};
  /** The keys that the console sends to the API; the playground keys are seen nowhere else. */
  const bearers = new Set<string>();

  beforeAll(async () => {
    await buildConsolePages();
    running = await startInstallation();
    provider = await startTestProvider();
    superuser = new pg.Client(running.database.superuser);
    await superuser.connect();
    redis = new Redis<'legacy'>(inject('services').redis);
    ({ id: organizationId } = await running.admin.organizations.create({ name: 'Larkspur Group' }));
    ({ id: tenantId } = await running.admin.tenants.create({
      name: 'Contoso Ltd',
      organizationId,
      azureTenantId: randomUUID(),
    }));
    const logLevel = { TENANTSCOPE_LOG_LEVEL: 'trace' };
    const api = await running.startApi(logLevel);
    processes.api = api;
    processes.ingest = await running.startIngest(logLevel);
    const port = await findFreePort();
    origin = `http://localhost:${port}`;
    proxy = await startBearerProxy(api.baseUrl, bearers);
    provider.register(origin);
    await provider.stop();
    await provider.start();
    processes.console = await startProcess('console', {
      ...running.environment,
      ...logLevel,
      TENANTSCOPE_CONSOLE_PORT: String(port),
      TENANTSCOPE_CONSOLE_URL: origin,
      TENANTSCOPE_PUBLIC_URL: api.baseUrl,
      TENANTSCOPE_CONSOLE_API_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v1`,
      TENANTSCOPE_CONSOLE_SECRET: sealingSecret,
      TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
      TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
      TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
      TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'admins',
      TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
    });
    for (const [name, process] of Object.entries(processes)) {
      output[name] = process.output();
      for (const stream of [process.child.stdout, process.child.stderr])
        stream?.on('data', (part: Buffer) => {
          output[name] += part.toString();
        });
    }
    browser = await browsers.launch({ executablePath: chromium ?? '' });
    recorder = createSecretRecorder(browser, origin);
  });
  afterAll(async () => {
    await browser?.close();
    await processes.console?.[Symbol.asyncDispose]();
    proxy?.closeAllConnections();
    proxy?.close();
    redis?.disconnect();
    await superuser?.end();
    await provider?.[Symbol.asyncDispose]();
    await running?.[Symbol.asyncDispose]();
  });
  const sealingSecret = randomUUID() + randomUUID();

  const readSessionId = async ({ context }: Window): Promise<string> =>
    (await context.cookies(origin)).find(({ name }) => name === 'sid')?.value ?? '';

  /** The first administrator, with the set-up token of the host. */
  async function createAdministrator(): Promise<{ window: Window; codes: string[] }> {
    const { secrets } = recorder;
    const { token } = await running.cli<{ token: string }>('console', 'set-up');
    secrets.set('set-up token', token);
    secrets.set('password', password);
    secrets.set('sealing secret', sealingSecret);
    secrets.set('client secret', clientSecret);
    const window = await recorder.openRecordedWindow('Maria');
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
    return { window, codes };
  }

  /** Creates a key and rotates it; only Copy writes to the clipboard. */
  async function createAndRotateKey(window: Window): Promise<{ first: string; second: string }> {
    const { page } = window;
    await page.evaluate(`navigator.clipboard.writeText('nothing yet')`);
    await page.goto(`${origin}/console/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Splunk bridge');
    await page.getByLabel('Access').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Create key' }).click();
    const first = (await page.locator('dialog .secret').textContent()) ?? '';
    expect(first).toMatch(/^tscope_live_/);
    recorder.secrets.set('key', first);
    expect(await readClipboard(window), 'Copy was not pressed').toBe('nothing yet');
    await page.locator('dialog').getByRole('button', { name: 'Copy' }).first().click();
    expect(await readClipboard(window)).toBe(first);
    await page.evaluate(`navigator.clipboard.writeText('something else')`);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.panel-side').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    const second = (await page.locator('dialog .secret').textContent()) ?? '';
    expect(second).not.toBe(first);
    recorder.secrets.set('key after rotation', second);
    await page.getByLabel('I have stored the secret').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.panel-side').waitFor();
    expect(await readClipboard(window), 'only Copy writes to the clipboard').toBe('something else');
    recorder.contents.set('the page after a key', await readPageContents(window));
    recorder.contents.set('its history', await readHistory(window));
    return { first, second };
  }

  /** Runs the playground in the browser, then every operation in both modes with the scopes of the member and of each key. */
  async function runPlayground({ page }: Window, sid: string, keyId: string | undefined): Promise<void> {
    await page.goto(`${origin}/console/playground`);
    await page.locator('form.panel').waitFor();
    for (const mode of ['REST', 'MCP']) {
      await page.getByRole('button', { name: mode, exact: true }).click();
      const response = page.waitForResponse((one) => one.url().endsWith('/playground/run'));
      await page.keyboard.press('Control+Enter');
      await response;
    }
    for (const { name } of operations)
      for (const mode of ['rest', 'mcp'])
        for (const scopesOf of ['me', keyId]) {
          const { status, text } = await recorder.request(sid, 'POST', '/console/api/playground/run', {
            operation: name,
            tenantId,
            mode,
            id: 'x',
            parameters: {},
            scopesOf,
          });
          expect(status, text.slice(0, 200)).toBe(200);
        }
  }

  /** Sends secrets in malformed input, whose errors must not repeat them. */
  async function sendMalformedInput(sid: string, first: string, second: string, code: string): Promise<void> {
    for (const path of ['/keys', '/playground/run', '/members/x', '/reauthenticate', '/dead-letters/requests'])
      await recorder.request(sid, 'POST', `/console/api${path}`, {
        name: first,
        [first]: first,
        scopesOf: first,
        reason: second,
        password,
        second: code,
      });
  }

  /** Reads every page and every GET route of the console. */
  async function readConsole(window: Window, sid: string, keys: readonly { id: string }[]): Promise<void> {
    const { page } = window;
    for (const path of ['/', '/?filter=', '/keys', '/members', '/audit', '/feeds', '/dead-letters'])
      await recorder.request(sid, 'GET', `/console${path}`);
    for (const { method, path } of routes)
      if (method === 'GET')
        for (const { id } of keys) await recorder.request(sid, 'GET', `/console/api${path.replace(':id', id)}`);
    for (const view of ['active', 'ended', 'playground'])
      await recorder.request(sid, 'GET', `/console/api/keys?view=${view}`);
    for (const path of ['/keys?view=playground', '/audit', '/members', '/feeds', '/playground']) {
      await page.goto(`${origin}/console${path}`);
      await page.getByRole('heading').first().waitFor();
      await page.waitForLoadState('networkidle');
      recorder.contents.set(`the page ${path}`, await readPageContents(window));
    }
  }

  /** Signs out, and in again with a recovery code after a wrong password. */
  async function signInWithRecoveryCode(window: Window, code: string): Promise<void> {
    const { page } = window;
    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    recorder.contents.set('the sign-in page', await readPageContents(window));
    await page.getByText('Use a local account').click();
    await page.getByLabel('Name').fill('Maria Nowak');
    for (const entered of [`not ${password}`, password]) {
      await page.getByLabel('Password').fill(entered);
      await page.getByLabel('Authenticator code or recovery code').fill(code);
      const response = page.waitForResponse((one) => one.url().endsWith('/sign-in/local'));
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await response;
    }
    await page.locator('[popovertarget=user-menu]').waitFor();
    recorder.secrets.set('session after a recovery code', await readSessionId(window));
  }

  async function signInAtProvider(): Promise<Window> {
    const { secrets } = recorder;
    const window = await recorder.openRecordedWindow('Ada');
    const { page } = window;
    page.on('request', (request) => {
      const { searchParams, pathname } = new URL(request.url());
      if (pathname !== '/console/auth/callback') return;
      secrets.set('authorization code', searchParams.get('code') ?? '');
      secrets.set('OIDC state', searchParams.get('state') ?? '');
    });
    provider.account = { sub: 'ada', name: 'Ada Nowak', groups: ['admins'] };
    await page.goto(`${origin}/console/auth/start`);
    await page.waitForURL(`${provider.issuer}/**`);
    await page.locator('input[name=login]').fill('ada');
    await page.locator('input[name=password]').fill('any');
    for (let n = 0; n < 2; n += 1) await page.locator('button[type=submit]').click();
    await page.locator('[popovertarget=user-menu]').waitFor();
    expect(secrets.get('authorization code')).toBeTruthy();
    secrets.set('session by the provider', await readSessionId(window));
    return window;
  }

  /** What the processes log, publish, store and are started with. */
  async function readProcessesAndStores(): Promise<void> {
    const { contents } = recorder;
    for (const [name, { child, healthPort }] of Object.entries(processes)) {
      contents.set(`output of ${name}`, output[name] ?? '');
      contents.set(`metrics of ${name}`, await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text());
      contents.set(`arguments of ${name}`, await readFile(`/proc/${child.pid}/cmdline`, 'utf8').catch(() => ''));
    }
    expect(output.console).toContain('listening at');
    expect(output.api?.length, 'the API logs').toBeGreaterThan(100);
    contents.set('Redis', await readRedis(redis));
    for (const [name, text] of await readDatabase(superuser)) contents.set(name, text);
    expect(contents.get('table control.playground_run')).toContain('list_logs');
    expect(contents.get('table control.admin_event')).toContain('Splunk bridge');
  }

  test('secrets appear only in the responses that issue them', async () => {
    const { secrets, contents } = recorder;
    const { window, codes } = await createAdministrator();
    const { first, second } = await createAndRotateKey(window);
    const sid = await readSessionId(window);
    expect(sid).toHaveLength(43);
    secrets.set('session', sid);
    const { rows: keys } = await superuser.query<{ id: string }>(
      `select id from control.api_key where kind = 'api' and name like 'Splunk%'`,
    );
    await runPlayground(window, sid, keys[0]?.id);
    expect(bearers.size, 'the test calls of two new keys, and playground keys').toBeGreaterThanOrEqual(4);
    for (const [index, key] of [...bearers].entries())
      if (key !== first && key !== second) secrets.set(`playground key ${index}`, key);
    await sendMalformedInput(sid, first, second, codes[0] ?? '');
    await readConsole(window, sid, keys);
    await signInWithRecoveryCode(window, codes[1] ?? '');
    const visitor = await signInAtProvider();
    for (const [name, each] of [
      ['Maria', window],
      ['Ada', visitor],
    ] as const) {
      contents.set(`the last page of ${name}`, await readPageContents(each));
      contents.set(`the history of ${name}`, await readHistory(each));
      contents.set(`the clipboard of ${name}`, name === 'Maria' ? await readClipboard(each) : '');
    }
    await recorder.settle();
    await window.checkScreen('secrets');
    await readProcessesAndStores();
    expectNoLeaks(recorder);
    expectDigestsInOneTable(recorder);
    expectNoOtherKeys(recorder);
    await Promise.all([window, visitor].map((each) => each[Symbol.asyncDispose]()));
  });
});
