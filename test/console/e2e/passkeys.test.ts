import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts';
import type { Window, WindowOptions } from './window.ts';

const chromium = await findChromium();
const password = 'a long enough password';

describe.skipIf(chromium === null)('passkeys in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  const sql = (text: string) => on.product.superuser.query(text);
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** Creates an account with a passkey on a new authenticator, and returns one of its recovery codes. */
  async function createPasskeyAccount(
    name: string,
    options: WindowOptions = {},
  ): Promise<{ window: Window; device: VirtualAuthenticator; code: string }> {
    const window = await on.open(null, options);
    const { page } = window;
    const device = await addVirtualAuthenticator(page);
    await window.go(`/set-up#${await on.createSetUpToken()}`);
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
  const ageAuthentication = () =>
    sql(`update control.console_session set authenticated_at = clock_timestamp() - interval '16 minutes'`);

  test('a second passkey is added, signs in and is removed, and the last sign-in method cannot be removed', async () => {
    const { window, device } = await createPasskeyAccount('Ada Nowak');
    await using _ = window;
    const { page } = window;
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`passkey ${name}`) });
    await row('Laptop').waitFor();
    await row('Laptop').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('You could not sign in without it.').waitFor();
    await window.checkScreen('passkey-last');

    // The same device already has a passkey.
    await page.getByLabel('Passkey name').fill('Again');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await window.checkScreen('passkey-known');
    await device.remove();
    const key = await addVirtualAuthenticator(page);
    await page.getByLabel('Passkey name').fill('Security key');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await row('Security key').waitFor();
    expect(await page.getByText('You could not sign in without it').count(), 'the earlier error is removed').toBe(0);
    expect(await page.getByLabel('Passkey name').inputValue()).toBe('');
    await window.checkScreen('passkey-second');
    await row('Laptop').getByRole('button', { name: 'Remove' }).click();
    await row('Laptop').waitFor({ state: 'detached' });

    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('All feeds are settled').waitFor();
    expect(await key.countPasskeys()).toBe(1);
    await window.checkScreen('passkey-in');
  });

  test('a removed passkey is refused, and a cancelled request is reported', async () => {
    const { window, device } = await createPasskeyAccount('Beda');
    await using _ = window;
    const { page } = window;
    await sql(
      `delete from control.member_credential c using control.member p where p.id = c.member_id and p.name = 'Beda' and kind = 'passkey'`,
    );
    await page.locator('[popovertarget=user-menu]').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey is not registered here.').waitFor();
    await window.checkScreen('passkey-removed');
    await device.setUserPresent(false);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used').waitFor();
    await window.checkScreen('passkey-cancelled');
  });

  test('a sensitive action requires re-authentication with a passkey after a while, and then continues', async () => {
    const { window } = await createPasskeyAccount('Cyril');
    await using _ = window;
    const { page } = window;
    await window.go('/members');
    await ageAuthentication();
    await page.getByLabel('Passkey name').fill('Phone');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await window.checkScreen('reauthenticate-passkey');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The request continues without another click, and the device reports that it already has a passkey.
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await window.checkScreen('reauthenticate-passkey-done');
  });

  test('re-authentication accepts password and code, and a wrong one is reported without losing the form', async () => {
    const { window, code } = await createPasskeyAccount('Dana', { theme: 'dark' });
    await using _ = window;
    const { page } = window;
    await window.go('/members');
    await ageAuthentication();
    await page
      .getByRole('row', { name: /passkey Laptop/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill('not the password');
    await dialog.getByLabel(/recovery code/).fill(code);
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await dialog.getByText('Name, password or code is wrong.').waitFor();
    await window.checkScreen('reauthenticate-wrong');
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('You could not sign in without it.').waitFor();
    await page.getByText('Recovery codes left: 9').waitFor();
    await window.checkScreen('reauthenticate-code-done');
  });

  test('a passkey resumes an expired session over the preserved screen', async () => {
    const { window } = await createPasskeyAccount('Eva', { endsSession: true });
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
    await window.checkScreen('idle-passkey');
  });

  test('a demo member re-authenticates by a click', async () => {
    await using _ = await on.open('officer');
    await using window = await on.open(null);
    const { page } = window;
    await window.go('/members');
    await page.getByRole('button', { name: 'Open the demo' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await ageAuthentication();
    await page.getByRole('button', { name: 'Edit Olga Wiśniewska' }).click();
    await page.getByLabel('Role').selectOption('Viewer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Confirm', exact: true }).waitFor();
    await window.checkScreen('reauthenticate-demo');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByRole('row', { name: /Olga Wiśniewska.*Viewer/ }).waitFor();
    await window.checkScreen('reauthenticate-demo-done');
  });
});
