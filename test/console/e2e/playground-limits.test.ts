import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { downloadOf, send, soon, statusOf } from './playground-actions.ts';
import { type SlowRoad, slowRoad } from './slow-proxy.ts';
import { type Stage, stage } from './stage.ts';

const chromium = await findChromium();
const rowCount = 1_250;
const longText = 'x'.repeat(25_000);

describe.skipIf(chromium === null)('what the playground runs into', { timeout: 120_000 }, () => {
  let on: Stage;
  let road: SlowRoad;
  beforeAll(async () => {
    road = await slowRoad();
    on = await stage(chromium ?? '', (_, baseUrl) => {
      road.leadTo(Number(new URL(baseUrl).port));
      return { TENANTSCOPE_PUBLIC_URL: `http://127.0.0.1:${road.port}/api/v1` };
    });
    const discovered = Date.now() - 3_600_000;
    const [first = '', second = ''] = on.tenantIds;
    const times = Array.from({ length: rowCount }, (_, index) => new Date(discovered + index * 1_000).toISOString());
    await on.log.write(
      first,
      times.map((discoveredAt) => ({ discoveredAt })),
    );
    for (let from = 0; from < 1_000; from += 100)
      await on.log.write(
        second,
        times.slice(from, from + 100).map((discoveredAt) => ({ discoveredAt, description: longText })),
      );
  }, 90_000);
  afterAll(async () => {
    await on?.[Symbol.asyncDispose]();
    await road?.[Symbol.asyncDispose]();
  });

  test('the budget counts down, following spares the last fifty calls, and who has none is told how long to wait', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('50');
    await send(window);
    await page.getByText('599 of 600 left').waitFor();
    await send(window);
    await page.getByText('598 of 600 left').waitFor();
    const width = () => page.locator('.budget-left').getAttribute('width');
    const before = Number(await width());

    const spend = (calls: number) =>
      page.evaluate(`(async () => {
        const body = JSON.stringify({ operation: 'ping', tenantId: '${on.tenantIds[0]}', mode: 'rest', parameters: {}, scopesOf: 'me' });
        const one = async (count) => {
          for (let call = 0; call < count; call += 1)
            await fetch('/console/api/playground/run', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
        };
        await Promise.all(Array.from({ length: 8 }, () => one(${calls / 8})));
      })()`);
    await spend(536);
    await send(window);
    await page.getByText('61 of 600 left').waitFor();
    expect(Number(await width())).toBeLessThan(before);
    await page.getByRole('button', { name: 'Fetch all pages' }).click();
    await page.getByText(/^12 pages, 600 rows, duplicates 0, gaps 0\. Stopped/).waitFor();
    await page.getByText('50 of 600 left').waitFor();
    await window.wellAs('playground-spared');
    await spend(56);
    await send(window);
    expect(await statusOf(page)).toContain('429 RATE_LIMITED');
    const waits = page.getByText(/^Rate limit exceeded\. Try again in \d+\s?s\.$/);
    const shown = await waits.textContent();
    await soon(async () => (await waits.textContent()) === shown, false);
    await window.wellAs('playground-429');
  });

  test('Cancel aborts a slow run in the browser, the console and the API, and stores it as cancelled', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('1');
    await send(window);
    road.hold();
    try {
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: 'Sending…' }).waitFor();
      await window.wellAs('playground-slow');
      const isGivenUp = () => road.givenUp().some((line) => line.startsWith('GET /api/v1/logs?limit=1 '));
      expect(isGivenUp()).toBe(false);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: /^Send/ }).waitFor();
      await soon(async () => isGivenUp(), true);
    } finally {
      road.clear();
    }
    await soon(async () => {
      const { rows } = await on.product.superuser.query('select 1 from control.playground_run where status = 499');
      return rows.length;
    }, 1);
    expect(await statusOf(page), 'what was known stays').toContain('200 OK');
    await send(window);
    expect(await statusOf(page)).toContain('200 OK');
    await window.wellAs('playground-cancelled');
  });

  test('beyond twenty megabytes nothing is read, and all of it can be had; below, the page lives while it is read', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/playground?tenant=${on.tenantIds[1]}`);
    await page.getByLabel('limit', { exact: true }).fill('1000');
    await send(window);
    await page.getByText('The response exceeds 20 MB').waitFor();
    const whole = await downloadOf(page);
    expect(JSON.parse(whole).data).toHaveLength(1_000);
    await window.wellAs('playground-too-large');
    await page.getByLabel('limit', { exact: true }).fill('700');
    await send(window);
    await page.getByText('700 rows').waitFor();
    await page.locator('.json-line').first().waitFor();
    await page
      .getByText(/ … 23,?\d{3} more characters/)
      .first()
      .waitFor();
    await window.wellAs('playground-large');
  });
});
