import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';

const chromium = await findChromium();
const password = 'a long enough password';

describe.skipIf(chromium === null)('the first administrator in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('makes an account with the link of the host, keeps the codes, and signs in with one of them', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go(`/set-up#${await on.setUpToken()}`);
    expect(page.url(), 'the token leaves the address').toMatch(/\/set-up$/);
    await page.getByLabel('Your name').fill('Maria Nowak');
    await page.getByLabel('Password, at least 12 characters').fill(password);
    const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(await page.getByRole('link', { name: 'Open in an authenticator' }).getAttribute('href')).toContain(
      `otpauth://totp/Tenantscope%3AMaria%20Nowak?secret=${secret}`,
    );
    await page.getByLabel('The code it shows now').fill(new TOTP({ secret }).generate());
    await page.getByRole('button', { name: 'Make the account' }).click();
    await page.getByText('Recovery codes, shown once.').waitFor();
    const codes = await page.locator('.codes code').allTextContents();
    expect(new Set(codes).size).toBe(10);
    await window.wellAs('recovery-codes');
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Every feed is settled').waitFor();

    await page.locator('.rail-foot > button').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Use a local account').click();
    await page.getByLabel('Name').fill('Maria Nowak');
    await page.getByLabel('Password').fill(`not ${password}`);
    await page.getByLabel(/authenticator/).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Name, password or code is wrong.').waitFor();
    await window.wellAs('sign-in-refused');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Every feed is settled').waitFor();
    await window.go('/people');
    await page.getByText('recovery codes, authenticator').waitFor();
    await window.wellAs('people-local');
  });
});
