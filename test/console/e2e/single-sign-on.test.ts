import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, startTestProvider, type TestProvider } from '../identity-provider.ts';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import type { Window, WindowOptions } from './window.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('single sign-on in a browser', { tags: ['browser'] }, () => {
  let provider: TestProvider;
  let on: Stage;
  const sql = (text: string) => on.product.superuser.query(text);
  beforeAll(async () => {
    provider = await startTestProvider();
    on = await startStage(chromium ?? '', (organizationId) => ({
      TENANTSCOPE_CONSOLE_OIDC_ISSUER: provider.issuer,
      TENANTSCOPE_CONSOLE_OIDC_CLIENT_ID: 'console',
      TENANTSCOPE_CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
      TENANTSCOPE_CONSOLE_OIDC_NAME: 'Entra ID',
      TENANTSCOPE_CONSOLE_OIDC_ADMIN_GROUPS: 'security-admins',
      TENANTSCOPE_CONSOLE_OIDC_OFFICER_GROUPS: 'compliance',
      TENANTSCOPE_CONSOLE_OIDC_ORGANIZATION: organizationId,
    }));
    provider.register(on.origin);
    await provider.stop();
    await provider.start();
  });
  afterAll(async () => {
    await on?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  /** A window that loads nothing from other hosts: the pages of the test provider request fonts from the internet. */
  async function openOffline(options: WindowOptions = {}): Promise<Window> {
    const window = await on.open(null, options);
    await window.context.route(/^https:/, (route) => route.fulfill({ contentType: 'text/css', body: '' }));
    return window;
  }
  const ada = { sub: 'ada', name: 'Ada Nowak', groups: ['security-admins'] };
  const waitUntilSignedIn = (page: Page) => page.locator('.settled .status-good').waitFor();

  /** Completes the pages of the provider: the account, then the consent. */
  async function completeProviderSignIn(page: Page, account: TestProvider['account'], pages = 2): Promise<void> {
    provider.account = account;
    await page.waitForURL(`${provider.issuer}/**`);
    if (await page.locator('input[name=login]').isVisible()) {
      await page.locator('input[name=login]').fill(account.sub);
      await page.locator('input[name=password]').fill('any');
    }
    for (let n = 0; n < pages; n += 1) await page.locator('button[type=submit]').click();
  }
  async function signIn({ page }: Window, person: TestProvider['account']): Promise<void> {
    await page.getByRole('link', { name: 'Continue with Entra ID' }).click();
    await completeProviderSignIn(page, person);
  }

  test('an unavailable identity provider is reported on redirect and on callback, and sign-in works afterwards', async () => {
    await using window = await openOffline();
    const { page } = window;
    await provider.stop();
    await window.go('/feeds');
    await page.getByRole('link', { name: 'Continue with Entra ID' }).click();
    const silence = page.getByText('The identity provider does not respond. Try again later.');
    await silence.waitFor();
    await window.checkScreen('single-sign-on-away');
    await provider.start();
    let departed = '';
    page.on('request', (request) => {
      if (request.url().startsWith(`${provider.issuer}/auth?`)) departed = request.url();
    });
    await page.getByRole('link', { name: 'Continue with Entra ID' }).click();
    await page.waitForURL(`${provider.issuer}/interaction/**`);
    await provider.stop();
    const state = new URL(departed).searchParams.get('state') ?? '';
    const returned = new URLSearchParams({ state, code: 'as good as any', iss: provider.issuer });
    await page.goto(`${on.origin}/console/auth/callback?${returned}`);
    await silence.waitFor();
    await window.checkScreen('single-sign-on-away-back');
    await provider.start();
    await signIn(window, ada);
    await waitUntilSignedIn(page);
    await window.checkScreen('single-sign-on-back');
  });

  test('the provider button signs in and returns to the requested page, and signing out ends both sessions', async () => {
    await using window = await openOffline();
    const { page, context } = window;
    await window.go('/keys?view=ended');
    await window.checkScreen('single-sign-on-start');
    await signIn(window, ada);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(page.url()).toBe(`${on.origin}/console/keys?view=ended`);
    await page.getByText('Ada Nowak').waitFor();
    await waitUntilSignedIn(page);
    await window.checkScreen('single-sign-on');

    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    expect((await context.cookies(on.origin)).filter(({ name }) => name === 'sid')).toEqual([]);
    await page.getByRole('button', { name: /Yes/ }).click();
    await page.waitForURL(`${on.origin}/console/sign-in**`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await window.checkScreen('single-sign-on-out');
    for (let n = 0; n < 2; n += 1) {
      await page.goBack();
      expect(await page.locator('table, .rail').count(), page.url()).toBe(0);
    }
  });

  test('a group sets the role, and a forbidden screen is reported', async () => {
    await using window = await openOffline();
    const { page } = window;
    await window.go('/keys');
    await signIn(window, { sub: 'olga', name: 'Olga Wiśniewska', groups: ['compliance'] });
    await page.getByText('Compliance officer').waitFor();
    await page.getByText("You don't have access to this page. Contact one of these members").waitFor();
    await window.checkScreen('single-sign-on-officer');
  });

  test('a user without a group sees once which groups to request', async () => {
    await using window = await openOffline();
    const { page } = window;
    await window.go('/audit');
    await signIn(window, { sub: 'gardener', name: 'Gerd', groups: ['gardening'] });
    await page
      .getByText('Your account has no role here. Request membership in one of: security-admins, compliance.')
      .waitFor();
    expect(new URL(page.url()).searchParams.get('to'), 'the requested page is retained').toBe('/audit');
    await window.checkScreen('single-sign-on-no-role');
    await page.reload();
    await page.getByRole('link', { name: 'Continue with Entra ID' }).waitFor();
    expect(await page.getByText('has no role here').count()).toBe(0);
  });

  test('a callback is valid once, and only in the browser that started the sign-in', async () => {
    await using window = await openOffline();
    await using other = await openOffline();
    const { page } = window;
    let back = '';
    page.on('request', (request) => {
      if (request.url().includes('/console/auth/callback')) back = request.url();
    });
    await window.go('/feeds');
    await signIn(window, ada);
    await waitUntilSignedIn(page);
    expect(back).toContain('state=');
    await other.page.goto(back);
    await other.page
      .getByText('This sign-in was started in another browser or window, or too long ago. Start again.')
      .waitFor();
    await other.checkScreen('single-sign-on-elsewhere');
    // A sign-in in progress does not make the callback of another one valid.
    await other.page.getByRole('link', { name: 'Continue with Entra ID' }).click();
    await other.page.waitForURL(`${provider.issuer}/**`);
    await other.page.goto(back);
    await other.page.getByText('This sign-in was started in another browser or window').waitFor();
    await other.checkScreen('single-sign-on-forged');
    expect((await other.context.cookies(on.origin)).filter(({ name }) => name === 'sid')).toEqual([]);
  });

  test('an expired session is resumed in a popup next to the preserved screen', async () => {
    await using window = await openOffline({ endsSession: true });
    const { page, context } = window;
    await window.go('/keys');
    await signIn(window, ada);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('half a na');
    await sql(`update control.console_session set seen_at = seen_at - interval '31 minutes'`);
    await page.getByText('Your session has expired.').waitFor();
    await window.checkScreen('idle-single-sign-on');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Continue with Entra ID' }).click();
    const popup = await opened;
    await popup.waitForURL(/oidc-popup|interaction/).catch(() => {});
    if (!popup.isClosed() && popup.url().startsWith(provider.issuer)) await completeProviderSignIn(popup, ada, 1);
    await page.getByText('Your session has expired.').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('half a na');
    await expect.poll(() => popup.isClosed(), { timeout: 5_000 }).toBe(true);
    await waitUntilSignedIn(page);
    await window.checkScreen('idle-single-sign-on-over');
  });

  test('a sensitive action requires re-authentication at the provider in a popup, and then continues', async () => {
    await using _ = await on.open('viewer');
    await using window = await openOffline();
    const { page, context } = window;
    await window.go('/members');
    await signIn(window, ada);
    await sql(`update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`);
    await page.getByRole('button', { name: 'Edit Victor Hale' }).click();
    await page.getByLabel('Role').selectOption('Compliance officer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: "Confirm it's you" }).waitFor();
    await window.checkScreen('reauthenticate-single-sign-on');
    const openPopup = async () => {
      const opened = context.waitForEvent('page');
      await page.getByRole('link', { name: 'Confirm with the identity provider' }).click();
      return opened;
    };
    // Another account of the provider is rejected.
    const wrong = await openPopup();
    await completeProviderSignIn(wrong, { sub: 'eve', name: 'Eve', groups: ['security-admins'] });
    await wrong.getByText('The identity provider authenticated another account.').waitFor();
    await wrong.close();
    expect(await page.getByText("Confirm it's you").first().isVisible()).toBe(true);

    const right = await openPopup();
    await completeProviderSignIn(right, ada);
    await page.getByRole('row', { name: /Victor Hale.*Compliance officer/ }).waitFor();
    await expect.poll(() => right.isClosed(), { timeout: 5_000 }).toBe(true);
    await window.checkScreen('reauthenticate-single-sign-on-done');
  });
});
