// @module-tag torture
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { showAllParameters } from './playground-actions.ts';
import { connectAsConfigured, runSnippets } from './run-snippet.ts';
import { type Stage, startStage } from './stage.ts';

const chromium = await findChromium();
const rowCount = 500;
/** Characters with a meaning in shells and string literals, and invisible characters. */
const workloads = [
  `it's "quoted" \\ $HOME $(id) \`id\` !! %41 #`,
  'Zażółć 日本 \u202egnp.exe\u200b \u{1f600}',
  'tab\tand\\u202e and @/etc/passwd & x=y; *',
  '\\',
];

describe.skipIf(chromium === null)('the snippets of the playground', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
    const discovered = Date.now() - 3_600_000;
    await on.log.write(
      on.tenantIds[0] ?? '',
      Array.from({ length: rowCount }, (_, index) => ({
        discoveredAt: new Date(discovered + index * 1_000).toISOString(),
        severity: (['high', 'low', 'medium', 'critical', 'informational'] as const)[index % 5] ?? null,
        workload: workloads[index % 10] ?? 'Exchange',
      })),
    );
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('a snippet of a list with several filters returns all pages', async (context) => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    for (const severity of ['high', 'critical'])
      await page.locator('.parameters').getByRole('button', { name: severity, exact: true }).click();
    await page.getByLabel('limit', { exact: true }).fill('50');
    const { secret } = await on.createKey('Snippets', ['logs:read']);
    const runs = await runSnippets(page, secret, (reason) => void context.annotate(reason));
    expect(runs.length).toBeGreaterThan(0);
    for (const { language, output } of runs) {
      expect(new Set(output.map(({ id }) => id)).size, language).toBe((rowCount * 2) / 5);
      expect(output, language).toHaveLength((rowCount * 2) / 5);
    }
    await window.checkScreen('playground-snippet');
  });

  test.each(workloads)('a snippet sends the value unchanged: %j', async (workload) => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(
      `/playground?with=${encodeURIComponent(JSON.stringify(JSON.stringify({ workload, limit: '20' })))}`,
    );
    await page.getByLabel('workload', { exact: true }).waitFor();
    expect(await page.getByLabel('workload', { exact: true }).inputValue()).toBe(workload);
    const { secret } = await on.createKey('Snippets', ['logs:read']);
    const runs = await runSnippets(page, secret, (reason) => console.log(reason));
    const shown = (await page.locator('#panel pre').textContent()) ?? '';
    expect(shown, 'the snippet has no invisible characters').not.toMatch(/[\u202e\u200b\t]/);
    for (const { language, output } of runs) {
      expect(output, language).toHaveLength(rowCount / 10);
      expect(new Set(output.map((row) => row.workload)), language).toEqual(new Set([workload]));
    }
    await window.checkScreen('playground-hostile-snippet');
  });

  test('a value of two lines stays one value, and the snippet starts at the cursor', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    const { secret } = await on.createKey('Snippets', ['logs:read']);
    const response = await fetch(`${on.product.baseUrl}/logs?limit=490`, {
      headers: { Authorization: `Bearer ${secret}` },
    });
    const cursor = JSON.parse(await response.text()).pagination.nextCursor;
    const parameters = { actorIp: "two\nlines'", cursor };
    await window.go(`/playground?with=${encodeURIComponent(JSON.stringify(JSON.stringify(parameters)))}`);
    await page.locator('form.panel').waitFor();
    await showAllParameters(page);
    expect(await page.getByLabel('cursor', { exact: true }).inputValue()).toBe(cursor);
    const runs = await runSnippets(page, secret, (reason) => console.log(reason));
    for (const { language, output } of runs) expect(output, language).toHaveLength(10);
    await window.checkScreen('playground-cursor-snippet');
  });

  test('an MCP client with the displayed configuration reads the tenant', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.locator('form.panel').waitFor();
    const { secret } = await on.createKey('Agent');
    const client = await connectAsConfigured(page, secret);
    const result = await client.callTool({ name: 'list_logs', arguments: { limit: 3 } });
    expect(result.structuredContent).toMatchObject({ data: [{}, {}, {}] });
    await client.close();
    await window.checkScreen('playground-client');
  });
});
