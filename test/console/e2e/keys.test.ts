import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { hashSecret } from '@tenantscope/store/api-key';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slownessFactor } from '../../installation/eventually.ts';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();
const run = promisify(execFile);

describe.skipIf(chromium === null)('keys in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const ping = (secret: string) =>
    fetch(`${on.product.baseUrl}/ping`, { headers: { Authorization: `Bearer ${secret}` } }).then(
      ({ status }) => status,
    );

  /** Records usage of a key as the API does. */
  async function recordUsage(id: string, requests: number, hoursAgo: number): Promise<void> {
    const at = `date_trunc('hour', clock_timestamp() - make_interval(hours => ${hoursAgo}))`;
    await on.product.superuser.query(
      `insert into control.api_key_usage_hour (key_id, at, requests, refused, over_limit, refused_after_end, last_used_at, last_address, last_agent)
       values ($1, ${at}, $2, 0, 0, 0, ${at}, '192.0.2.7', 'poller/3.1')
       on conflict (key_id, at) do update set requests = api_key_usage_hour.requests + excluded.requests, last_agent = excluded.last_agent`,
      [id, requests],
    );
    await on.product.superuser.query(
      `insert into control.api_key_usage (key_id, requests, last_used_at) values ($1, $2, clock_timestamp() - make_interval(hours => $3))
       on conflict (key_id) do update set requests = excluded.requests, last_used_at = excluded.last_used_at`,
      [id, requests, hoursAgo],
    );
  }

  const countRequests = async (id: string): Promise<number> => {
    const { rows } = await on.product.superuser.query('select requests from control.api_key_usage where key_id = $1', [
      id,
    ]);
    return Number(rows[0]?.requests ?? 0);
  };
  const readDisplay = async (id: string): Promise<string> =>
    (await on.product.superuser.query('select display from control.api_key where id = $1', [id])).rows[0].display;

  async function createKey({ page }: Window, name: string): Promise<string> {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Access').selectOption({ label: 'Contoso Ltd' });
    await page.getByRole('button', { name: 'Create key' }).click();
    return (await page.locator('dialog .secret').textContent()) ?? '';
  }

  test('a key is created from name, access and expiry, and its secret is shown once and stored nowhere', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Splunk bridge');
    await page.getByText('Choose what the key can read.').waitFor();
    await page.getByLabel('Access').selectOption({ label: 'Contoso Ltd' });
    await page.getByRole('button', { name: 'Auditor' }).click();
    await page.getByRole('button', { name: '90 days' }).click();
    const summary = page.getByText(/read-only access to Contoso Ltd with 1 scope, valid until .*23:59 UTC/);
    await summary.waitFor();
    const until = await summary.textContent();
    await window.checkScreen('new-key');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('dialog .secret').textContent()) ?? '';
    expect(secret).toMatch(/^tscope_live_/);
    await page.getByText('200: the key works. Access to Contoso Ltd, with 1 scope.').waitFor();
    for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
    await page.mouse.click(5, 5);
    expect(await page.locator('dialog .secret').isVisible(), 'Escape and a click outside do nothing').toBe(true);
    await window.checkScreen('secret');
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    const [leaving] = await Promise.all([
      page.waitForEvent('dialog').then(async (dialog) => {
        const kind = dialog.type();
        await dialog.dismiss();
        return kind;
      }),
      page.reload({ timeout: 2_000 }).catch(() => {}),
    ]);
    expect(leaving).toBe('beforeunload');
    await page.locator('dialog').getByRole('button', { name: 'Copy' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    expect(await ping(secret)).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.panel-side').getByRole('heading', { name: 'Splunk bridge' }).waitFor();

    const { rows } = await on.product.superuser.query(
      'select name, scopes, tenant_id, expires_at from control.api_key where secret_sha256 = $1',
      [hashSecret(secret)],
    );
    expect(rows, 'the key matches the summary').toEqual([
      { name: 'Splunk bridge', scopes: ['evidence:read'], tenant_id: on.tenantIds[0], expires_at: expect.any(Date) },
    ]);
    expect(until).toContain(String(rows[0].expires_at.getUTCDate()));
    expect(rows[0].expires_at.toISOString()).toContain('T23:59:59');
    const pageState = await page.evaluate(
      'JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, history.state, location.href])',
    );
    expect(pageState).not.toContain(secret);
    await window.go('/audit');
    await page.getByText(/created key "Splunk bridge"/).waitFor();
    expect(await page.content()).not.toContain(secret);
    await window.checkScreen('audit-of-a-key');
  });

  test('the filter in the URL finds a key by its characters, and an empty result is reported', async () => {
    const { id } = await on.createKey('Sentinel poller');
    const { rows } = await on.product.superuser.query('select display from control.api_key where id = $1', [id]);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.locator('main table').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(rows[0].display);
    await page.waitForURL(/filter=/);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.reload();
    await page.getByRole('button', { name: 'Sentinel poller' }).waitFor();
    await page.getByRole('searchbox').fill('no such key');
    await page.getByText('No matching keys.').waitFor();
    await window.checkScreen('keys-none');
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.locator('main table').waitFor();
  });

  test('a rotation shows the traffic of both keys, without the test request of the console, until the old key is unused', async () => {
    const old = await on.createKey('Rotated poller');
    await recordUsage(old.id, 120, 1);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/keys?key=${old.id}`);
    await page.locator('.panel-side').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('heading', { name: 'Rotate "Rotated poller"' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Rotated poller, replacement');
    await page.getByRole('button', { name: 'in 7 days' }).click();
    await page.getByText(/^Valid until .* UTC, or until revoked/).waitFor();
    await window.checkScreen('rotate');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('dialog .secret').textContent()) ?? '';
    await page.getByLabel('I have stored the secret').check();
    await page.getByRole('button', { name: 'Done' }).click();
    const card = page.getByRole('region', { name: 'Rotation' });
    await card.getByText('The new key has not been used yet.').waitFor();
    await card.getByText(/Expires automatically: /).waitFor();
    const fresh = new URL(page.url()).searchParams.get('key') ?? '';
    expect(fresh).not.toBe(old.id);
    // The API writes its counts every 15 s: the test request of the console is counted by then.
    await expect.poll(() => countRequests(fresh), { timeout: 40_000, interval: 500 }).toBeGreaterThan(0);
    await page.waitForTimeout(6_000);
    await card.getByText('The new key has not been used yet.').waitFor();
    await card
      .getByText(/The old key is still in use: 120 requests in 24 h, last used .* from 192.0.2.7, poller/)
      .waitFor();

    const countBars = () => card.locator('svg').first().locator('.bar').count();
    for (let count = 0; count < 5; count++) expect(await ping(secret)).toBe(200);
    await card.getByText('The new key has not been used yet.').waitFor({ state: 'detached', timeout: 60_000 });
    expect(await countBars()).toBeGreaterThan(0);
    await window.checkScreen('rotation');
    await on.product.superuser.query(
      `update control.api_key_usage_hour set at = at - interval '30 hours' where key_id = $1`,
      [old.id],
    );
    await on.product.superuser.query(
      `update control.api_key_usage set last_used_at = last_used_at - interval '30 hours' where key_id = $1`,
      [old.id],
    );
    await card.getByText('It is safe to revoke it.').waitFor();
    const revoke = card.getByRole('button', { name: 'Revoke old key…' });
    expect(await revoke.getAttribute('class')).toBe('primary');
    await window.checkScreen('rotation-safe');
  });

  test('the open screen shows the last use and the rejected requests within a minute', async () => {
    const { id, secret } = await on.createKey('Watched poller');
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/keys?key=${id}&filter=Watched`);
    const row = page.getByRole('row', { name: /Watched poller/ });
    await row.getByText('Never used').waitFor();
    expect(await ping(secret)).toBe(200);
    await row.getByText('Never used').waitFor({ state: 'detached', timeout: 60_000 });
    await page.locator('.panel-side').getByText('127.0.0.1').waitFor();
    await page.getByRole('button', { name: 'Revoke…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill((await readDisplay(id)).slice(0, 4));
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await dialog.getByText('Requests rejected since: 0.').waitFor();
    for (let count = 0; count < 3; count++) expect(await ping(secret)).toBe(401);
    await dialog.getByText('Requests rejected since: 3.').waitFor({ timeout: 180_000 });
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.locator('.panel-side .facts').getByText('Rejected after end').waitFor();
    await page.locator('.panel-side').getByText('Show as table').click();
    await window.checkScreen('key-revoked');
  });

  test('the snippets work unchanged in a shell and in an MCP client, for the selected tenant', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Pasted');
    await page.getByLabel('Access').selectOption({ label: 'Whole organization' });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText(/200: the key works. Access to Contoso Ltd, Zażółć Gęślą Sp. z o.o., with 6 scopes/).waitFor();
    await page.getByLabel('Tenant in the snippets').selectOption(on.tenantIds[1] ?? '');
    const dialog = page.getByRole('dialog');
    const snippets: string[] = [];
    for (const name of ['curl', 'Environment file', 'MCP client']) {
      await dialog.getByText(name, { exact: true }).click();
      snippets.push((await dialog.locator('details', { hasText: name }).locator('pre').textContent()) ?? '');
    }
    const [curl = '', environment = '', client = ''] = snippets;
    await window.checkScreen('secret-snippets');
    const shell = async (script: string) => JSON.parse((await run('bash', ['-c', script])).stdout).data;
    const expected = { tenantId: on.tenantIds[1], organizationWide: true, name: 'Pasted' };
    expect(await shell(`${curl} -s`)).toMatchObject(expected);
    const folder = await mkdtemp(join(tmpdir(), 'pasted-'));
    expect(environment.replaceAll(/=.*/g, '').split('\n')).toEqual(['TENANTSCOPE_URL', 'TENANTSCOPE_KEY']);
    await writeFile(join(folder, '.env'), `${environment}\n`);
    expect(
      await shell(
        `set -a; . ${folder}/.env; curl -s -H "Authorization: Bearer $TENANTSCOPE_KEY" -H "X-Tenant-Id: ${on.tenantIds[1]}" "$TENANTSCOPE_URL/ping"`,
      ),
    ).toMatchObject(expected);
    await rm(folder, { recursive: true });
    const { url, headers } = JSON.parse(client).mcpServers.tenantscope;
    const connected = new Client({ name: 'pasted', version: '1' });
    await connected.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as never);
    const response = await connected.callTool({ name: 'ping', arguments: {} });
    expect(response.structuredContent).toMatchObject({ data: expected });
    await connected.close();
  });

  test('a key gets a new name and expiry, and a concurrent change is reported as a conflict', async () => {
    const { id } = await on.createKey('Shared poller');
    await using one = await on.open('admin');
    await using other = await on.open('admin');
    await one.go(`/keys?key=${id}`);
    await other.go(`/keys?key=${id}`);
    await one.page.getByRole('button', { name: 'Edit…' }).click();
    await other.page.getByRole('button', { name: 'Edit…' }).click();
    const first = one.page.getByRole('dialog');
    await first.getByLabel('Name', { exact: true }).fill('Named by one');
    await first.getByRole('button', { name: 'On a date' }).click();
    await first.getByRole('textbox', { name: 'Last day (UTC)' }).fill('2099-02-30');
    await first.getByText('Enter a date like 2026-11-22').waitFor();
    await first.getByRole('textbox', { name: 'Last day (UTC)' }).fill('2099-02-28');
    await first.getByText('This key will be valid until 28 Feb 2099, 23:59 UTC.').waitFor();
    await one.checkScreen('change-key');
    await first.getByRole('button', { name: 'Save' }).click();
    await first.waitFor({ state: 'detached' });

    const second = other.page.getByRole('dialog');
    await other.page.locator('table').getByText('Named by one').waitFor();
    await second.getByLabel('Name', { exact: true }).fill('Named by the other');
    await second.getByRole('button', { name: 'Save' }).click();
    await second
      .getByText(/This key has changed since you opened it: it is now "Named by one" and expires at 2099-02-28/)
      .waitFor();
    await other.checkScreen('change-key-conflict');
    await second.getByRole('button', { name: 'Cancel' }).click();
    const { rows } = await on.product.superuser.query('select name, expires_at from control.api_key where id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ name: 'Named by one', expires_at: new Date('2099-02-28T23:59:59Z') }]);
  });

  test('a secret pasted into the filter finds its key and is stored nowhere', async () => {
    const { id, secret } = await on.createKey('Pasted into the filter');
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('searchbox').fill(secret);
    await page.waitForURL(/filter=/);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('button', { name: 'Pasted into the filter' }).click();
    expect(new URL(page.url()).searchParams.get('key')).toBe(id);
    expect(await page.evaluate('location.href + document.documentElement.outerHTML')).not.toContain(secret);
    await page.getByRole('link', { name: 'Try in playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    expect(new URL(page.url()).searchParams.get('as')).toBe(id);
    await window.checkScreen('playground-of-a-key');
  });

  test('revoking a key in use requires its first characters but no re-authentication, and the next request is refused', async () => {
    const { id, secret } = await on.createKey('Old poller');
    await recordUsage(id, 42, 0);
    expect(await ping(secret)).toBe(200);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/keys?key=${id}`);
    await page.getByRole('button', { name: 'Revoke…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/4[23] requests in the last 24 hours/).waitFor();
    const revoke = dialog.getByRole('button', { name: 'Revoke', exact: true });
    expect(await revoke.isDisabled()).toBe(true);
    await window.checkScreen('revoke');
    const prefix = (await dialog.locator('code').first().textContent())?.replace('tscope_live_', '').slice(0, 4) ?? '';
    await dialog.getByRole('textbox').fill(prefix);
    await revoke.click();
    await dialog.getByText(/Revoked .* The next request gets 401/).waitFor();
    expect(await ping(secret)).toBe(401);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await window.go('/keys?view=ended');
    await page.getByRole('button', { name: 'Old poller' }).waitFor();
    await window.checkScreen('keys-ended');
  });

  test('creating a key of the whole organization requires re-authentication, and continues afterwards', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('button', { name: 'Open the demo' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await on.product.superuser.query(
      `update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`,
    );
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Everything');
    await page.getByLabel('Access').selectOption({ label: 'Whole organization' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const confirmation = page.getByRole('dialog', { name: "Confirm it's you" });
    await confirmation.getByText('It continues once you have confirmed your identity.').waitFor();
    await window.checkScreen('reauthenticate-over-a-form');
    await confirmation.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Your identity was not confirmed. Nothing was changed.').waitFor();
    expect(await page.getByRole('alert').count(), 'a step, not a failure').toBe(0);
    await window.checkScreen('reauthenticate-cancelled');
    await page.getByRole('button', { name: "Confirm it's you" }).click();
    await confirmation.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.locator('dialog .secret').waitFor();
    await page.getByText('X-Tenant-Id').first().waitFor({ state: 'attached' });
    await window.checkScreen('secret-of-organization-key');
  });

  test('the maximum key lifetime is set on the key screen and limits new keys', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.getByText('Maximum key lifetime: unlimited').waitFor();
    await page.getByRole('button', { name: 'Edit maximum key lifetime' }).click();
    await page.getByRole('dialog').getByLabel('Maximum key lifetime').selectOption('90');
    await window.checkScreen('key-lifetime');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Maximum key lifetime: 90 days').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByText('Your organization allows at most 90 days.').waitFor();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Never' }).count()).toBe(0);
    expect(await dialog.getByRole('button', { name: '1 year' }).count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('Within the limit');
    await page.getByLabel('Access').selectOption({ label: 'Contoso Ltd' });
    await dialog.getByRole('button', { name: 'On a date' }).click();
    await page.getByRole('textbox', { name: 'Last day (UTC)' }).fill('2099-01-01');
    await dialog.getByText(/Enter a date like 2026-11-22, no earlier than .*, no later than /).waitFor();
    await dialog.getByRole('button', { name: '90 days' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.locator('dialog .secret').waitFor();
    await window.checkScreen('secret-within-limit');
    await on.product.superuser.query('update control.organization set key_lifetime_days = null');
  });

  test('a new key reads the tenant of the tenant switch unless another is chosen', async () => {
    await using window = await on.open('admin', { language: 'pl', width: 390, height: 844 });
    const { page } = window;
    await window.go(`/keys?tenant=${on.tenantIds[1]}`);
    await page.getByRole('button', { name: 'Nowy klucz' }).click();
    await page.getByText('Dostęp tylko do odczytu: Zażółć Gęślą Sp. z o.o.').waitFor();
    expect(await page.getByLabel('Dostęp do').inputValue()).toBe(on.tenantIds[1]);
    await window.checkScreen('new-key-390-pl');
  });

  test('creating a key by keyboard alone returns the focus to where it started', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('button', { name: 'New key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('New key');
    const began = performance.now();
    const secret = await createKey(window, 'By keyboard');
    expect(performance.now() - began, 'the time of all steps').toBeLessThan(slownessFactor * 20_000);
    expect(await ping(secret)).toBe(200);
    await window.checkScreen('by-keyboard');
  });

  test('a key that is being created cannot be left before its secret is shown', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    const responded = Promise.withResolvers<void>();
    await page.route(/\/console\/api\/keys$/, async (route) => {
      if (route.request().method() === 'POST') await responded.promise;
      await route.continue();
    });
    await window.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Not left');
    await page.getByLabel('Access').selectOption({ label: 'Contoso Ltd' });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Creating…' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    responded.resolve();
    expect(await ping((await page.locator('dialog .secret').textContent()) ?? '')).toBe(200);
  });

  test('where the browser refuses the clipboard, the secret is selected to be copied by the keyboard, and is not taken as stored', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await page.addInitScript({ content: `Object.defineProperty(navigator, 'clipboard', { value: undefined })` });
    await window.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Copied by hand');
    await page.getByLabel('Access').selectOption({ label: 'Contoso Ltd' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('dialog .secret').textContent()) ?? '';
    await page.locator('dialog').getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('alert').filter({ hasText: 'The text is selected: press Ctrl+C' }).waitFor();
    const selected = `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)`;
    expect(await page.evaluate(selected)).toBe(secret);
    await window.checkScreen('secret-not-copied');
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.getByLabel('I have stored the secret').check();
    await page.getByRole('button', { name: 'Done' }).click();
  });

  test('a name shows its invisible characters', async () => {
    const { id } = await on.createKey('Pay\u202eroll');
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/keys?key=${id}`);
    await page.getByRole('button', { name: 'Pay\\u202eroll' }).waitFor();
    await page.locator('.panel-side').getByRole('heading', { name: 'Pay\\u202eroll' }).waitFor();
    const [tenantId] = on.tenantIds;
    const { rows } = await on.product.superuser.query('select name from control.tenant where id = $1', [tenantId]);
    const rename = (name: string) =>
      on.product.superuser.query('update control.tenant set name = $2 where id = $1', [tenantId, name]);
    await rename('Con\u202etoso');
    await page.reload();
    await page.locator('.panel-side').getByText('Con\\u202etoso').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Access').getByRole('option', { name: 'Con\\u202etoso' }).waitFor({ state: 'attached' });
    expect(await page.locator('body').innerHTML()).not.toContain('\u202e');
    await rename(rows[0].name);
  });

  test('500 keys are listed by pages of a hundred, and filtered by the ID of a key', async () => {
    await on.product.superuser.query(
      `insert into control.api_key (secret_sha256, display, name, scopes, tenant_id, created_at)
       select sha256(convert_to('many ' || n, 'UTF8')), 'Many' || lpad(n::text, 4, '0'), 'Poller ' || n, '{logs:read,detections:read}', $1,
              clock_timestamp() - interval '100 days'
         from generate_series(1, 500) n`,
      [on.tenantIds[0]],
    );
    await on.product.superuser.query(
      `insert into control.api_key_usage_day (key_id, at, requests, refused, over_limit, refused_after_end, last_used_at)
       select k.id, date_trunc('day', clock_timestamp()) - make_interval(days => d), 1000 + d, 0, 0, 0, clock_timestamp() - make_interval(days => d)
         from control.api_key k, generate_series(0, 13) d where k.display like 'Many%'`,
    );
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.locator('main table').waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(100);
    await window.checkScreen('keys-many');
    const first = await page.locator('tbody tr').first().textContent();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    await expect.poll(() => page.locator('tbody tr').first().textContent()).not.toBe(first);
    expect(await page.locator('tbody tr').count()).toBe(100);
    await page.getByRole('button', { name: 'Newest' }).click();
    await expect.poll(() => page.locator('tbody tr').first().textContent()).toBe(first);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    await page.getByRole('searchbox').fill('Many0123');
    await page.getByRole('button', { name: 'Poller 123' }).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('link', { name: /^Unused for 30 days 500/ }).waitFor();
    await on.product.superuser.query(
      `delete from control.api_key_usage_day where key_id in (select id from control.api_key where display like 'Many%')`,
    );
    await on.product.superuser.query(`delete from control.api_key where display like 'Many%'`);
  });
});
