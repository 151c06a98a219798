import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';
import { TOTP } from 'otpauth';
import type { Locator } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import { addVirtualAuthenticator } from './virtual-authenticator.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();
const password = 'a long enough password';
const tool = join(checkout, 'apps', 'cli', 'bin', 'tenantscope.mjs');

describe.skipIf(chromium === null)('set-up of an account in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** Creates a set-up link with the command line on the host, and returns its path. */
  async function createSetUpLink(): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [tool, 'console', 'set-up'], {
      cwd: checkout,
      env: {
        ...process.env,
        TENANTSCOPE_ADMIN_DATABASE_URL: on.product.database.roles.admin,
        TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: on.product.database.roles.admin,
        TENANTSCOPE_CONSOLE_URL: on.origin,
      },
    });
    const [link = ''] = /http\S+/.exec(stdout) ?? [];
    expect(stdout).toContain('The token is valid for one account and 15 minutes.');
    return link.slice(`${on.origin}/console`.length);
  }

  /** Ten different codes, shown until the member confirms that they are stored. */
  async function storeRecoveryCodes(window: Window, name: string): Promise<string[]> {
    const { page } = window;
    await page.getByText('Recovery codes, shown only once.').waitFor();
    const codes = await page.locator('.codes code').allTextContents();
    expect(new Set(codes).size).toBe(10);
    await window.checkScreen(`recovery-codes-${name}`);
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('All feeds are settled').waitFor();
    for (const code of codes) expect(await page.content()).not.toContain(code);
    return codes;
  }

  const signOut = async ({ page }: Window) => {
    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };

  test('the set-up link creates an account with a passkey in under a minute, and the passkey alone signs in afterwards', async () => {
    await using window = await on.open(null);
    const { page } = window;
    const device = await addVirtualAuthenticator(page);
    const begunMs = performance.now();
    await window.go(await createSetUpLink());
    expect(page.url(), 'the token leaves the address').toMatch(/\/set-up$/);
    expect(await page.getByLabel('Set-up token').isVisible(), 'the token need not be entered').toBe(false);
    await page.getByText('This link creates one account of Larkspur Group. Role: Administrator.').waitFor();
    await page.getByLabel('Your name').fill('Ada Nowak');
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByRole('button', { name: 'Passkey', pressed: true }).waitFor();
    await window.checkScreen('set-up-passkey');
    await page.getByRole('button', { name: 'Create account with a passkey' }).click();
    await storeRecoveryCodes(window, 'passkey');
    expect(performance.now() - begunMs).toBeLessThan(60_000);
    expect(await device.countPasskeys()).toBe(1);
    await signOut(window);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('All feeds are settled').waitFor();
    await window.checkScreen('set-up-passkey-in');
  });

  test('the set-up creates an account with an authenticator, and a recovery code replaces its code once', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go(await createSetUpLink());
    await page.getByLabel('Your name').fill('Maria Nowak');
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByRole('button', { name: 'Authenticator app' }).click();
    const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(await page.getByRole('link', { name: 'Open in an authenticator' }).getAttribute('href')).toContain(
      `otpauth://totp/Tenantscope%3AMaria%20Nowak?secret=${secret}`,
    );
    expect(await decodeQrCode(page.getByRole('img', { name: 'QR code for' }))).toBe(
      await page.getByRole('link', { name: 'Open in an authenticator' }).getAttribute('href'),
    );
    await page.getByLabel('Code from the app').fill('000000');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The authenticator code is wrong. Enter the current one.').waitFor();
    await window.checkScreen('set-up-authenticator');
    await page.getByLabel('Code from the app').fill(new TOTP({ secret }).generate());
    await page.getByRole('button', { name: 'Create account' }).click();
    const [code = ''] = await storeRecoveryCodes(window, 'authenticator');

    await signOut(window);
    const fill = async (word: string, second: string) => {
      await page.getByLabel('Password').fill(word);
      await page.getByLabel('Authenticator code or recovery code').fill(second);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await page.getByText('Use a local account').click();
    await page.getByLabel('Name').fill('maria nowak');
    await fill(`not ${password}`, code);
    await page.getByText('Name, password or code is wrong.').waitFor();
    await window.checkScreen('sign-in-refused');
    await fill(password, code);
    await page.getByText('All feeds are settled').waitFor();
    await signOut(window);
    await page.getByText('Use a local account').click();
    await page.getByLabel('Name').fill('Maria Nowak');
    await fill(password, code);
    await page.getByText('Name, password or code is wrong.').waitFor();
    await window.checkScreen('sign-in-code-spent');
  });

  test('a link that can no longer be used shows the reason when it is opened, instead of the form', async () => {
    await using window = await on.open(null);
    await using polish = await on.open(null, { language: 'pl', width: 390, height: 844 });
    const states: [string, string, string][] = [
      ['used_at = clock_timestamp()', 'This link has already been used', 'Ten link został już użyty'],
      ['revoked_at = clock_timestamp()', 'This link was revoked', 'Ten link został unieważniony'],
      ['expires_at = clock_timestamp()', 'This link has expired', 'Ten link wygasł'],
    ];
    for (const [change, english, inPolish] of states) {
      const token = await on.createSetUpToken();
      await on.product.superuser.query(
        `update control.set_up_token set ${change} where used_at is null and revoked_at is null and expires_at > clock_timestamp()`,
      );
      for (const [{ page, go }, text] of [
        [window, english],
        [polish, inPolish],
      ] as const) {
        await page.goto('about:blank');
        await go(`/set-up#${token}`);
        await page.getByRole('heading', { name: text }).waitFor();
        expect(await page.locator('form').count()).toBe(0);
      }
    }
    await window.checkScreen('set-up-expired');
    await polish.checkScreen('set-up-expired-390-pl');
  });

  test('a cancelled passkey is reported, and the set-up can be continued', async () => {
    await using window = await on.open(null, { language: 'pl', width: 390, height: 844 });
    const { page } = window;
    const device = await addVirtualAuthenticator(page);
    await device.setUserPresent(false);
    await window.go(await createSetUpLink());
    await page.getByLabel('Imię i nazwisko').fill('Dana');
    await page.getByLabel('Hasło (co najmniej 12 znaków)').fill(password);
    await page.getByRole('button', { name: 'Utwórz konto z kluczem dostępu' }).click();
    await page.getByText('Nie użyto klucza dostępu').waitFor();
    await window.checkScreen('set-up-cancelled-390-pl');
    await device.setUserPresent(true);
    await page.getByRole('button', { name: 'Utwórz konto z kluczem dostępu' }).click();
    await page.getByText('Kody odzyskiwania, wyświetlane tylko raz.').waitFor();
    await window.checkScreen('recovery-codes-390-pl');
  });
});

/** The text that a camera reads from the QR code. */
async function decodeQrCode(square: Locator): Promise<string> {
  const size = Number((await square.getAttribute('viewBox'))?.split(' ')[2]);
  const path = (await square.locator('path').getAttribute('d')) ?? '';
  const scale = 4;
  const width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let at = 0; at < scale * scale; at += 1) {
      const row = Number(y) * scale + Math.floor(at / scale);
      const column = Number(x) * scale + (at % scale);
      data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
    }
  return decodeQR({ width, height: width, data });
}
