import { hashSecret } from '@tenantscope/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('keys in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const asks = (secret: string) =>
    fetch(`${on.product.baseUrl}/ping`, { headers: { Authorization: `Bearer ${secret}` } }).then(
      ({ status }) => status,
    );

  /** Use of a key as the api would have counted it. */
  async function use(id: string, requests: number, hoursAgo: number): Promise<void> {
    const at = `date_trunc('hour', clock_timestamp() - make_interval(hours => ${hoursAgo}))`;
    await on.product.superuser.query(
      `insert into control.api_key_usage_hour (key_id, at, requests, refused, over_limit, refused_after_end, last_used_at)
       values ($1, ${at}, $2, 0, 0, 0, ${at})`,
      [id, requests],
    );
    await on.product.superuser.query(
      `insert into control.api_key_usage (key_id, requests, last_used_at) values ($1, $2, clock_timestamp() - make_interval(hours => $3))
       on conflict (key_id) do update set requests = excluded.requests, last_used_at = excluded.last_used_at`,
      [id, requests, hoursAgo],
    );
  }

  async function create({ page }: Window, name: string): Promise<string> {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create key' }).click();
    return (await page.locator('dialog .secret').textContent()) ?? '';
  }

  test('one click opens the demonstration', async () => {
    await using window = await on.open(null);
    await window.go('/keys?view=ended');
    await window.page.getByRole('button', { name: 'Open the demo' }).click();
    await window.page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(window.page.url(), 'goes on where one wanted to go').toContain('view=ended');
    await window.page.getByText('Demo administrator').waitFor();
    await window.page.locator('.settled .status-good').waitFor();
    await window.wellAs('demo');
    await window.page.getByRole('button', { name: 'Demo administrator' }).click();
    await window.page.getByRole('button', { name: 'Sign out' }).click();
    await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await window.page.getByRole('button', { name: 'Open the demo' }).waitFor();
    await window.page.goBack();
    await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await window.page.locator('table').count(), 'nothing of what was seen').toBe(0);
  });

  test('a key is made by three decisions; its secret is shown once, held until it is stored, and nowhere afterwards', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.getByText('There is no key yet').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Splunk bridge');
    await page.getByRole('button', { name: 'Auditor' }).click();
    await page.getByRole('button', { name: '90 days' }).click();
    await page.getByText(/will read 1 scope of Contoso Ltd until .*23:59 UTC/).waitFor();
    await window.wellAs('new-key');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('dialog .secret').textContent()) ?? '';
    expect(secret).toMatch(/^tscope_live_/);
    await page.getByText('It works: sees Contoso Ltd').waitFor();
    for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
    await page.mouse.click(5, 5);
    expect(await page.locator('dialog .secret').isVisible(), 'Esc and a press outside do nothing').toBe(true);
    await window.wellAs('secret');
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
    expect(await asks(secret)).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.panel-side').getByRole('heading', { name: 'Splunk bridge' }).waitFor();

    const { rows } = await on.product.superuser.query('select 1 from control.api_key where secret_sha256 = $1', [
      hashSecret(secret),
    ]);
    expect(rows).toHaveLength(1);
    const kept = await page.evaluate(
      'JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, history.state, location.href])',
    );
    expect(kept).not.toContain(secret);
    await window.go('/audit');
    await page.getByText(/created key «Splunk bridge»/).waitFor();
    expect(await page.content()).not.toContain(secret);
    await window.wellAs('audit-of-a-key');
  });

  test('a filter finds a key by its letters, in the address; nothing found says so', async () => {
    const { id } = await on.key('Sentinel poller');
    const { rows } = await on.product.superuser.query('select display from control.api_key where id = $1', [id]);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.locator('main table').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(rows[0].display);
    await page.waitForURL(/filter=/);
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.reload();
    await page.getByRole('button', { name: 'Sentinel poller' }).waitFor();
    await page.getByRole('searchbox').fill('nobody has this');
    await page.getByText('No key matches.').waitFor();
    await window.wellAs('keys-none');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.locator('main table').waitFor();
  });

  test('rotating shows the traffic of both keys until the old one is silent', async () => {
    const old = await on.key('Rotated poller');
    await use(old.id, 120, 1);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/keys?key=${old.id}`);
    await page.locator('.panel-side').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('heading', { name: 'Replace «Rotated poller»' }).waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    const card = page.getByRole('region', { name: 'Rotation' });
    await card.getByText('The new key has not been used yet.').waitFor();
    const fresh = new URL(page.url()).searchParams.get('key') ?? '';
    expect(fresh).not.toBe(old.id);
    await use(fresh, 7, 0);
    await card.getByText('The old key is still in use').waitFor();
    await window.wellAs('rotation');
    await on.product.superuser.query(
      `update control.api_key_usage_hour set at = at - interval '30 hours' where key_id = $1`,
      [old.id],
    );
    await card.getByText('It is safe to revoke it.').waitFor();
  });

  test('revoking a key in use asks for its first letters; the next request is refused, without asking who it is', async () => {
    const { id, secret } = await on.key('Old poller');
    await use(id, 42, 0);
    expect(await asks(secret)).toBe(200);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/keys?key=${id}`);
    await page.getByRole('button', { name: 'Revoke…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/4[23] requests in the last two days/).waitFor();
    const revoke = dialog.getByRole('button', { name: 'Revoke', exact: true });
    expect(await revoke.isDisabled()).toBe(true);
    await window.wellAs('revoke');
    const letters = (await dialog.locator('code').first().textContent())?.replace('tscope_live_', '').slice(0, 4) ?? '';
    await dialog.getByRole('textbox').fill(letters);
    await revoke.click();
    await dialog.getByText(/Revoked .* The next request gets 401/).waitFor();
    expect(await asks(secret)).toBe(401);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await window.go('/keys?view=ended');
    await page.getByRole('button', { name: 'Old poller' }).waitFor();
    await window.wellAs('keys-ended');
  });

  test('a session that ends elsewhere asks who it is over the screen, which stays', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys?filter=Sentinel');
    await page.locator('main table').waitFor();
    await on.product.superuser.query('update control.console_session set ended_at = clock_timestamp()');
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ timeout: 20_000 });
    await window.wellAs('session-ended');
    await page.getByRole('button', { name: 'Open the demo' }).click();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('searchbox').inputValue()).toBe('Sentinel');
  });

  test('a key of the whole organization asks again who it is', async () => {
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
    await page.getByLabel('Reads').selectOption({ label: 'Whole organization' });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Confirm that it is you' }).click();
    await page.getByRole('button', { name: 'Yes, it is me' }).click();
    await page.locator('dialog .secret').waitFor();
    await page.getByText('X-Tenant-Id').first().waitFor({ state: 'attached' });
  });

  test('the longest life of a key is set for the organization, and the dialog of a new key keeps to it', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/people');
    await page.getByRole('button', { name: 'Open the demo' }).click();
    await page.getByLabel('Longest life of a key').selectOption('90');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Saved \d\d:\d\d:\d\d/).waitFor();
    await window.wellAs('key-lifetime');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByText('This organization allows 90 days at most.').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Never' }).count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('Within the limit');
    await page.getByRole('button', { name: '90 days' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.locator('dialog .secret').waitFor();
    await on.product.superuser.query('update control.organization set key_lifetime_days = null');
  });

  test('whoever makes a key by keyboard alone is led back to where it began', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('button', { name: 'New key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New key');
    const secret = await create(window, 'By keyboard');
    expect(await asks(secret)).toBe(200);
  });
});
