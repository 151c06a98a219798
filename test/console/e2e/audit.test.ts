import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();
const run = promisify(execFile);
const tenantscope = new URL('../../../apps/cli/bin/tenantscope.mjs', import.meta.url).pathname;

describe.skipIf(chromium === null)('the audit in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** A change as the screens send it. */
  const act = ({ page }: Window, path: string, body: object = {}, method = 'POST') =>
    page.evaluate(
      `fetch('/console/api${path}', { method: '${method}', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))} })
         .then(async (answer) => ({ status: answer.status, body: await answer.json().catch(() => null) }))`,
      // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    ) as Promise<any>;
  const sentences = ({ page }: Window) => page.locator('main tbody th').allTextContents();

  test('what was done is there in words, with who, from where, in which request, and what was otherwise before', async () => {
    await using window = await on.open('admin');
    await using officer = await on.open('officer');
    const { page } = window;
    await window.go('/keys');
    await officer.go('/feeds');
    const tenantId = on.tenantIds[0];
    const made = await act(window, '/keys', {
      name: 'Audited poller',
      tenantId,
      scopes: ['logs:read', 'detections:read'],
      expiresAt: '2099-02-28T23:59:59Z',
    });
    const { id, display } = made.body.key;
    await act(window, `/keys/${id}`, { name: 'Renamed poller', expiresAt: null }, 'PATCH');
    await act(window, `/keys/${id}/revoke`);
    const { people } = await page.evaluate<{ people: { id: string; name: string }[] }>(
      `fetch('/console/api/people').then((answer) => answer.json())`,
    );
    const olga = people.find(({ name }) => name.startsWith('Olga'))?.id;
    await act(window, `/people/${olga}`, { role: 'viewer', tenantIds: [tenantId] });
    await act(window, `/people/${olga}/end-sessions`);
    await act(window, '/organization', { keyLifetimeDays: 90 }, 'PATCH');
    await act(window, '/organization', { keyLifetimeDays: null }, 'PATCH');
    const ran = { operation: 'list_logs', tenantId, mode: 'rest', parameters: { limit: '1' }, scopesOf: 'me' };
    expect((await act(window, '/playground/run', ran)).status).toBe(200);
    await on.product.superuser.query(`update control.person set subject = 'maria' where role = 'admin'`);
    for (const name of ['nobody', 'Maria'])
      expect((await act(window, '/sign-in/local', { name, password: 'wrong', second: '123456' })).status).toBe(401);
    await using visitor = await on.open(null);
    await visitor.go('/feeds');
    await visitor.page.getByRole('button', { name: 'Open the demo' }).click();
    await visitor.page.getByRole('heading', { level: 1, name: 'Feed health' }).waitFor();

    await window.go('/audit');
    await page.getByText('created key «Audited poller»').waitFor();
    const told = (await sentences(window)).join('\n');
    for (const sentence of [
      `created key «Audited poller» (${display}), for Contoso Ltd, 2 scopes, until 28 Feb 2099`,
      `changed key «Renamed poller» (${display}), name Audited poller → Renamed poller, end 2099-02-28 23:59:59 → No expiry`,
      `revoked key «Renamed poller» (${display})`,
      'changed person «Olga Wiśniewska», role Compliance officer → Viewer, tenants Every tenant → Contoso Ltd',
      'changed organization «Larkspur Group», longest life of a key Without limit → 90 days',
      'ran in the playground: list_logs, for Contoso Ltd, 200',
      'failed to sign in as somebody who is unknown',
      'failed to sign in as «Maria Nowak»',
      'signed in',
    ])
      expect(told).toContain(sentence);
    await page.getByText('changed key «Renamed poller»').click();
    const panel = page.locator('.panel-side');
    await panel.getByText('From where').waitFor();
    await panel.getByText(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/).waitFor();
    for (const text of ['Maria Nowak', 'Request', 'Audited poller', 'Renamed poller'])
      await panel.getByText(text, { exact: true }).first().waitFor();
    await window.wellAs('audit-event');
    await panel.getByRole('button', { name: 'Everything about it' }).click();
    await page.waitForURL(/subject=api_key/);
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(3);
    await page.getByRole('button', { name: /^Take off: Only/ }).waitFor();
    await page.reload();
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(3);
    await window.wellAs('audit-of-one');
    await page.locator('main tbody th button').first().click();
    await page.getByRole('link', { name: 'Show the key' }).click();
    await page.locator('.panel-side').getByRole('heading', { name: 'Renamed poller' }).waitFor();
    await page.locator('.panel-side').getByRole('link', { name: 'History' }).click();
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(3);
    await page.getByRole('button', { name: /^Take off: With what/ }).click();
    await page.getByRole('combobox', { name: 'Act' }).selectOption('sign-in failed');
    await expect
      .poll(() => sentences(window))
      .toEqual(['failed to sign in as «Maria Nowak»', 'failed to sign in as somebody who is unknown']);
    await page.getByRole('combobox', { name: 'Act' }).selectOption('');
    await page.getByRole('combobox', { name: 'Who' }).selectOption('cli');
    await page.getByText('Nothing happened in this time.').waitFor();
    await window.wellAs('audit-none');
  });

  test('the chain says how long it is, is verified at a press, and names what was forged', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/audit');
    const chain = page.getByRole('region', { name: 'Chain of events' });
    await chain.getByText(/^○ \d+ events, the newest of 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d; not verified yet$/).waitFor();
    await window.wellAs('audit-unverified');
    await chain.getByRole('button', { name: 'Verify the chain' }).click();
    await chain.getByText(/^● Chain verified to #\d+ at \d\d:\d\d:\d\d UTC$/).waitFor();
    await window.wellAs('audit-verified');
    await on.product.superuser.query(
      `update control.admin_event set after = after || '{"name": "Forged"}' where chain = $1 and number = 2`,
      [on.organizationId],
    );
    await chain.getByRole('button', { name: 'Verify again' }).click();
    await chain.getByText(/The chain is broken at #2: that event was altered/).waitFor();
    await chain.getByRole('button', { name: 'Show #2' }).click();
    await page.locator('.panel-side').getByRole('heading', { name: 'Event #2' }).waitFor();
    await window.wellAs('audit-forged');
    await on.product.superuser.query(
      `update control.admin_event set after = after || '{"name": "Contoso Ltd"}' where chain = $1 and number = 2`,
      [on.organizationId],
    );
    await chain.getByRole('button', { name: 'Verify again' }).click();
    await chain.getByText(/Chain verified to/).waitFor();
  });

  test('days are written as everywhere, whatever the browser speaks; what is none of them is told', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/audit');
    const from = page.getByRole('textbox', { name: 'From', exact: true });
    const to = page.getByRole('textbox', { name: 'To', exact: true });
    const today = new Date().toISOString().slice(0, 10);
    expect(await to.inputValue()).toBe(today);
    expect(await from.inputValue()).toBe(new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10));
    await from.fill('10/23/2026');
    await page.getByText(`A day such as 2026-11-22, to ${today}.`).waitFor();
    await window.wellAs('audit-wrong-day');
    await from.fill('2024-02-29');
    await page.waitForURL(/from=2024-02-29/);
    await page.locator('main table').waitFor();
    await to.fill('2024-03-01');
    await page.getByText('Nothing happened in this time.').waitFor();
    await window.wellAs('audit-days');
  });

  test('the export opens and proves itself; hostile names harm neither it nor the screen', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    const name = 'in\u202everted <img src=x onerror=alert(1)> \u2066 =1+1';
    await act(window, '/keys', { name, tenantId: on.tenantIds[0], scopes: [], expiresAt: null });
    await window.go('/audit');
    await page.getByText('in\\u202everted <img src=x onerror=alert(1)> \\u2066 =1+1').waitFor();
    expect(await page.locator('main').innerHTML()).not.toContain('\u202e');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export NDJSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('admin-audit.ndjson');
    const file = await download.path();
    const { stdout } = await run(process.execPath, [tenantscope, 'audit', 'verify', file], {
      env: { PATH: process.env.PATH ?? '' },
    });
    expect(stdout).toMatch(/^Events 1 to \d+ of .* fit\./);
    await page.reload();
    await page.getByText(/exported the audit, \d{4}-\d\d-\d\d – \d{4}-\d\d-\d\d/).waitFor();
    await window.wellAs('audit-hostile');
  });

  test.each(['officer', 'viewer'] as const)('somebody who is %s sees what they did themselves', async (role) => {
    await using window = await on.open(role);
    const { page } = window;
    await window.go('/audit');
    await page.getByText('You see what you did yourself.').waitFor();
    await page.getByText('Nothing happened in this time.').waitFor();
    expect(await page.getByRole('combobox', { name: 'Who' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Export NDJSON' }).count()).toBe(0);
    await window.wellAs(`audit-${role}`);
  });

  test('in Polish', async () => {
    await using window = await on.open('admin', { language: 'pl' });
    await window.go('/audit');
    await window.page
      .getByText(/^utworzenie: klucz/)
      .first()
      .click();
    await window.page.locator('.panel-side').waitFor();
    await window.wellAs('audit-event-polish');
    await using narrow = await on.open('admin', { width: 390, height: 844, theme: 'dark', language: 'pl' });
    await narrow.go('/audit');
    await narrow.page.locator('main table').waitFor();
    await narrow.wellAs('audit-390-polish-dark');
  });
});
