import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { operations } from '@tenantscope/contract';
import { findProgram } from '@tenantscope/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();
const rowCount = 1_250;
/** A right-to-left override, an escape and markup: text of others. */
const hostile = 'payroll\u202Efdp.exe <img src=x onerror=alert(1)> \u001b[31m';
const bigNumber = '12345678901234567890';

describe.skipIf(chromium === null)('the playground in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
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
      `update models.audit_log set document = replace(document, '"description":', '"weight":${bigNumber},"description":')`,
    );
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const send = async ({ page }: Window) => {
    // The head of the screen stands before the operations are known.
    await page.locator('form.panel').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText(/ ms$/).first().waitFor();
  };

  test('offers every operation, by path or by tool, with all of its parameters', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    const picker = page.getByLabel('Operation');
    expect((await picker.locator('option').allTextContents()).toSorted()).toEqual(
      operations.map(({ path }) => `GET ${path}`).toSorted(),
    );
    for (const { name, parameters } of operations) {
      await picker.selectOption(name);
      const fields = page.locator('.parameters > .field > :is(label, legend)');
      expect((await fields.allTextContents()).toSorted(), name).toEqual(Object.keys(parameters).toSorted());
    }
    await page.getByRole('button', { name: 'MCP', exact: true }).click();
    expect((await picker.locator('option').allTextContents()).toSorted()).toEqual(
      operations.map(({ name }) => name).toSorted(),
    );
    await window.wellAs('playground-operations');
  });

  test('a thousand rows are shown by the lines in sight, are found, folded, and downloaded byte for byte', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit').fill('1000');
    await send(window);
    await page.getByText('1,000 rows').waitFor();
    expect(await page.locator('*').count(), 'only what is in sight is drawn').toBeLessThan(1_500);
    await page.getByText(bigNumber).first().waitFor();
    await page.getByText('payroll\\u202efdp.exe <img src=x onerror=alert(1)>').first().waitFor();
    await window.wellAs('playground-json');

    await page.getByRole('searchbox', { name: 'Find' }).fill('Mara Lindqvist 300"');
    await page.getByText('1 of 1').waitFor();
    await page.locator('.json-found').getByText('Mara Lindqvist 300').waitFor();
    await page.getByRole('button', { name: 'Fold rows' }).first().click();
    await page.locator('.json-line').getByText('…').first().waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    const bytes = await readFile(await download.path());
    const { secret } = await on.key('Comparer');
    const url = `${on.product.baseUrl}/logs?limit=1000&discoveredTo=${new Date(Date.now() - 1_000).toISOString()}`;
    const direct = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } });
    const rowsOf = (text: string) => text.slice(0, text.indexOf('"pagination"'));
    expect(rowsOf(bytes.toString())).toBe(rowsOf(await direct.text()));

    await page.getByRole('tab', { name: 'Table' }).click();
    const grid = page.getByRole('table');
    expect(await grid.getAttribute('aria-rowcount')).toBe('1001');
    await grid.getByText(bigNumber).first().waitFor();
    const view = page.locator('.view');
    await view.hover();
    await page.mouse.wheel(0, 28 * 500);
    await grid.locator('[aria-rowindex="502"]').waitFor();
    expect(await grid.locator('tbody tr').count()).toBeLessThan(80);
    await window.wellAs('playground-table');
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByText('Requests left in this minute.').waitFor();
    await window.wellAs('playground-headers');
  });

  test('following to the end meets every row once', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit').fill('100');
    await send(window);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('button', { name: 'Page 2' }).waitFor();
    await page.getByRole('button', { name: 'Follow to the end' }).click();
    await page.getByText('13 pages, 1,250 rows, 0 seen twice').waitFor({ timeout: 30_000 });
    await window.wellAs('playground-pages');
  });

  test('a tool answers what the path answers', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByRole('button', { name: 'MCP', exact: true }).click();
    await page.locator('.parameters').getByRole('button', { name: 'high' }).click();
    await page.getByLabel('limit').fill('1000');
    await send(window);
    await page.getByText('250 rows').waitFor();
    await page.getByText('structuredContent holds the bytes that REST answers.').waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('251');
    await window.wellAs('playground-mcp');
    const url = page.url();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('row').filter({ hasText: 'list_logs' }).first().waitFor();
    await window.wellAs('playground-history');

    await using colleague = await on.open('admin');
    await colleague.page.goto(url);
    await colleague.page.getByLabel('limit').waitFor();
    expect(await colleague.page.getByLabel('limit').inputValue()).toBe('1000');
  });

  test('what was asked wrongly is marked where it stands, in the server’s words', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit').fill('5000');
    await send(window);
    await page.locator('.field').filter({ hasText: 'limit' }).locator('.wrong').waitFor();
    expect(await page.getByLabel('limit').getAttribute('aria-invalid')).toBe('true');
    await window.wellAs('playground-wrong');
  });

  test('run with the scopes of a key, it is refused as the key would be', async () => {
    const { id } = await on.key('Detections only', ['detections:read']);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/playground?as=${id}`);
    await send(window);
    await page.locator('[role=status]').getByText('403').waitFor();
    await window.wellAs('playground-refused');
    await page.getByRole('button', { name: 'Run with my scopes' }).click();
    await page.locator('[role=status]').getByText('200').waitFor();
  });

  test('each snippet runs as it stands, with the key from the environment', async (context) => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.locator('.parameters').getByRole('button', { name: 'high' }).click();
    await page.getByLabel('limit').fill('100');
    await page.getByRole('tab', { name: 'Snippet' }).click();
    const { secret } = await on.key('Snippets', ['logs:read']);
    const env = { ...process.env, TENANTSCOPE_API_KEY: secret };
    const run = promisify(execFile);
    const programs = {
      curl: ['bash', '-c'],
      Python: ['python3', '-c'],
      TypeScript: [process.execPath, '--input-type=module-typescript', '--eval'],
    } as const;
    for (const [language, [program, ...words]] of Object.entries(programs)) {
      const needed = language === 'curl' ? ['bash', 'curl', 'jq'] : language === 'Python' ? ['python3'] : [];
      const missing = needed.filter((name) => findProgram(name) === null);
      if (missing.length > 0) {
        context.annotate(`${language}: skipped, since ${missing.join(', ')} is missing`);
        continue;
      }
      await page.getByRole('button', { name: language, exact: true }).click();
      const snippet = (await page.locator('#panel pre').textContent()) ?? '';
      expect(snippet).not.toContain('tscope_live_');
      const { stdout } = await run(program, [...words, snippet], { env, maxBuffer: 1 << 26 });
      const ids = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id);
      expect(new Set(ids).size, language).toBe(rowCount / 5);
      expect(ids, language).toHaveLength(rowCount / 5);
    }
    await page.getByRole('button', { name: 'MCP client' }).click();
    const client = JSON.parse((await page.locator('#panel pre').textContent()) ?? '');
    expect(client.mcpServers.tenantscope.url).toBe(`${on.product.baseUrl}/mcp`);
    await window.wellAs('playground-snippet');
  });
});
