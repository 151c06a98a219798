import { TOTP } from 'otpauth';
import { chromium as engine } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';
import { openWindow, type Window, type WindowOptions } from './window.ts';

const chromium = await findChromium();
const password = 'a long enough password';
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

describe.skipIf(chromium === null)('signing in and out, in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  const sql = (text: string, values: unknown[] = []) => on.product.superuser.query(text, values);
  beforeAll(async () => {
    on = await stage(chromium ?? '');
    // People with a password and an authenticator.
    for (const name of ['Ada Nowak', 'Beda']) {
      const answer = await fetch(`${on.origin}/console/api/set-up`, {
        method: 'POST',
        headers: { Origin: on.origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
        body: JSON.stringify({
          token: await on.setUpToken(),
          name,
          password,
          totp: { secret, code: new TOTP({ secret }).generate() },
        }),
      });
      expect(answer.status).toBe(200);
    }
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await sql('delete from control.sign_in_failure');
    // An authenticator's next time has begun.
    await sql(`update control.member_credential set facts = '{}' where kind = 'totp'`);
  });

  const goIdle = () => sql(`update control.console_session set seen_at = seen_at - interval '31 minutes'`);
  const within = (window: Window) => ({
    demo: () => window.page.getByRole('button', { name: 'Open the demo' }).click(),
    async local(name = 'Ada Nowak', word = password) {
      await window.page.getByText('Use a local account').click();
      await this.again(name, word);
    },
    async again(name = 'Ada Nowak', word = password) {
      await window.page.getByLabel('Name', { exact: true }).last().fill(name);
      await window.page.getByLabel('Password').fill(word);
      await window.page.getByLabel(/authenticator/).fill(new TOTP({ secret }).generate());
      await window.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    },
    async signOut() {
      await window.page.locator('[popovertarget=user-menu]').click();
      await window.page.getByRole('button', { name: 'Sign out' }).click();
      await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    },
  });

  const looks: [string, WindowOptions][] = [
    ['light', {}],
    ['dark', { theme: 'dark' }],
    ['390-pl', { language: 'pl', width: 390, height: 844 }],
    ['1024-dark-pl', { language: 'pl', theme: 'dark', width: 1024, height: 768 }],
  ];
  test.each(looks)('the sign-in page opens without a console message: %s', async (name, options) => {
    await using window = await on.open(null, options);
    const { page } = window;
    const said: string[] = [];
    page.on('console', (message) => void said.push(message.text()));
    await window.go('/keys?view=ended');
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
    await page.getByRole('button').first().waitFor();
    await window.wellAs(`door-${name}`);
    expect(said).toEqual([]);
    await page.locator('summary').click();
    await window.wellAs(`door-open-${name}`);
  });

  test('sign-in returns to the requested page and is not left in the history', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/keys?view=ended');
    await within(window).demo();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(page.url()).toContain('/console/keys?view=ended');
    await page.goto(`${on.origin}/console/sign-in?to=/audit`);
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await window.wellAs('led-on');
  });

  test('a wrong password and an unknown name show the same', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/sign-in');
    await page.getByText('Use a local account').click();
    const shown: string[] = [];
    for (const name of ['Ada Nowak', 'Eve Nowak']) {
      await within(window).again(name, 'not the password');
      await page.getByText('Name, password or code is wrong.').waitFor();
      await expect.poll(() => page.locator('button:disabled').count()).toBe(0);
      // Which request it was differs always.
      shown.push((await page.locator('body').innerHTML()).replaceAll(/<code>[^<]*<\/code>/g, ''));
    }
    expect(shown[0]).toContain('Name, password or code is wrong.');
    expect(shown[1]).toBe(shown[0]);
    await window.wellAs('sign-in-wrong');
  });

  test('after five failed attempts the lock time is shown, and other accounts are not affected', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/sign-in');
    await page.getByText('Use a local account').click();
    for (let n = 0; n < 5; n += 1) {
      await within(window).again('Eve Nowak', 'not the password');
      await expect.poll(async () => (await sql('select from control.sign_in_failure')).rowCount).toBe((n + 1) * 2);
    }
    await within(window).again('Eve Nowak', 'not the password');
    await page.getByText(/Too many tries. Try again in 15 minutes, at \d\d:\d\d UTC./).waitFor();
    await window.wellAs('sign-in-too-many');
    await within(window).again();
    await page.getByText('All feeds are settled').waitFor();
    await window.wellAs('sign-in-other-account');
  });

  test('after 30 minutes the screen stays, with what was typed, and one goes on by a local account', async () => {
    await using window = await on.open(null, { endsSession: true });
    const { page } = window;
    await window.go('/keys');
    await within(window).local();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('half a na');
    await goIdle();
    await page.getByText('Your session has expired. Your work on this page is preserved.').waitFor();
    // What was being typed when it came does not press the way out.
    await page.locator(':focus', { hasText: 'Sign in with a passkey' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await page.getByText('Your session has expired.').isVisible(), 'there is no way around').toBe(true);
    await window.wellAs('idle');
    // Nothing is asked in vain while nobody is in.
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.waitForTimeout(4_500);
    expect(asked).toEqual([]);
    expect(await page.getByRole('button', { name: 'Open the demo' }).count(), 'ways of others').toBe(0);
    await sql(`update control.member_credential set facts = '{}' where kind = 'totp'`);
    await within(window).again();
    await page.getByText('Your session has expired.').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('half a na');
    await page.locator('.settled .status-good').waitFor();
    await window.wellAs('idle-over');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.locator('dialog .secret').waitFor();
    await window.wellAs('idle-key-made');
  });

  test('the demo goes on by its click, and other windows of the browser with it', async () => {
    await using window = await on.open(null, { endsSession: true });
    const { page, context } = window;
    await window.go('/audit');
    await within(window).demo();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${on.origin}/console/feeds`);
    await other.getByText('All feeds are settled').waitFor();
    await goIdle();
    for (const one of [page, other]) await one.getByText('Your session has expired.').waitFor();
    await within(window).demo();
    for (const one of [page, other]) {
      await one.getByText('Your session has expired.').waitFor({ state: 'hidden' });
      await one.locator('.settled .status-good').waitFor();
    }
    await window.wellAs('idle-demo');
  });

  test('an open form of one member is not shown to the next member who signs in', async () => {
    for (const next of ['Beda', null]) {
      await using window = await on.open(null, { endsSession: true });
      const { page } = window;
      await sql(`update control.member_credential set facts = '{}' where kind = 'totp'`);
      await window.go('/keys');
      await within(window).local();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name', { exact: true }).fill('not for others');
      await goIdle();
      await page.getByText('Your session has expired.').waitFor();
      if (next === null) {
        await page.getByRole('button', { name: 'Not Ada Nowak? Sign in as someone else' }).click();
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      } else {
        await within(window).again(next);
        await page.locator('[popovertarget=user-menu]', { hasText: next }).waitFor();
        await page.getByRole('heading', { name: 'API keys' }).waitFor();
      }
      expect(await page.locator('dialog').count()).toBe(0);
      await window.wellAs(`idle-somebody-${next === null ? 'else' : 'other'}`);
    }
  });

  test('an idle screen marks its requests and does not extend its session', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await page.clock.install();
    await window.go('/feeds');
    await within(window).demo();
    await page.getByText('All feeds are settled').waitFor();
    const asked: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/settled')) asked.push(request.headers()['x-user-inactive']);
    });
    await page.clock.runFor(5_000);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set([undefined]));
    await page.clock.fastForward(61_000);
    asked.length = 0;
    await page.clock.runFor(5_000);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set(['1']));
    await page.mouse.move(40, 40);
    asked.length = 0;
    await page.clock.runFor(5_000);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set([undefined]));
    await window.wellAs('attended');
  });

  test('a session that is ended elsewhere is over at the next click, with all that it showed', async () => {
    await using here = await on.open(null, { endsSession: true });
    await using there = await on.open(null);
    await here.go('/keys');
    await within(here).demo();
    await there.go('/members');
    await within(there).demo();
    await here.page.getByRole('heading', { name: 'API keys' }).waitFor();
    await there.page.getByRole('button', { name: 'End session', exact: true }).first().click();
    await expect
      .poll(
        async () =>
          (
            await sql(
              "select from control.console_session where ended_at is null and seen_at > now() - interval '30 minutes'",
            )
          ).rowCount,
      )
      .toBeGreaterThan(0);
    await here.page
      .getByRole('link', { name: 'Audit log' })
      .click()
      .catch(() => {});
    await here.page.getByText('Your session was ended.').waitFor();
    expect(await here.page.locator('table').count()).toBe(0);
    await here.wellAs('ended-elsewhere');
    await there.wellAs('ended-another');
    await here.page.goBack();
    await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await here.page.locator('table').count()).toBe(0);
  });

  test('a failed sign-out is reported, and the screen stays', async () => {
    await using window = await on.open(null, { meetsOutages: true });
    const { page } = window;
    await window.go('/feeds');
    await within(window).demo();
    await page.getByText('All feeds are settled').waitFor();
    await page.route('**/console/api/sign-out', (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: 'SERVICE_UNAVAILABLE', message: 'Cannot reach the database.' } },
      }),
    );
    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Cannot reach the database.').waitFor();
    await page.getByText('Sign-out failed. You are still signed in.').waitFor();
    await page.keyboard.press('Escape');
    await window.wellAs('not-signed-out');
    await page.unroute('**/console/api/sign-out');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  describe('after signing out', () => {
    // As people have it: with pages that are kept for the Back button, which drivers of browsers switch off.
    async function openKeeping() {
      const browser = await engine.launch({
        executablePath: chromium ?? '',
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      });
      const window = await openWindow(browser, on.origin, null, { endsSession: true });
      return Object.assign(window, { [Symbol.asyncDispose]: () => browser.close() });
    }
    const isEmpty = async (page: Window['page']) => {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.locator('table, .rail').count()).toBe(0);
      expect(await page.content()).not.toContain('Splunk bridge');
    };

    test('Back and Forward show nothing, through screens and pages', async () => {
      await on.key('Splunk bridge');
      await using window = await openKeeping();
      const { page } = window;
      await window.go('/keys');
      await within(window).demo();
      await page.getByText('Splunk bridge').first().waitFor();
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      // Out of the console and in again: the first page is one that the browser may keep.
      await page.goto('about:blank');
      await window.go('/keys');
      await page.getByText('Splunk bridge').first().waitFor();
      await within(window).signOut();
      await window.wellAs('signed-out');
      for (let n = 0; n < 3; n += 1) {
        await page.goBack();
        if (page.url() !== 'about:blank') await isEmpty(page);
      }
      for (let n = 0; n < 3; n += 1) {
        await page.goForward();
        if (page.url() !== 'about:blank') await isEmpty(page);
      }
    });

    test('other windows show nothing either, at once, and their Back neither', async () => {
      await using window = await openKeeping();
      const { page, context } = window;
      await window.go('/keys');
      await within(window).demo();
      await page.getByText('Splunk bridge').first().waitFor();
      const other = await context.newPage();
      await other.goto(`${on.origin}/console/keys`);
      await other.getByText('Splunk bridge').first().waitFor();
      await other.getByRole('button', { name: 'New key' }).click();
      const away = await context.newPage();
      await away.goto(`${on.origin}/console/keys`);
      await away.getByText('Splunk bridge').first().waitFor();
      await away.goto(`${on.product.baseUrl}/openapi.json`);
      await within(window).signOut();
      await isEmpty(other);
      await other.goBack().catch(() => null);
      await away.goBack();
      await isEmpty(away);
      await window.wellAs('signed-out-everywhere');
    });
  });
});
