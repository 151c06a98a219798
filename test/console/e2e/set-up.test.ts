import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';
import { TOTP } from 'otpauth';
import type { Locator } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';
import { giveDevice } from './virtual-authenticator.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();
const password = 'a long enough password';
const tool = join(checkout, 'apps', 'cli', 'bin', 'tenantscope.mjs');

describe.skipIf(chromium === null)('the first administrator in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** What whoever may run commands on the host is shown, and follows. */
  async function linkOfHost(): Promise<string> {
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

  /** Ten codes, each once; they are shown until somebody says that they are kept. */
  async function keepCodes(window: Window, name: string): Promise<string[]> {
    const { page } = window;
    await page.getByText('Recovery codes, shown only once.').waitFor();
    const codes = await page.locator('.codes code').allTextContents();
    expect(new Set(codes).size).toBe(10);
    await window.wellAs(`recovery-codes-${name}`);
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

  test('by the link of the host, with a passkey, in well under a minute; afterwards the passkey alone signs in', async () => {
    await using window = await on.open(null);
    const { page } = window;
    const device = await giveDevice(page);
    const begunMs = performance.now();
    await window.go(await linkOfHost());
    expect(page.url(), 'the token leaves the address').toMatch(/\/set-up$/);
    expect(await page.getByLabel('Set-up token').isVisible(), 'nothing to do about the token').toBe(false);
    await page.getByLabel('Your name').fill('Ada Nowak');
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByRole('button', { name: 'Passkey', pressed: true }).waitFor();
    await window.wellAs('set-up-passkey');
    await page.getByRole('button', { name: 'Create account with a passkey' }).click();
    await keepCodes(window, 'passkey');
    expect(performance.now() - begunMs).toBeLessThan(60_000);
    expect(await device.passkeys()).toBe(1);
    await signOut(window);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('All feeds are settled').waitFor();
    await window.wellAs('set-up-passkey-in');
  });

  test('with an authenticator; a recovery code is as good as its code, once', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go(await linkOfHost());
    await page.getByLabel('Your name').fill('Maria Nowak');
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByRole('button', { name: 'Authenticator app' }).click();
    const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(await page.getByRole('link', { name: 'Open in an authenticator' }).getAttribute('href')).toContain(
      `otpauth://totp/Tenantscope%3AMaria%20Nowak?secret=${secret}`,
    );
    expect(await scanned(page.getByRole('img', { name: 'QR code for' }))).toBe(
      await page.getByRole('link', { name: 'Open in an authenticator' }).getAttribute('href'),
    );
    await page.getByLabel('Code from the app').fill('000000');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('not the one your authenticator shows').waitFor();
    await window.wellAs('set-up-authenticator');
    await page.getByLabel('Code from the app').fill(new TOTP({ secret }).generate());
    await page.getByRole('button', { name: 'Create account' }).click();
    const [code = ''] = await keepCodes(window, 'authenticator');

    await signOut(window);
    const fill = async (word: string, second: string) => {
      await page.getByLabel('Password').fill(word);
      await page.getByLabel(/authenticator/).fill(second);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await page.getByText('Use a local account').click();
    await page.getByLabel('Name').fill('maria nowak');
    await fill(`not ${password}`, code);
    await page.getByText('Name, password or code is wrong.').waitFor();
    await window.wellAs('sign-in-refused');
    await fill(password, code);
    await page.getByText('All feeds are settled').waitFor();
    await signOut(window);
    await page.getByText('Use a local account').click();
    await page.getByLabel('Name').fill('Maria Nowak');
    await fill(password, code);
    await page.getByText('Name, password or code is wrong.').waitFor();
    await window.wellAs('sign-in-code-spent');
  });

  test('a used set-up link creates no account and explains what to do', async () => {
    const link = await linkOfHost();
    const token = link.split('#')[1];
    await on.product.superuser.query('update control.set_up_token set used_at = clock_timestamp()');
    await using window = await on.open(null);
    const { page } = window;
    await window.go(`/set-up#${token}`);
    await page.getByLabel('Your name').fill('Cyril');
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByRole('button', { name: 'Authenticator app' }).click();
    const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('Code from the app').fill(new TOTP({ secret }).generate());
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('unknown, used or too old. Make another on the host').waitFor();
    await window.wellAs('set-up-used');
  });

  test('a cancelled passkey is reported, and the set-up can be continued', async () => {
    await using window = await on.open(null, { language: 'pl', width: 390, height: 844 });
    const { page } = window;
    const device = await giveDevice(page);
    await device.attend(false);
    await window.go(await linkOfHost());
    await page.getByLabel('Imię i nazwisko').fill('Dana');
    await page.getByLabel('Hasło (co najmniej 12 znaków)').fill(password);
    await page.getByRole('button', { name: 'Utwórz konto z kluczem dostępu' }).click();
    await page.getByText('Nie użyto klucza dostępu').waitFor();
    await window.wellAs('set-up-cancelled-390-pl');
    await device.attend(true);
    await page.getByRole('button', { name: 'Utwórz konto z kluczem dostępu' }).click();
    await page.getByText('Kody odzyskiwania, wyświetlane tylko raz.').waitFor();
    await window.wellAs('recovery-codes-390-pl');
  });
});

/** What a camera would read. */
async function scanned(square: Locator): Promise<string> {
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
