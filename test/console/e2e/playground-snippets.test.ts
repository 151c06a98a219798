import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { showAll } from './playground-actions.ts';
import { connectAsConfigured, runSnippets } from './run-snippet.ts';
import { type Stage, stage } from './stage.ts';

const chromium = await findChromium();
const rowCount = 500;
/** Everything that means something to a shell, a string or an eye. */
const workloads = [
  `it's "quoted" \\ $HOME $(id) \`id\` !! %41 #`,
  'Zażółć 日本 \u202egnp.exe\u200b \u{1f600}',
  'tab\tand\\u202e and @/etc/passwd & x=y; *',
  '\\',
];

describe.skipIf(chromium === null)('what the playground gives to take along', { timeout: 300_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
    const discovered = Date.now() - 3_600_000;
    await on.log.write(
      on.tenantIds[0] ?? '',
      Array.from({ length: rowCount }, (_, index) => ({
        discoveredAt: new Date(discovered + index * 1_000).toISOString(),
        severity: (['high', 'low', 'medium', 'critical', 'informational'] as const)[index % 5] ?? null,
        workload: workloads[index % 10] ?? 'Exchange',
      })),
    );
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('a list with several filters comes whole, page after page', async (context) => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    for (const severity of ['high', 'critical'])
      await page.locator('.parameters').getByRole('button', { name: severity, exact: true }).click();
    await page.getByLabel('limit', { exact: true }).fill('50');
    const { secret } = await on.key('Snippets', ['logs:read']);
    const ran = await runSnippets(page, secret, (why) => void context.annotate(why));
    expect(ran.length).toBeGreaterThan(0);
    for (const { language, printed } of ran) {
      expect(new Set(printed.map(({ id }) => id)).size, language).toBe((rowCount * 2) / 5);
      expect(printed, language).toHaveLength((rowCount * 2) / 5);
    }
    await window.wellAs('playground-snippet');
  });

  test.each(workloads)('a snippet sends the value unchanged: %j', async (workload) => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(
      `/playground?with=${encodeURIComponent(JSON.stringify(JSON.stringify({ workload, limit: '20' })))}`,
    );
    await page.getByLabel('workload', { exact: true }).waitFor();
    expect(await page.getByLabel('workload', { exact: true }).inputValue()).toBe(workload);
    const { secret } = await on.key('Snippets', ['logs:read']);
    const ran = await runSnippets(page, secret, (why) => console.log(why));
    const shown = (await page.locator('#panel pre').textContent()) ?? '';
    expect(shown, 'nothing in it that cannot be seen').not.toMatch(/[\u202e\u200b\t]/);
    for (const { language, printed } of ran) {
      expect(printed, language).toHaveLength(rowCount / 10);
      expect(new Set(printed.map((row) => row.workload)), language).toEqual(new Set([workload]));
    }
    await window.wellAs('playground-hostile-snippet');
  });

  test('a value of two lines stays one value, and a cursor is where it begins', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    const { secret } = await on.key('Snippets', ['logs:read']);
    const asked = await fetch(`${on.product.baseUrl}/logs?limit=490`, {
      headers: { Authorization: `Bearer ${secret}` },
    });
    const cursor = JSON.parse(await asked.text()).pagination.nextCursor;
    const given = { actorIp: "two\nlines'", cursor };
    await window.go(`/playground?with=${encodeURIComponent(JSON.stringify(JSON.stringify(given)))}`);
    await page.locator('form.panel').waitFor();
    await showAll(page);
    expect(await page.getByLabel('cursor', { exact: true }).inputValue()).toBe(cursor);
    const ran = await runSnippets(page, secret, (why) => console.log(why));
    for (const { language, printed } of ran) expect(printed, language).toHaveLength(10);
    await window.wellAs('playground-cursor-snippet');
  });

  test('an MCP client that is configured so reads the tenant', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.locator('form.panel').waitFor();
    const { secret } = await on.key('Agent');
    const client = await connectAsConfigured(page, secret);
    const answer = await client.callTool({ name: 'list_logs', arguments: { limit: 3 } });
    expect(answer.structuredContent).toMatchObject({ data: [{}, {}, {}] });
    await client.close();
    await window.wellAs('playground-client');
  });
});
