import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('members in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  }, 60_000);
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
    const status = await officer.page.evaluate(`fetch('/console/api/me').then(({ status }) => status)`);
    expect(status, 'the session has ended').toBe(401);

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
    expect(await viewer.page.evaluate(`fetch('/console/api/me').then(({ status }) => status)`)).toBe(401);
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
    expect(await there.page.evaluate(`fetch('/console/api/me').then(({ status }) => status)`)).toBe(401);
    await using polish = await on.open('admin', { language: 'pl', width: 390, height: 844 });
    await polish.go('/members');
    await polish.page.locator('main table').first().waitFor();
    await polish.checkScreen('members-390-polish');
  });
});
