import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('people in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('the last administrator is said to be the last, and stays one', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/people');
    await page.getByRole('button', { name: 'Change Maria Nowak' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This is the last administrator').waitFor();
    expect(await dialog.getByLabel('Role').isDisabled()).toBe(true);
    expect(await dialog.getByLabel('Closed').isDisabled()).toBe(true);
    await window.wellAs('people-last');
    const answer = await page.evaluate(
      `fetch('/console/api/people').then((answer) => answer.json()).then(({ people: [{ id }] }) =>
         fetch('/console/api/people/' + id, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"role":"viewer"}' }))
         .then((answer) => answer.json())`,
    );
    expect(answer).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('last administrator') },
    });
  });

  test('another role, fewer tenants: the person signs in again; of two administrators the second is told', async () => {
    await using one = await on.open('admin');
    await using other = await on.open('admin');
    await using officer = await on.open('officer');
    await officer.go('/playground');
    await one.go('/people');
    await other.go('/people');
    const change = 'Change Olga Wiśniewska';
    await one.page.getByRole('button', { name: change }).click();
    await other.page.getByRole('button', { name: change }).click();
    const first = one.page.getByRole('dialog');
    await first.getByText('Signed in once').waitFor();
    expect(await first.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await first.getByLabel('Role').selectOption('viewer');
    await first.getByRole('button', { name: 'Only these' }).click();
    await first.getByLabel('Contoso Ltd').uncheck();
    await first.getByText('Their sessions end').waitFor();
    await one.wellAs('people-change');
    await first.getByRole('button', { name: 'Save' }).click();
    await first.waitFor({ state: 'detached' });
    const row = one.page.getByRole('row', { name: /Olga/ });
    await row.getByText('Viewer').waitFor();
    await row.getByText('Zażółć Gęślą Sp. z o.o.').waitFor();
    const status = await officer.page.evaluate(`fetch('/console/api/me').then(({ status }) => status)`);
    expect(status, 'the session has ended').toBe(401);

    const second = other.page.getByRole('dialog');
    await second.getByLabel('Closed').check();
    await second.getByRole('button', { name: 'Save' }).click();
    await second.getByText('Somebody changed this person meanwhile.').waitFor();
    await other.wellAs('people-conflict');
  });

  test('somebody is signed out everywhere, and the account closed', async () => {
    await using admin = await on.open('admin');
    await using viewer = await on.open('viewer');
    await viewer.go('/feeds');
    const { page } = admin;
    await admin.go('/people');
    await page.getByRole('button', { name: 'Change Victor Hale' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await dialog.getByText('1 session ended').waitFor();
    expect(await viewer.page.evaluate(`fetch('/console/api/me').then(({ status }) => status)`)).toBe(401);
    await dialog.getByLabel('Closed').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /Victor Hale/ })
      .getByText('Closed')
      .waitFor();
    await admin.wellAs('people-closed');
  });

  test('one’s own sessions tell the browser in words, and others are ended from here', async () => {
    await using here = await on.open(null);
    await here.go('/people');
    await here.page.getByRole('button', { name: 'Open the demo' }).click();
    await here.page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await using there = await on.open(null);
    await there.go('/feeds');
    await there.page.getByRole('button', { name: 'Open the demo' }).click();
    await there.page.getByRole('heading', { level: 1, name: 'Feed health' }).waitFor();
    await here.page.reload();
    const sessions = here.page.getByRole('table', { name: 'Your sessions' });
    await expect.poll(() => sessions.getByText('Chrome on Linux').count()).toBe(2);
    expect(await sessions.getByText('Chrome on Linux').first().getAttribute('title')).toContain('Mozilla/5.0');
    expect(await sessions.textContent()).not.toContain('Mozilla');
    await here.wellAs('people-sessions');
    await sessions.getByRole('button', { name: 'End' }).click();
    await expect.poll(() => sessions.locator('tbody tr').count()).toBe(1);
    expect(await there.page.evaluate(`fetch('/console/api/me').then(({ status }) => status)`)).toBe(401);
    await using polish = await on.open('admin', { language: 'pl', width: 390, height: 844 });
    await polish.go('/people');
    await polish.page.locator('main table').first().waitFor();
    await polish.wellAs('people-390-polish');
  });
});
