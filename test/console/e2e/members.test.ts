import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';

const chromium = await findChromium();
const password = 'a long enough password';

describe.skipIf(chromium === null)('members in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('the last administrator is labelled and cannot be demoted or disabled', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/members');
    await page.getByRole('button', { name: 'Edit Maria Nowak' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This is the only administrator').waitFor();
    expect(await dialog.getByLabel('Role').isDisabled()).toBe(true);
    expect(await dialog.getByLabel('Disabled').isDisabled()).toBe(true);
    await window.checkScreen('members-last');
    const response = await page.evaluate(
      `fetch('/console/api/members').then((response) => response.json()).then(({ members: [{ id }] }) =>
         fetch('/console/api/members/' + id, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"role":"viewer"}' }))
         .then((response) => response.json())`,
    );
    expect(response).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('last administrator') },
    });
  });

  test("a changed role or tenant list ends the member's sessions, and a concurrent change is reported as a conflict", async () => {
    await using one = await on.open('admin');
    await using other = await on.open('admin');
    await using officer = await on.open('officer');
    await officer.go('/playground');
    await one.go('/members');
    await other.go('/members');
    const change = 'Edit Olga Wiśniewska';
    await one.page.getByRole('button', { name: change }).click();
    await other.page.getByRole('button', { name: change }).click();
    const first = one.page.getByRole('dialog');
    await first.getByText('1 active session').waitFor();
    expect(await first.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await first.getByLabel('Role').selectOption('viewer');
    await first.getByRole('button', { name: 'Selected tenants' }).click();
    await first.getByLabel('Contoso Ltd').uncheck();
    await first.getByText('Saving ends all sessions').waitFor();
    await one.checkScreen('members-change');
    await first.getByRole('button', { name: 'Save' }).click();
    await first.waitFor({ state: 'detached' });
    const row = one.page.getByRole('row', { name: /Olga/ });
    await row.getByText('Viewer').waitFor();
    await row.getByText('Zażółć Gęślą Sp. z o.o.').waitFor();
    // By the cookies of the window: its page leaves for the sign-in at the next poll.
    const me = await officer.page.request.get(`${on.origin}/console/api/me`);
    expect(me.status(), 'the session has ended').toBe(401);

    const second = other.page.getByRole('dialog');
    await second.getByLabel('Disabled').check();
    await second.getByRole('button', { name: 'Save' }).click();
    await second.getByText('This member has changed since you opened it.').waitFor();
    await other.checkScreen('members-conflict');
  });

  test('an administrator ends all sessions of a member and disables the account', async () => {
    await using admin = await on.open('admin');
    await using viewer = await on.open('viewer');
    await viewer.go('/feeds');
    const { page } = admin;
    await admin.go('/members');
    await page.getByRole('button', { name: 'Edit Victor Hale' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await dialog.getByText('1 session ended').waitFor();
    expect((await viewer.page.request.get(`${on.origin}/console/api/me`)).status()).toBe(401);
    await dialog.getByLabel('Disabled').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /Victor Hale/ })
      .getByText('Disabled')
      .waitFor();
    await admin.checkScreen('members-closed');
  });

  test('the own sessions show the browser, and other sessions can be ended', async () => {
    await using here = await on.open(null);
    await here.go('/members');
    await here.page.getByRole('button', { name: 'Open the demo' }).click();
    await here.page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await using there = await on.open(null);
    await there.go('/feeds');
    await there.page.getByRole('button', { name: 'Open the demo' }).click();
    await there.page.getByRole('heading', { level: 1, name: 'Feed health' }).waitFor();
    await here.page.reload();
    const sessions = here.page.getByRole('table', { name: 'My sessions' });
    await expect.poll(() => sessions.getByText('Chrome on Linux').count()).toBe(2);
    expect(await sessions.getByText('Chrome on Linux').first().getAttribute('title')).toContain('Mozilla/5.0');
    expect(await sessions.textContent()).not.toContain('Mozilla');
    await here.checkScreen('members-sessions');
    await sessions.getByRole('button', { name: 'End session' }).click();
    await expect.poll(() => sessions.locator('tbody tr').count()).toBe(1);
    // Not from its page, which leaves for the sign-in.
    expect((await there.context.request.get(`${on.origin}/console/api/me`)).status()).toBe(401);
    await using polish = await on.open('admin', { language: 'pl', width: 390, height: 844 });
    await polish.go('/members');
    await polish.page.locator('main table').first().waitFor();
    await polish.checkScreen('members-390-polish');
  });

  test('an administrator invites a member with a role and a tenant, and the link creates that account once', async () => {
    await using admin = await on.open('admin');
    const { page } = admin;
    await admin.go('/members');
    await page.getByRole('button', { name: 'Invite member…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('For whom').fill('Wanda Lis');
    await dialog.getByLabel('Role').selectOption('Compliance officer');
    await dialog.getByRole('button', { name: 'Selected tenants' }).click();
    await dialog.getByLabel('Contoso Ltd').uncheck();
    await admin.checkScreen('invite');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = (await page.locator('dialog .secret').textContent()) ?? '';
    expect(link).toMatch(/\/console\/set-up#[\w-]{32}$/);
    await admin.checkScreen('invite-link');
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog .secret').isVisible(), 'it is not lost by a key').toBe(true);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('table', { name: 'Invitations' }).getByRole('row', { name: /Wanda Lis/ });
    await row.getByText('Pending').waitFor();
    expect(await page.content()).not.toContain(link.split('#')[1]);
    await admin.checkScreen('invitations');

    await using invited = await on.open(null, { language: 'pl', width: 390, height: 844 });
    await invited.go(link.slice(`${on.origin}/console`.length));
    await invited.page.getByText('Rola:').waitFor();
    await invited.checkScreen('invited-390-pl');
    await invited.page.getByLabel('Imię i nazwisko').fill('Wanda Lis');
    await invited.page.getByLabel('Hasło (co najmniej 12 znaków)').fill(password);
    const byApp = invited.page.getByRole('button', { name: 'Aplikacja uwierzytelniająca' });
    const secretText = invited.page.locator('.secret');
    await byApp.or(secretText).first().waitFor();
    if (await byApp.count()) await byApp.click();
    const secret = ((await secretText.textContent()) ?? '').replaceAll(' ', '');
    await invited.page.getByLabel('Kod z aplikacji').fill(new TOTP({ secret }).generate());
    await invited.page.getByRole('button', { name: 'Utwórz konto' }).click();
    await invited.page.getByText('Kody odzyskiwania, wyświetlane tylko raz.').waitFor();
    await page.reload();
    await row.getByText('Accepted').waitFor();
    const members = page.getByRole('table', { name: 'Members of the organization' });
    await members.getByRole('row', { name: /Wanda Lis.*Compliance officer/ }).waitFor();
    await admin.go('/audit');
    await page.getByText('invited "Wanda Lis", Compliance officer').waitFor();
    await page.getByText('accepted the invitation of "Wanda Lis"').waitFor();
    await admin.checkScreen('audit-of-an-invitation');
  });

  test('a local account changes its password, enrols another authenticator and renews its recovery codes', async () => {
    await using window = await on.open(null);
    const { page } = window;
    await window.go(`/set-up#${await on.createSetUpToken()}`);
    await page.getByLabel('Your name').fill('Zofia Maj');
    await page.getByLabel('Password (at least 12 characters)').fill(password);
    await page.getByRole('button', { name: 'Authenticator app' }).click();
    const readSecret = async () => ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
    const secret = await readSecret();
    const enterCode = async (of: string) =>
      page.getByLabel('Code from the app').fill(new TOTP({ secret: of }).generate());
    await enterCode(secret);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Recovery codes, shown only once.').waitFor();
    const [code = ''] = await page.locator('.codes code').allTextContents();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('All feeds are settled').waitFor();
    await window.go('/members');
    const dialog = page.getByRole('dialog');

    await page.getByRole('button', { name: 'Change password…' }).click();
    await dialog.getByLabel('Current password').fill('not the password');
    await dialog.getByLabel('New password').fill('another long password');
    await dialog.getByLabel('Authenticator code or recovery code').fill(code);
    await window.checkScreen('change-password');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByText('Name, password or code is wrong.').waitFor();
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed. No other sessions were active.').waitFor();

    await page.getByRole('button', { name: 'Add authenticator app…' }).click();
    await dialog.getByLabel('Name, for example the device').fill('Second phone');
    await enterCode(await readSecret());
    await window.checkScreen('add-authenticator');
    await dialog.getByRole('button', { name: 'Add authenticator app' }).click();
    await page.getByRole('row', { name: /authenticator app Second phone/ }).waitFor();

    await page.getByText('Recovery codes left: 9').waitFor();
    await page.getByRole('button', { name: 'New recovery codes…' }).click();
    await dialog.getByRole('button', { name: 'Create new recovery codes' }).click();
    await dialog.getByRole('button', { name: 'Copy' }).waitFor();
    await window.checkScreen('new-recovery-codes');
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Recovery codes left: 10').waitFor();
    await window.checkScreen('account-security');
    await page.setViewportSize({ width: 390, height: 844 });
    await window.checkScreen('account-security-390');
  });
});
