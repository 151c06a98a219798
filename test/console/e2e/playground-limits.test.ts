// @module-tag torture
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { choose, downloadResponse, expectSoon, readStatus, send } from './playground-actions.ts';
import { type SlowProxy, startSlowProxy } from './slow-proxy.ts';
import { type Stage, startStage } from './stage.ts';

const chromium = await findChromium();
const rowCount = 1_250;
/** Of agents and of their instructions: a section of the pack ends at 16 MiB, and two of them exceed 20 MB. */
const agentCount = 1_500;
const changeCount = 300;

describe.skipIf(chromium === null)('the limits of the playground', { tags: ['browser'] }, () => {
  let on: Stage;
  let proxy: SlowProxy;
  beforeAll(async () => {
    proxy = await startSlowProxy();
    on = await startStage(chromium ?? '', (_, baseUrl) => {
      proxy.setTarget(Number(new URL(baseUrl).port));
      return { TENANTSCOPE_PUBLIC_URL: `http://127.0.0.1:${proxy.port}/api/v1` };
    });
    const discovered = Date.now() - 3_600_000;
    const [first = '', second = ''] = on.tenantIds;
    const { superuser } = on.product;
    const times = Array.from({ length: rowCount }, (_, index) => new Date(discovered + index * 1_000).toISOString());
    await on.log.write(
      first,
      times.map((discoveredAt) => ({ discoveredAt })),
    );
    const values = [second, new Date(discovered).toISOString()];
    await superuser.query(
      `insert into models.entity_agent (tenant_id, id, version, digest, updated_at, first_seen_at, is_deleted, document, detail)
       select $1, 'agent-' || n, 1, '', $2, $2, false, '{}', '{}' from generate_series(1, ${agentCount}) n`,
      values,
    );
    await superuser.query(
      `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
       select $1, 'agent', 'agent-' || n, false, $2, jsonb_build_object('displayName', 'Agent ' || n, 'description', repeat('Answers questions about orders. ', 250))
         from generate_series(1, ${agentCount}) n`,
      values,
    );
    await superuser.query(
      `insert into models.agent_evidence (tenant_id, id, version, digest, updated_at, happened_at, kind, record_id, agent_id, is_deletion, document)
       select $1::uuid, 'instructionChange/' || n, 1, '', $2, $2, 'instructionChange', n, 'agent-' || n, false,
              jsonb_build_object('id', 'instructionChange/' || n, 'kind', 'instructionChange', 'recordId', n::text, 'payload', jsonb_build_object(
                'id', n::text, 'agentId', 'agent-' || n, 'currentText', repeat('Answer politely and briefly. ', 1_700), 'diffSummary', '{}'::jsonb))::text
         from generate_series(1, ${changeCount}) n`,
      values,
    );
  });
  afterAll(async () => {
    await on?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
  });

  test('the rate limit counts down, fetching all pages preserves the last fifty requests, and a 429 shows how long to wait', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('50');
    await send(window);
    await page.getByText('599 of 600 requests left').waitFor();
    await send(window);
    await page.getByText('598 of 600 requests left').waitFor();
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
    await page.getByText('61 of 600 requests left').waitFor();
    expect(Number(await width())).toBeLessThan(before);
    await page.getByRole('button', { name: 'Fetch all pages' }).click();
    await page.getByText(/^12 pages, 600 rows, duplicates 0, gaps 0\. Stopped/).waitFor();
    await page.getByText('50 of 600 requests left').waitFor();
    await window.checkScreen('playground-spared');
    await spend(56);
    await send(window);
    expect(await readStatus(page)).toContain('429 RATE_LIMITED');
    const waits = page.getByText(/^Rate limit exceeded\. Try again in \d+\s?s\.$/);
    const shown = await waits.textContent();
    await expectSoon(async () => (await waits.textContent()) === shown, false);
    await window.checkScreen('playground-429');
  });

  test('Cancel aborts a slow run in the browser, the console and the API, and stores it as cancelled', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/playground');
    await page.getByLabel('limit', { exact: true }).fill('1');
    await send(window);
    proxy.pause();
    try {
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: 'Sending…' }).waitFor();
      await window.checkScreen('playground-slow');
      const isAbandoned = () => proxy.abandonedRequests().some((line) => line.startsWith('GET /api/v1/logs?limit=1 '));
      expect(isAbandoned()).toBe(false);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: /^Send/ }).waitFor();
      await expectSoon(async () => isAbandoned(), true);
    } finally {
      proxy.resume();
    }
    await expectSoon(async () => {
      const { rows } = await on.product.superuser.query('select 1 from control.playground_run where status = 499');
      return rows.length;
    }, 1);
    expect(await readStatus(page), 'the previous response remains').toContain('200 OK');
    await send(window);
    expect(await readStatus(page)).toContain('200 OK');
    await window.checkScreen('playground-cancelled');
  });

  test('a response over 20 MB is not shown but can be downloaded, and the page stays responsive while a smaller one is parsed', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await window.go(`/playground?tenant=${on.tenantIds[1]}`);
    await choose(page, 'get_agent_evidence_pack');
    const sections = page.getByLabel('sections', { exact: true });
    await sections.fill('inventory,instruction_changes');
    await send(window);
    await page.getByText('The response exceeds 20 MB').waitFor();
    const whole = await downloadResponse(page);
    expect(whole.length).toBeGreaterThan(20_000_000);
    const pack = JSON.parse(whole).data as { sections: { key: string; rowCount: number }[] };
    expect(pack.sections.map(({ key, rowCount: rows }) => [key, rows])).toEqual([
      ['inventory', agentCount],
      ['instruction_changes', changeCount],
    ]);
    await window.checkScreen('playground-too-large');
    await sections.fill('instruction_changes');
    await send(window);
    await page.getByRole('searchbox', { name: 'Find' }).fill('"currentText": "Answer politely');
    await page.getByText(`1 of ${changeCount}`).waitFor();
    await page
      .getByText(/ … \d{2},?\d{3} more characters/)
      .first()
      .waitFor();
    await window.checkScreen('playground-large');
  });
});
