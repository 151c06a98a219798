import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { lineMembers } from '@tenantscope/contract';
import { findProgram } from '@tenantscope/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../../torture/random.ts';
import { findChromium } from './chromium.ts';
import {
  choose,
  downloadResponse,
  expectSoon,
  isInViewport,
  readStatus,
  send,
  showAllParameters,
} from './playground-actions.ts';
import { type Stage, startStage } from './stage.ts';
import type { WindowOptions } from './window.ts';

const chromium = await findChromium();
const rowCount = 1_250;
/** Untrusted text: a right-to-left override, an escape, a tag character and markup. */
const hostile = 'payroll\u202Efdp.exe <img src=x onerror=alert(1)> \u001b[31m \u{e0041}';
const hostileShown = 'payroll\\u202efdp.exe <img src=x onerror=alert(1)> \\u001b[31m \\udb40\\udc41';
const bigNumber = '12345678901234567890';

describe.skipIf(chromium === null)('the playground in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
    const discovered = Date.now() - 3_600_000;
    await on.log.write(
      on.tenantIds[0] ?? '',
      Array.from({ length: rowCount }, (_, index) => ({
        discoveredAt: new Date(discovered + index * 1_000).toISOString(),
        severity: index % 5 === 0 ? ('high' as const) : ('low' as const),
        actorName: `Mara Lindqvist ${index}`,
        description: index === rowCount - 1 ? hostile : 'A file was downloaded.',
      })),
    );
    await on.product.superuser.query(
      `update models.audit_log set member_lines =
         (select string_agg(case n when ${lineMembers.indexOf('actorIp') + 1} then '${bigNumber}' else split_part(member_lines, chr(10), n) end, chr(10) order by n)
            from generate_series(1, ${lineMembers.length}) n)`,
    );
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('before the first run the request is shown exactly as it is sent', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const line = page.locator('.request code');
    await expectSoon(() => line.textContent(), 'GET /api/v1/logs');
    await page.getByText('Required scope logs:read').waitFor();
    await page.getByText('curl --silent').waitFor();
    await window.checkScreen('playground-before');

    await page.locator('.parameters').getByRole('button', { name: 'high', exact: true }).click();
    await page.locator('.parameters').getByRole('button', { name: 'critical', exact: true }).click();
    await page.getByLabel('limit', { exact: true }).fill('1000');
    await expectSoon(() => line.textContent(), 'GET /api/v1/logs?severity=high,critical&limit=1000');
    await page.locator('.request').getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await line.textContent());
    await page.getByRole('button', { name: 'MCP', exact: true }).click();
    await page.getByText('JSON-RPC request').click();
    expect(JSON.parse((await page.locator('.request + details pre').textContent()) ?? '').params).toEqual({
      name: 'list_logs',
      arguments: { severity: 'high,critical', limit: 1_000 },
    });
    await page.getByRole('button', { name: 'REST', exact: true }).click();
    expect(await send(window)).toBe('GET /api/v1/logs?severity=high,critical&limit=1000');
    await page.getByText('250 rows').waitFor();
    await page.getByLabel('limit', { exact: true }).fill('10');
    await page.getByText('Next request:').waitFor();
    await window.checkScreen('playground-next-run');
  });

  test('allowed values are selected as the field describes', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const field = page.getByLabel('severity', { exact: true });
    const pressed = () => page.locator('.field', { has: field }).locator('[aria-pressed=true]').allTextContents();
    await field.fill('high, critical');
    await expectSoon(pressed, ['high', 'critical']);
    await page.locator('.field', { has: field }).getByRole('button', { name: 'high' }).click();
    expect(await field.inputValue()).toBe('critical');
    await page.locator('.field', { has: field }).getByRole('button', { name: 'low' }).press('Space');
    expect(await field.inputValue()).toBe('critical,low');
    await expectSoon(pressed, ['low', 'critical']);

    const sort = page.getByRole('group', { name: 'sort' });
    await sort.getByRole('button', { name: 'discoveredAtAsc' }).click();
    await expectSoon(() => sort.locator('[aria-pressed=true]').allTextContents(), ['discoveredAtAsc']);
    await sort.getByRole('button', { name: 'discoveredAtDesc' }).click();
    await expectSoon(() => sort.locator('[aria-pressed=true]').allTextContents(), ['discoveredAtDesc']);

    // An additional parameter stays visible, in its position, while it has a value.
    expect(await page.getByLabel('workload', { exact: true }).count()).toBe(0);
    await showAllParameters(page);
    await page.getByLabel('workload', { exact: true }).pressSequentially('Exchange');
    await page.getByRole('button', { name: 'Fewer parameters' }).click();
    expect(await page.getByLabel('workload', { exact: true }).inputValue()).toBe('Exchange');
    await window.checkScreen('playground-values');
  });

  test('a thousand rows can be scrolled, searched and collapsed while only the visible lines are rendered', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('1000');
    const beganAt = performance.now();
    await page.keyboard.press('Control+Enter');
    await page.locator('.json-line').first().waitFor();
    console.log(`a page of 1,000 rows: shown ${Math.round(performance.now() - beganAt)} ms after the request`);
    await page.getByText('1,000 rows').waitFor();
    expect(await page.locator('*').count(), 'only the visible lines are rendered').toBeLessThan(1_500);
    await page.getByText(bigNumber).first().waitFor();
    await page.getByText(hostileShown).first().waitFor();
    expect(await page.locator('.play img').count()).toBe(0);
    await window.checkScreen('playground-json');

    const view = page.locator('.view');
    await view.hover();
    for (let step = 0; step < 40; step += 1) {
      await page.mouse.wheel(0, 600);
      expect(await page.locator('.json-line').count()).toBeLessThan(120);
    }
    await page.locator('.json-line .line-number').getByText('1200', { exact: true }).waitFor();

    await page.getByRole('searchbox', { name: 'Find' }).fill('"actorName": "mara lindqvist 300"');
    await page.getByText('1 of 1').waitFor();
    await page.locator('.json-found').getByText('Mara Lindqvist 300').waitFor();
    await page.getByRole('searchbox', { name: 'Find' }).fill('payroll\\u202efdp');
    await page.getByText('1 of 1').waitFor();
    await page.getByRole('button', { name: 'Collapse rows' }).first().click();
    await page.locator('.json-line').getByText('…').first().waitFor();

    await page.getByRole('tab', { name: 'Table' }).click();
    const grid = page.getByRole('table');
    expect(await grid.getAttribute('aria-rowcount')).toBe('1001');
    await grid.getByText(bigNumber).first().waitFor();
    await grid.getByText(hostileShown).first().waitFor();
    await view.hover();
    await page.mouse.wheel(0, 28 * 500);
    await grid.locator('[aria-rowindex="502"]').waitFor();
    expect(await grid.locator('tbody tr').count()).toBeLessThan(80);
    await window.checkScreen('playground-table');
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByText('Requests left in this minute.').waitFor();
    await window.checkScreen('playground-headers');
  });

  test('fetching all pages returns each row once, and stops after twenty pages', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('100');
    await send(window);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('button', { name: 'Page 2' }).waitFor();
    await page.getByRole('button', { name: 'Fetch all pages' }).click();
    const { rows } = await on.product.superuser.query('select count(*)::int as rows from models.audit_log');
    expect(rows[0].rows).toBe(rowCount);
    await page.getByText('13 pages, 1,250 rows, duplicates 0, gaps 0').waitFor({ timeout: 180_000 });
    await page.getByRole('button', { name: 'Page 3', exact: true }).click();
    await page.getByText('Mara Lindqvist 1049"').first().waitFor();
    await window.checkScreen('playground-pages');

    await page.getByLabel('limit', { exact: true }).fill('50');
    await send(window);
    await page.getByRole('button', { name: 'Fetch all pages' }).click();
    await page.getByText(/^20 pages, 1,000 rows, duplicates 0, gaps 0\. Stopped/).waitFor({ timeout: 180_000 });
    await page.getByRole('button', { name: 'Fetch all pages' }).click();
    await page.getByText('25 pages, 1,250 rows, duplicates 0, gaps 0').waitFor({ timeout: 180_000 });
    await window.checkScreen('playground-twenty-pages');
  });

  test('a run is stored without its response, can be repeated, and shared as a link', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByRole('button', { name: 'MCP', exact: true }).click();
    await page.locator('.parameters').getByRole('button', { name: 'high', exact: true }).click();
    await page.getByLabel('limit', { exact: true }).fill('1000');
    await send(window);
    await page.getByText('250 rows').waitFor();
    await page.getByText('The text and structuredContent are identical').waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('251');
    await window.checkScreen('playground-mcp');
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));

    await choose(page, 'ping');
    await page.getByRole('tab', { name: 'History' }).click();
    const run = page.getByRole('row').filter({ hasText: 'list_logs' });
    await run.getByText('limit=1000 severity=high').waitFor();
    await window.checkScreen('playground-history');
    await run.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('250 rows').waitFor();
    expect(await page.getByLabel('Operation').inputValue()).toBe('list_logs');
    const stored = await on.product.superuser.query('select to_jsonb(r) as run from control.playground_run r');
    expect(JSON.stringify(stored.rows)).not.toContain('Mara Lindqvist');

    await using colleague = await on.open('admin');
    await colleague.page.goto(link);
    await colleague.page.getByLabel('limit', { exact: true }).waitFor();
    expect(await colleague.page.getByLabel('limit', { exact: true }).inputValue()).toBe('1000');
    expect(await colleague.page.getByLabel('severity', { exact: true }).inputValue()).toBe('high');
    expect(await colleague.page.getByRole('button', { name: 'MCP', exact: true }).getAttribute('aria-pressed')).toBe(
      'true',
    );
  });

  test('a time range continues from the last run', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const since = page
      .getByRole('group', { name: 'Time range of discoveredAt' })
      .getByRole('button', { name: 'Since last run' });
    expect(await since.isDisabled()).toBe(true);
    await page.getByLabel('limit', { exact: true }).fill('1');
    await send(window);
    const { completeThrough } = JSON.parse(await downloadResponse(page)).pagination;
    await since.click();
    expect(await page.getByLabel('discoveredFrom', { exact: true }).inputValue()).toBe(completeThrough);
    await page.reload();
    await page.locator('form.panel').waitFor();
    await expectSoon(() => since.isDisabled(), false);
    await since.click();
    const from = Date.parse(await page.getByLabel('discoveredFrom', { exact: true }).inputValue());
    expect(Math.abs(Date.now() - from)).toBeLessThan(60_000);
    await window.checkScreen('playground-since');
  });

  test('an invalid parameter is marked with the message of the server', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('5000');
    await showAllParameters(page);
    await page.getByLabel('occurredFrom', { exact: true }).fill('yesterday');
    await page.getByRole('button', { name: 'Fewer parameters' }).click();
    for (const mode of ['REST', 'MCP']) {
      await page.getByRole('button', { name: mode, exact: true }).click();
      await send(window);
      const limit = page.getByLabel('limit', { exact: true });
      await expectSoon(() => limit.getAttribute('aria-invalid'), 'true');
      const described = (await limit.getAttribute('aria-describedby'))?.split(' ').at(-1);
      expect(await page.locator(`#${described}`).textContent()).toContain('is not a whole number from 1 to 1000');
      expect(await page.getByLabel('occurredFrom', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    }
    await page.getByText('INVALID_PARAMETER').first().waitFor();
    await window.checkScreen('playground-wrong');
    await page.getByLabel('limit', { exact: true }).fill('500');
    expect(await page.getByLabel('limit', { exact: true }).getAttribute('aria-invalid')).toBe('false');

    await page.getByRole('button', { name: 'REST', exact: true }).click();
    await page.getByLabel('occurredFrom', { exact: true }).fill('');
    await showAllParameters(page);
    await page.getByLabel('cursor', { exact: true }).fill('invalid cursor');
    await send(window);
    await expectSoon(() => page.getByLabel('cursor', { exact: true }).getAttribute('aria-invalid'), 'true');
    await window.checkScreen('playground-wrong-cursor');
  });

  test('a run with the scopes of a key is refused like the key, until the scope is added for one run', async () => {
    const { id } = await on.createKey('Detections only', ['detections:read']);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('Run with scopes of').selectOption(id);
    await send(window);
    expect(await readStatus(page)).toContain('403 INSUFFICIENT_SCOPE');
    await window.checkScreen('playground-refused');
    await page.getByRole('button', { name: 'Add logs:read for this run' }).click();
    await page.getByText('200 OK').waitFor();
    expect(await page.getByLabel('Run with scopes of').inputValue()).toBe(id);
    await send(window);
    expect(await readStatus(page)).toContain('403');
    await choose(page, 'ping');
    await send(window);
    expect(JSON.parse(await downloadResponse(page)).data.scopes).toEqual(['detections:read']);
    await choose(page, 'list_logs');
    await send(window);
    await page.getByRole('button', { name: 'Run with my scopes' }).click();
    await page.getByText('200 OK').waitFor();
    await window.checkScreen('playground-added');
  });

  test('a run with a key of the playground that was revoked is refused, and offers one with a new key', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground?operation=ping');
    await send(window);
    expect(await readStatus(page)).toContain('200 OK');
    await on.product.superuser.query(
      `update control.api_key set revoked_at = clock_timestamp() where kind = 'playground' and revoked_at is null`,
    );
    await send(window);
    expect(await readStatus(page)).toContain('401 UNAUTHENTICATED');
    await page.getByText('was revoked or has expired').waitFor();
    await window.checkScreen('playground-revoked');
    await page.getByRole('button', { name: 'Run with a new key' }).click();
    await page.getByText('200 OK').waitFor();
  });

  const looks: [string, WindowOptions][] = [
    ['1024-dark', { width: 1024, height: 768, theme: 'dark' }],
    ['390-polish', { width: 390, height: 844, language: 'pl' }],
  ];
  /** By `npm run torture`: one takes 4 s of CPU time. */
  const furtherLooks: [string, WindowOptions][] = [
    ['dark', { theme: 'dark' }],
    ['polish', { language: 'pl' }],
    ['720-half-the-width', { width: 720, height: 450 }],
  ];
  test.each(isLong ? [...looks, ...furtherLooks] : looks)('a response is readable: %s', async (name, options) => {
    await using window = await on.open('admin', options);
    const { page } = window;
    const searchWith = (parameters: object) => `with=${encodeURIComponent(JSON.stringify(JSON.stringify(parameters)))}`;
    await window.go(`/playground?${searchWith({ limit: '100' })}`);
    await send(window);
    await expectSoon(() => isInViewport(page, '.play [role=status] .status'), true);
    for (const [view, tab] of ['json', 'table', 'headers', 'snippet', 'history'].entries()) {
      await page.getByRole('tab').nth(view).click();
      await page.locator('#panel').locator('.view, table, pre').first().waitFor();
      await window.checkScreen(`playground-${tab}-${name}`);
    }
    await window.go(`/playground?mode=mcp&${searchWith({ limit: '5000' })}`);
    await send(window);
    await expectSoon(() => isInViewport(page, '[aria-invalid=true]'), true);
    await window.checkScreen(`playground-wrong-${name}`);
  });

  test('the send shortcut does nothing below a dialog or during a run', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.locator('form.panel').waitFor();
    let runs = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/playground/run')) runs += 1;
    });
    await page.keyboard.press('Control+k');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    expect(runs).toBe(0);
    await window.go('/playground');
    await page.locator('form.panel').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+Enter');
    await page.getByText('200 OK').waitFor();
    expect(runs).toBe(1);
    await window.checkScreen('playground-once');
  });

  test('the playground is a tab of the API keys screen', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/keys');
    const tabs = page.locator('main').getByRole('navigation', { name: 'API keys' });
    await tabs.getByRole('link', { name: 'Playground' }).click();
    await page.waitForURL(/\/playground/);
    await page.locator('form.panel').waitFor();
    await tabs.getByRole('link', { name: 'Keys' }).click();
    await page.waitForURL(/\/keys/);
    await page.locator('main').locator('table, .empty').first().waitFor();
    await window.checkScreen('playground-tab');
  });

  // This test runs last: it stops the watermark, which every response contains.
  test('the download has the same bytes as the response to curl', async (context) => {
    on.stopLanes();
    const { secret } = await on.createKey('Comparer');
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('discoveredTo', { exact: true }).fill(new Date(Date.now() - 5_000).toISOString());
    await page.getByLabel('limit', { exact: true }).fill('1000');
    const line = await send(window);
    const downloaded = await downloadResponse(page);
    expect(JSON.parse(downloaded).data).toHaveLength(1_000);
    await window.checkScreen('playground-download');
    if (findProgram('curl') === null) return context.skip('curl is missing');
    const address = new URL(line.replace('GET ', ''), on.product.baseUrl).href;
    const args = ['--silent', '--header', `Authorization: Bearer ${secret}`, address];
    const { stdout } = await promisify(execFile)('curl', args, { maxBuffer: 1 << 26 });
    expect(downloaded === stdout, 'the same bytes').toBe(true);
  });
});
