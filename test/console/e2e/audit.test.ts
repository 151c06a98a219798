import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, startStage } from './stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();
const run = promisify(execFile);
const tenantscope = new URL('../../../apps/cli/bin/tenantscope.mjs', import.meta.url).pathname;

describe.skipIf(chromium === null)('the audit log in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  /** Sends a change the way the screens do. */
  const sendRequest = ({ page }: Window, path: string, body: object = {}, method = 'POST') =>
    page.evaluate(
      `fetch('/console/api${path}', { method: '${method}', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))} })
         .then(async (response) => ({ status: response.status, body: await response.json().catch(() => null) }))`,
      // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    ) as Promise<any>;
  const readSummaries = ({ page }: Window) => page.locator('main tbody th').allTextContents();

  test('an event shows its summary, actor, address, request and changed fields', async () => {
    await using window = await on.open('admin');
    await using officer = await on.open('officer');
    const { page } = window;
    await window.go('/keys');
    await officer.go('/feeds');
    const tenantId = on.tenantIds[0];
    const created = await sendRequest(window, '/keys', {
      name: 'Audited poller',
      tenantId,
      scopes: ['logs:read', 'detections:read'],
      expiresAt: '2099-02-28T23:59:59Z',
    });
    const { id, display } = created.body.key;
    await sendRequest(window, `/keys/${id}`, { name: 'Renamed poller', expiresAt: null }, 'PATCH');
    await sendRequest(window, `/keys/${id}/revoke`);
    const { members } = await page.evaluate<{ members: { id: string; name: string }[] }>(
      `fetch('/console/api/members').then((response) => response.json())`,
    );
    const olga = members.find(({ name }) => name.startsWith('Olga'))?.id;
    await sendRequest(window, `/members/${olga}`, { role: 'viewer', tenantIds: [tenantId] });
    await sendRequest(window, `/members/${olga}/end-sessions`);
    await sendRequest(window, '/organization', { keyLifetimeDays: 90 }, 'PATCH');
    await sendRequest(window, '/organization', { keyLifetimeDays: null }, 'PATCH');
    const ran = { operation: 'list_logs', tenantId, mode: 'rest', parameters: { limit: '1' }, scopesOf: 'me' };
    expect((await sendRequest(window, '/playground/run', ran)).status).toBe(200);
    await on.product.superuser.query(`update control.member set subject = 'maria' where role = 'admin'`);
    for (const name of ['nobody', 'Maria'])
      expect((await sendRequest(window, '/sign-in/local', { name, password: 'wrong', second: '123456' })).status).toBe(
        401,
      );
    await using visitor = await on.open(null);
    await visitor.go('/feeds');
    await visitor.page.getByRole('button', { name: 'Open the demo' }).click();
    await visitor.page.getByRole('heading', { level: 1, name: 'Feed health' }).waitFor();

    await window.go('/audit');
    await page.getByText('created key "Audited poller"').waitFor();
    const summaryText = (await readSummaries(window)).join('\n');
    for (const summary of [
      `created key "Audited poller" (${display}), for Contoso Ltd, 2 scopes, until 28 Feb 2099`,
      `changed key "Renamed poller" (${display}), name Audited poller → Renamed poller, expires 2099-02-28 23:59:59Z → No expiration`,
      `revoked key "Renamed poller" (${display})`,
      'changed member "Olga Wiśniewska", role Compliance officer → Viewer, tenants All tenants → Contoso Ltd',
      'changed organization "Larkspur Group", maximum key lifetime unlimited → 90 days',
      'ran list_logs in the playground, for Contoso Ltd, 200',
      'failed to sign in as an unknown account',
      'failed to sign in as "Maria Nowak"',
      'signed in',
    ])
      expect(summaryText).toContain(summary);
    await page.getByText('changed key "Renamed poller"').click();
    const panel = page.locator('.panel-side');
    await panel.getByText('IP address').waitFor();
    await panel.getByText(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/).waitFor();
    for (const text of ['Maria Nowak', 'Request ID', 'Audited poller', 'Renamed poller'])
      await panel.getByText(text, { exact: true }).first().waitFor();
    await window.checkScreen('audit-event');
    await panel.getByRole('button', { name: 'More on this target' }).click();
    await page.waitForURL(/subject=api_key/);
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(3);
    await page.getByRole('button', { name: /^Remove filter: Target ID/ }).waitFor();
    await page.reload();
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(3);
    await window.checkScreen('audit-of-one');
    await page.locator('main tbody th button').first().click();
    await page.getByRole('link', { name: 'View key' }).click();
    await page.locator('.panel-side').getByRole('heading', { name: 'Renamed poller' }).waitFor();
    await page.locator('.panel-side').getByRole('link', { name: 'History' }).click();
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(3);
    await page.getByRole('button', { name: /^Remove filter: Target:/ }).click();
    await page.getByRole('combobox', { name: 'Action' }).selectOption('sign-in failed');
    await expect
      .poll(() => readSummaries(window))
      .toEqual(['failed to sign in as "Maria Nowak"', 'failed to sign in as an unknown account']);
    await page.getByRole('combobox', { name: 'Action' }).selectOption('');
    await page.getByRole('combobox', { name: 'Actor' }).selectOption('set-up');
    await page.getByText('No events in this period.').waitFor();
    await window.checkScreen('audit-none');
  });

  test('the chain shows its length, is verified on request, and names a forged event', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/audit');
    const chain = page.getByRole('region', { name: 'Hash chain' });
    await chain
      .getByText(/^○ \d+ events of the organization, latest 20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ; not verified yet$/)
      .waitFor();
    await window.checkScreen('audit-unverified');
    await chain.getByRole('button', { name: 'Verify chain' }).click();
    await chain.getByText(/^● Chain verified through event #\d+ at \d\d:\d\d:\d\d UTC$/).waitFor();
    await window.checkScreen('audit-verified');
    await on.product.superuser.query(
      `update control.admin_event set after = after || '{"name": "Forged"}' where chain = $1 and number = 2`,
      [on.organizationId],
    );
    await chain.getByRole('button', { name: 'Verify again' }).click();
    await chain.getByText(/Chain broken at event #2: the event was altered/).waitFor();
    await chain.getByRole('button', { name: 'View event #2' }).click();
    await page.locator('.panel-side').getByRole('heading', { name: 'Event #2' }).waitFor();
    await window.checkScreen('audit-forged');
    await on.product.superuser.query(
      `update control.admin_event set after = after || '{"name": "Contoso Ltd"}' where chain = $1 and number = 2`,
      [on.organizationId],
    );
    await chain.getByRole('button', { name: 'Verify again' }).click();
    await chain.getByText(/Chain verified through event/).waitFor();
  });

  test('dates have one format in every browser language, and an invalid date is reported', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/audit');
    const from = page.getByRole('textbox', { name: 'From', exact: true });
    const to = page.getByRole('textbox', { name: 'To', exact: true });
    const today = new Date().toISOString().slice(0, 10);
    expect(await to.inputValue()).toBe(today);
    expect(await from.inputValue()).toBe(new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10));
    await from.fill('10/23/2026');
    await page.getByText(`Enter a date like 2026-11-22, no later than ${today}.`).waitFor();
    await window.checkScreen('audit-wrong-day');
    await from.fill('2024-02-29');
    await page.waitForURL(/from=2024-02-29/);
    await page.locator('main table').waitFor();
    await to.fill('2024-03-01');
    await page.getByText('No events in this period.').waitFor();
    await window.checkScreen('audit-days');
  });

  test('the export opens and verifies, and hostile names harm neither it nor the screen', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    const name = 'in\u202everted <img src=x onerror=alert(1)> \u2066 =1+1';
    await sendRequest(window, '/keys', { name, tenantId: on.tenantIds[0], scopes: [], expiresAt: null });
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
    expect(stdout).toMatch(/^Events 1 to \d+ of .* are intact\./);
    await page.reload();
    await page.getByText(/exported the audit log, \d{4}-\d\d-\d\d – \d{4}-\d\d-\d\d/).waitFor();
    await window.checkScreen('audit-hostile');
  });

  test.each(['officer', 'viewer'] as const)('a member with the role %s sees only their own actions', async (role) => {
    await using window = await on.open(role);
    const { page } = window;
    await window.go('/audit');
    await page.getByText('Showing your own actions.').waitFor();
    await page.getByText('No events in this period.').waitFor();
    expect(await page.getByRole('combobox', { name: 'Actor' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Export NDJSON' }).count()).toBe(0);
    await window.checkScreen(`audit-${role}`);
  });

  test('the audit log is shown in Polish', async () => {
    await using window = await on.open('admin', { language: 'pl' });
    await window.go('/audit');
    await window.page
      .getByText(/^utworzono klucz/)
      .first()
      .click();
    await window.page.locator('.panel-side').waitFor();
    await window.checkScreen('audit-event-polish');
    await using narrow = await on.open('admin', { width: 390, height: 844, theme: 'dark', language: 'pl' });
    await narrow.go('/audit');
    await narrow.page.locator('main table').waitFor();
    await narrow.checkScreen('audit-390-polish-dark');
  });
});
