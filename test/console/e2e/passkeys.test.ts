import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';
import { type Device, giveDevice } from './virtual-authenticator.ts';
import type { Window, WindowOptions } from './window.ts';

const chromium = await findChromium();
const password = 'a long enough password';

describe.skipIf(chromium === null)('passkeys in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  const sql = (text: string) => on.product.superuser.query(text);
  beforeAll(async () => {
    on = await stage(chromium ?? '');
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** Somebody whose account was made with a passkey on this device, and a recovery code of theirs. */
  async function withPasskey(
    name: string,
    options: WindowOptions = {},
  ): Promise<{ window: Window; device: Device; code: string }> {
    const window = await on.open(null, options);
    const { page } = window;
    const device = await giveDevice(page);
    await window.go(`/set-up#${await on.setUpToken()}`);
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByLabel('Passkey name').fill('Laptop');
    await page.getByRole('button', { name: 'Create account with a passkey' }).click();
    const code = (await page.locator('.codes code').first().textContent()) ?? '';
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('All feeds are settled').waitFor();
    return { window, device, code };
  }
  const growOld = () =>
    sql(`update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`);
  const confirm = ({ page }: Window) => page.getByRole('button', { name: "Confirm it's you" }).first();

  test('a second passkey is added, signs in and is removed, and the last sign-in method cannot be removed', async () => {
    const { window, device } = await withPasskey('Ada Nowak');
    await using _ = window;
    const { page } = window;
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`passkey ${name}`) });
    await row('Laptop').waitFor();
    await row('Laptop').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Without it you could not sign in any more.').waitFor();
    await window.wellAs('passkey-last');

    // The same device holds one already.
    await page.getByLabel('Passkey name').fill('Again');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await window.wellAs('passkey-known');
    await device.remove();
    const key = await giveDevice(page);
    await page.getByLabel('Passkey name').fill('Security key');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await row('Security key').waitFor();
    expect(await page.getByText('Without it you could not').count(), 'what failed before is over').toBe(0);
    expect(await page.getByLabel('Passkey name').inputValue()).toBe('');
    await window.wellAs('passkey-second');
    await row('Laptop').getByRole('button', { name: 'Remove' }).click();
    await row('Laptop').waitFor({ state: 'detached' });

    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('All feeds are settled').waitFor();
    expect(await key.passkeys()).toBe(1);
    await window.wellAs('passkey-in');
  });

  test('a removed passkey is refused, and a cancelled request is reported', async () => {
    const { window, device } = await withPasskey('Beda');
    await using _ = window;
    const { page } = window;
    await sql(
      `delete from control.member_credential c using control.member p where p.id = c.member_id and p.name = 'Beda' and kind = 'passkey'`,
    );
    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('That passkey does not open anything here.').waitFor();
    await window.wellAs('passkey-removed');
    await device.attend(false);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used').waitFor();
    await window.wellAs('passkey-cancelled');
  });

  test('a sensitive action requires re-authentication with a passkey after a while, and then continues', async () => {
    const { window } = await withPasskey('Cyril');
    await using _ = window;
    const { page } = window;
    await window.go('/members');
    await growOld();
    await page.getByLabel('Passkey name').fill('Phone');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await confirm(window).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await window.wellAs('prove-passkey');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // What was asked goes on by itself, and the device answers that it has one.
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await window.wellAs('prove-passkey-done');
  });

  test('re-authentication accepts password and code, and a wrong one is reported without losing the form', async () => {
    const { window, code } = await withPasskey('Dana', { theme: 'dark' });
    await using _ = window;
    const { page } = window;
    await window.go('/members');
    await growOld();
    await page
      .getByRole('row', { name: /passkey Laptop/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await confirm(window).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill('not the password');
    await dialog.getByLabel(/recovery code/).fill(code);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('Name, password or code is wrong.').waitFor();
    await window.wellAs('prove-wrong');
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Without it you could not sign in any more.').waitFor();
    await page.getByText('Recovery codes left: 9').waitFor();
    await window.wellAs('prove-code-done');
  });

  test('a passkey resumes an expired session over the preserved screen', async () => {
    const { window } = await withPasskey('Eva', { endsSession: true });
    await using _ = window;
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('half a na');
    await sql(`update control.console_session set seen_at = seen_at - interval '31 minutes'`);
    await page.getByText('Your session has expired.').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Your session has expired.').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('half a na');
    await window.wellAs('idle-passkey');
  });

  test('the demo confirms itself by a click', async () => {
    await using _ = await on.open('officer');
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/members');
    await page.getByRole('button', { name: 'Open the demo' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await growOld();
    await page.getByRole('button', { name: 'Edit Olga Wiśniewska' }).click();
    await page.getByLabel('Role').selectOption('Viewer');
    await page.getByRole('button', { name: 'Save' }).click();
    await confirm(window).click();
    await page.getByRole('button', { name: 'Confirm' }).waitFor();
    await window.wellAs('prove-demo');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('row', { name: /Olga Wiśniewska.*Viewer/ }).waitFor();
    await window.wellAs('prove-demo-done');
  });
});
