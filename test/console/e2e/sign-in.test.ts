import { TOTP } from 'otpauth';
import { chromium as engine } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import { openWindow, type Window, type WindowOptions } from './window.ts';

const chromium = await findChromium();
const password = 'a long enough password';
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

describe.skipIf(chromium === null)('sign-in and sign-out in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  const sql = (text: string, values: unknown[] = []) => on.product.superuser.query(text, values);
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
    // Two accounts with a password and an authenticator.
    for (const name of ['Ada Nowak', 'Beda']) {
      const response = await fetch(`${on.origin}/console/api/set-up`, {
        method: 'POST',
        headers: { Origin: on.origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
        body: JSON.stringify({
          token: await on.createSetUpToken(),
          name,
          password,
          totp: { secret, code: new TOTP({ secret }).generate() },
        }),
      });
      expect(response.status).toBe(200);
    }
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await sql('delete from control.sign_in_failure');
    // Allows the current authenticator code to be used again.
    await sql(`update control.member_credential set facts = '{}' where kind = 'totp'`);
  });

  const expireSessions = () => sql(`update control.console_session set seen_at = seen_at - interval '31 minutes'`);
  const actionsIn = (window: Window) => ({
    demo: () => window.page.getByRole('button', { name: 'Open the demo' }).click(),
    async local(name = 'Ada Nowak', word = password) {
      await window.page.getByText('Use a local account').click();
      await this.again(name, word);
    },
    async again(name = 'Ada Nowak', word = password) {
      await window.page.getByLabel('Name', { exact: true }).last().fill(name);
      await window.page.getByLabel('Password').fill(word);
      await window.page.getByLabel('Authenticator code or recovery code').fill(new TOTP({ secret }).generate());
      await window.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    },
    async signOut() {
      await window.page.locator('[popovertarget=user-menu]').click();
      await window.page.getByRole('button', { name: 'Sign out' }).click();
      await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    },
  });

  test('password fields are masked, accept pasted text, and name their content for password managers', async () => {
    await using window = await on.open(null);
    const { page } = window;
    const checkPassword = async (autocomplete: string) => {
      const field = page.locator(`input[name=password][autocomplete=${autocomplete}]`);
      await field.waitFor();
      expect(await field.getAttribute('type')).toBe('password');
      // Password managers read the name from the document, where a screen needs no field for it.
      await page.locator('input[autocomplete=username]').waitFor({ state: 'attached' });
      // False where a listener prevents it.
      const isPasted = await page.evaluate(
        `document.querySelector('input[name=password]').dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true }))`,
      );
      expect(isPasted).toBe(true);
    };
    await window.go('/sign-in');
    await page.getByText('Use a local account').click();
    await checkPassword('current-password');
    await window.go(`/set-up#${await on.createSetUpToken()}`);
    await checkPassword('new-password');
  });

  const appearances: [string, WindowOptions][] = [
    ['light', {}],
    ['dark', { theme: 'dark' }],
    ['390-pl', { language: 'pl', width: 390, height: 844 }],
    ['1024-dark-pl', { language: 'pl', theme: 'dark', width: 1024, height: 768 }],
  ];
  test.each(appearances)('the sign-in page opens without a console message: %s', async (name, options) => {
    await using window = await on.open(null, options);
    const { page } = window;
    const messages: string[] = [];
    page.on('console', (message) => void messages.push(message.text()));
    await window.go('/keys?view=ended');
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
    await page.getByRole('button').first().waitFor();
    await window.checkScreen(`sign-in-${name}`);
    expect(messages).toEqual([]);
    await page.locator('summary').click();
    await window.checkScreen(`sign-in-open-${name}`);
  });

  test('sign-in returns to the requested page and is not left in the history', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/keys?view=ended');
    await actionsIn(window).demo();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(page.url()).toContain('/console/keys?view=ended');
    await page.goto(`${on.origin}/console/sign-in?to=/audit`);
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await window.checkScreen('sign-in-redirect');
  });

  test('a wrong password and an unknown name show the same error', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/sign-in');
    await page.getByText('Use a local account').click();
    const shown: string[] = [];
    for (const name of ['Ada Nowak', 'Eve Nowak']) {
      await actionsIn(window).again(name, 'not the password');
      await page.getByText('Name, password or code is wrong.').waitFor();
      await expect.poll(() => page.locator('button:disabled').count()).toBe(0);
      // The request ID always differs.
      shown.push((await page.locator('body').innerHTML()).replaceAll(/<code>[^<]*<\/code>/g, ''));
    }
    expect(shown[0]).toContain('Name, password or code is wrong.');
    expect(shown[1]).toBe(shown[0]);
    await window.checkScreen('sign-in-wrong');
  });

  test('after five failed attempts the lock time is shown, and other accounts are not affected', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/sign-in');
    await page.getByText('Use a local account').click();
    for (let n = 0; n < 5; n += 1) {
      await actionsIn(window).again('Eve Nowak', 'not the password');
      await expect.poll(async () => (await sql('select from control.sign_in_failure')).rowCount).toBe((n + 1) * 3);
    }
    await actionsIn(window).again('Eve Nowak', 'not the password');
    await page.getByText(/Too many failed attempts. Try again in 15 minutes, at \d\d:\d\d UTC./).waitFor();
    await window.checkScreen('sign-in-too-many');
    await actionsIn(window).again();
    await page.getByText('All feeds are settled').waitFor();
    await window.checkScreen('sign-in-other-account');
  });

  test('after 30 minutes the screen and its form are preserved, and a local sign-in resumes them', async () => {
    await using window = await on.open(null, { endsSession: true });
    const { page } = window;
    await window.go('/keys');
    await actionsIn(window).local();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('half a na');
    await expireSessions();
    await page.getByText('Your session has expired. Your work on this page is preserved.').waitFor();
    // Keys typed when the dialog opens do not activate another button.
    await page.locator(':focus', { hasText: 'Sign in with a passkey' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await page.getByText('Your session has expired.').isVisible(), 'the dialog cannot be dismissed').toBe(true);
    await window.checkScreen('idle');
    // No requests are sent without a session.
    const requests: string[] = [];
    page.on('request', (request) => void requests.push(request.url()));
    await page.waitForTimeout(4_500);
    // Screens are loaded ahead, later on a busy machine.
    expect(requests.filter((url) => !url.includes('/console/assets/'))).toEqual([]);
    expect(await page.getByRole('button', { name: 'Open the demo' }).count(), 'sign-in methods of other accounts').toBe(
      0,
    );
    await sql(`update control.member_credential set facts = '{}' where kind = 'totp'`);
    await actionsIn(window).again();
    await page.getByText('Your session has expired.').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('half a na');
    await page.locator('.settled .status-good').waitFor();
    await window.checkScreen('idle-over');
    await page.getByLabel('Access').selectOption({ label: 'Contoso Ltd' });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.locator('dialog .secret').waitFor();
    await window.checkScreen('idle-key-made');
  });

  test('a click resumes the demo session, in the other windows of the browser too', async () => {
    await using window = await on.open(null, { endsSession: true });
    const { page, context } = window;
    await window.go('/audit');
    await actionsIn(window).demo();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${on.origin}/console/feeds`);
    await other.getByText('All feeds are settled').waitFor();
    await expireSessions();
    for (const one of [page, other]) await one.getByText('Your session has expired.').waitFor();
    await actionsIn(window).demo();
    for (const one of [page, other]) {
      await one.getByText('Your session has expired.').waitFor({ state: 'hidden' });
      await one.locator('.settled .status-good').waitFor();
    }
    await window.checkScreen('idle-demo');
  });

  test('an open form of one member is not shown to the next member who signs in', async () => {
    for (const next of ['Beda', null]) {
      await using window = await on.open(null, { endsSession: true });
      const { page } = window;
      await sql(`update control.member_credential set facts = '{}' where kind = 'totp'`);
      await window.go('/keys');
      await actionsIn(window).local();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name', { exact: true }).fill('not for others');
      await expireSessions();
      await page.getByText('Your session has expired.').waitFor();
      if (next === null) {
        await page.getByRole('button', { name: 'Not Ada Nowak? Sign in as someone else' }).click();
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      } else {
        await actionsIn(window).again(next);
        await page.locator('[popovertarget=user-menu]', { hasText: next }).waitFor();
        await page.getByRole('heading', { name: 'API keys' }).waitFor();
      }
      await page.locator('dialog').waitFor({ state: 'detached' });
      await window.checkScreen(`idle-another-member-${next === null ? 'chosen' : 'signed-in'}`);
    }
  });

  test('an idle screen marks its requests and does not extend its session', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await page.clock.install();
    await window.go('/feeds');
    await actionsIn(window).demo();
    await page.getByText('All feeds are settled').waitFor();
    const requests: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/settled')) requests.push(request.headers()['x-user-inactive']);
    });
    await page.clock.runFor(5_000);
    await expect.poll(() => requests.length).toBeGreaterThan(0);
    expect(new Set(requests)).toEqual(new Set([undefined]));
    await page.clock.fastForward(61_000);
    requests.length = 0;
    await page.clock.runFor(5_000);
    await expect.poll(() => requests.length).toBeGreaterThan(0);
    expect(new Set(requests)).toEqual(new Set(['1']));
    await page.mouse.move(40, 40);
    requests.length = 0;
    await page.clock.runFor(5_000);
    await expect.poll(() => requests.length).toBeGreaterThan(0);
    expect(new Set(requests)).toEqual(new Set([undefined]));
    await window.checkScreen('attended');
  });

  test('a session ended elsewhere is over at the next click, and its data is removed from the page', async () => {
    await using here = await on.open(null, { endsSession: true });
    await using there = await on.open(null);
    await here.go('/audit');
    await actionsIn(here).demo();
    await here.page.getByRole('heading', { name: 'Audit log' }).waitFor();
    // The screen of the end is replaced, by the click or by a poll before it; back leads to the one before.
    await here.go('/keys');
    await there.go('/members');
    await actionsIn(there).demo();
    await here.page.getByRole('heading', { name: 'API keys' }).waitFor();
    // Sessions of other tests may be listed before it.
    const buttons = there.page.getByRole('button', { name: 'End session', exact: true });
    await buttons.first().waitFor();
    for (let left = await buttons.count(); left > 0; left -= 1) {
      await buttons.first().click();
      await expect.poll(() => buttons.count()).toBe(left - 1);
    }
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
    // A poll of the page may notice the end before the click does, and takes the link away.
    const ended = here.page.getByText('Your session was ended.');
    const click = here.page.getByRole('link', { name: 'Audit log' }).click();
    await Promise.race([ended.waitFor(), click.catch(() => {})]);
    await ended.waitFor();
    expect(await here.page.locator('table').count()).toBe(0);
    await here.checkScreen('ended-elsewhere');
    await there.checkScreen('ended-another');
    await here.page.goBack();
    await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await here.page.locator('table').count()).toBe(0);
  });

  test('a refused change clears the page of a session that was ended, also before any poll is refused', async () => {
    await using window = await on.open('admin', { endsSession: true });
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Refused');
    await page.getByLabel('Access').selectOption({ label: 'Contoso Ltd' });
    // Polls are not answered from now on.
    await page.route(/\/console\/api\/(settled|keys\?|me$)/, () => {});
    await sql('update control.console_session set ended_at = clock_timestamp()');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Your session was ended. Sign in to continue.').waitFor();
  });

  test('a disabled account learns that it is disabled', async () => {
    await using window = await on.open(null);
    await sql(`update control.member set disabled_at = clock_timestamp() where name = 'Beda'`);
    await window.go('/sign-in');
    await actionsIn(window).local('Beda');
    const alert = window.page.getByRole('alert');
    await expect
      .poll(() => alert.textContent())
      .toContain('You are not permitted to do this. Your account is disabled. Contact an administrator.');
    await sql('update control.member set disabled_at = null');
  });

  test('a failed sign-out is reported, and the screen stays', async () => {
    await using window = await on.open(null, { expectsOutages: true });
    const { page } = window;
    await window.go('/feeds');
    await actionsIn(window).demo();
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
    await window.checkScreen('not-signed-out');
    await page.unroute('**/console/api/sign-out');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  describe('after signing out', () => {
    // With the back/forward cache, as in a normal browser; browser drivers disable it.
    async function openWithPageCache() {
      const browser = await engine.launch({
        executablePath: chromium ?? '',
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      });
      const window = await openWindow(browser, on.origin, null, { endsSession: true });
      return Object.assign(window, { [Symbol.asyncDispose]: () => browser.close() });
    }
    const expectEmpty = async (page: Window['page']) => {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.locator('table, .rail').count()).toBe(0);
      expect(await page.content()).not.toContain('Splunk bridge');
    };

    test('Back and Forward show no data, across screens and pages', async () => {
      await on.createKey('Splunk bridge');
      await using window = await openWithPageCache();
      const { page } = window;
      await window.go('/keys');
      await actionsIn(window).demo();
      await page.getByText('Splunk bridge').first().waitFor();
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      // Leaves the console and returns: the browser may cache the first page.
      await page.goto('about:blank');
      await window.go('/keys');
      await page.getByText('Splunk bridge').first().waitFor();
      await actionsIn(window).signOut();
      await window.checkScreen('signed-out');
      for (let n = 0; n < 3; n += 1) {
        await page.goBack();
        if (page.url() !== 'about:blank') await expectEmpty(page);
      }
      for (let n = 0; n < 3; n += 1) {
        await page.goForward();
        if (page.url() !== 'about:blank') await expectEmpty(page);
      }
    });

    test('other windows show no data at once, nor does their Back button', async () => {
      await using window = await openWithPageCache();
      const { page, context } = window;
      await window.go('/keys');
      await actionsIn(window).demo();
      await page.getByText('Splunk bridge').first().waitFor();
      const other = await context.newPage();
      await other.goto(`${on.origin}/console/keys`);
      await other.getByText('Splunk bridge').first().waitFor();
      await other.getByRole('button', { name: 'New key' }).click();
      const away = await context.newPage();
      await away.goto(`${on.origin}/console/keys`);
      await away.getByText('Splunk bridge').first().waitFor();
      await away.goto(`${on.product.baseUrl}/openapi.json`);
      await actionsIn(window).signOut();
      await expectEmpty(other);
      await other.goBack().catch(() => null);
      await away.goBack();
      await expectEmpty(away);
      await window.checkScreen('signed-out-everywhere');
    });
  });
});
