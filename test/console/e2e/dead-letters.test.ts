import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../../installation/activity-records.ts';
import { eventually } from '../../installation/eventually.ts';
import { findChromium } from './chromium.ts';
import { type LiveStage, liveStage } from './live-stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('dead letters in a browser, done by real ingestion', { timeout: 120_000 }, () => {
  let on: LiveStage;
  beforeAll(async () => {
    on = await liveStage(chromium ?? '');
  }, 120_000);
  afterAll(async () => on?.[Symbol.asyncDispose](), 60_000);

  const append = (message: Parameters<LiveStage['broker']['append']>[2][number], partition = 0) =>
    on.broker.append(on.running.activityTopic, partition, [message]);
  const enter = (tenantId: string) =>
    on.looking.client.query(
      `insert into control.tenant (id, name, organization_id, plan, digest) values ($1, 'Late', $2, 'api', sha256($3))`,
      [tenantId, on.visited.organizationId, Buffer.from(tenantId)],
    );
  const row = ({ page }: Window, text: string) => page.getByRole('row').filter({ hasText: text });
  const choose = async (window: Window, text: string) => {
    const box = row(window, text).getByRole('checkbox');
    await box.waitFor({ timeout: 30_000 });
    await box.check();
  };
  const discardAll = async (window: Window, why: string) => {
    const { page } = window;
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByLabel('Reason').fill(why);
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText(/^\S\s*\d+ × discarded$/).waitFor({ timeout: 40_000 });
  };

  test('a malformed record becomes one dead letter, which is dry-run, fixed and replayed', async () => {
    const tenantId = randomUUID();
    await append(activityMessage(tenantId, activityRecord(1)));
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/feeds');
    await page.getByRole('link', { name: 'View dead letters' }).click();
    await row(window, 'Unknown tenant').getByRole('checkbox').waitFor({ timeout: 30_000 });
    await page.getByText('The tenant ID is unknown. Add the tenant, then replay.').waitFor();
    await choose(window, 'Unknown tenant');
    expect(await page.getByRole('checkbox').count(), 'one letter, and all of them').toBe(2);

    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('1 × refused again').waitFor({ timeout: 40_000 });
    await window.wellAs('dead-letters-tried');
    await enter(tenantId);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('1 × would be imported').waitFor({ timeout: 40_000 });

    await page.getByRole('button', { name: 'Replay 1…' }).click();
    const sure = page.getByRole('dialog', { name: 'Replay 1 dead letter' });
    await sure.getByText(`${on.running.activityTopic}: 1`).waitFor();
    await sure.getByText('sequential, at most 50 per second').waitFor();
    await sure.getByText('3 of 3').waitFor();
    await sure.getByText(/^npx tenantscope dead-letters replay [0-9a-f-]{36}/).waitFor();
    await window.wellAs('dead-letters-sure');
    await sure.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('1 × imported').waitFor({ timeout: 40_000 });
    expect(await on.looking.rowCount(tenantId)).toBe(1);

    await page.getByLabel('Status').selectOption('Settled');
    await choose(window, 'Unknown tenant');
    await page.getByRole('button', { name: 'Replay 1…' }).click();
    await page.getByRole('dialog').getByText('2 of 3').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('1 × already imported').waitFor({ timeout: 40_000 });
    expect(await on.looking.rowCount(tenantId)).toBe(1);
    await window.wellAs('dead-letters-duplicate');
  });

  test('hostile text is shown escaped and binary data as hex, and a discard requires a reason', async () => {
    const [tenantId = ''] = on.visited.tenantIds;
    const hostile = '{"torn": "<img src=x onerror=alert(1)>\u202e\u0000\u0007\u200b';
    await append({ ...activityMessage(tenantId, {}), value: hostile });
    await append({ ...activityMessage(tenantId, {}), value: Buffer.from([0xff, 0x00, 0x41, 0x7b]) });
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await row(window, 'Truncated or invalid JSON').getByRole('checkbox').waitFor({ timeout: 30_000 });
    await page.locator('table').last().getByRole('button', { name: 'Truncated or invalid JSON' }).click();
    const detail = page.getByRole('region', { name: 'Dead letter' });
    await detail.getByText(/^partition 0, offset \d+, element 0$/).waitFor();
    expect(await detail.getByText('{"torn"').count(), 'not before it is asked for').toBe(0);
    await detail.getByRole('button', { name: 'Show message' }).click();
    await detail.getByText('{"torn": "<img src=x onerror=alert(1)>\\u202e\\u0000\\u0007\\u200b').waitFor();
    await detail.getByText('ce_type').waitFor();
    await window.wellAs('dead-letters-opened');

    await page.locator('table').last().getByRole('button', { name: 'Not valid UTF-8' }).click();
    await detail.getByRole('heading', { name: 'Not valid UTF-8' }).waitFor();
    await detail.getByRole('button', { name: 'Show message' }).click();
    await detail.getByText('0000  ff 00 41 7b').waitFor();
    await detail.getByText('4 bytes, not UTF-8, shown as hex').waitFor();
    await window.wellAs('dead-letters-bytes');

    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('   ');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByRole('dialog').count(), 'nothing goes without a reason').toBe(1);
    await window.wellAs('dead-letters-why');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await discardAll(window, 'sent by a test');
    await page.getByText('No dead letters. Every record received was imported.').waitFor({ timeout: 10_000 });

    await window.go('/audit');
    for (const act of [
      /^tried out dead letters/,
      /^replayed dead letters/,
      /^discarded dead letters/,
      /^opened dead letter/,
    ])
      await page.getByRole('button', { name: act }).first().waitFor();
    await window.wellAs('dead-letters-audit');
  });

  test('filters narrow by reason, topic, time and the tenant of the frame, stand in the address, and survive a reload', async () => {
    const [first = '', second = ''] = on.visited.tenantIds;
    await append(activityMessage(first, { ...activityRecord(1), Operation: '' }));
    await append({ ...activityMessage(second, {}), value: '{"torn":' });
    const directory = on.running.activityTopic.replace('raw.activity', 'tenant');
    await on.broker.append(directory, 0, [{ key: randomUUID(), value: '{"torn":' }]);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/feeds/dead-letters');
    const letters = () => page.getByRole('checkbox').count();
    await eventually('three letters are shown', 40_000, async () => (await letters()) === 4);

    await page.getByLabel('Topic').selectOption(directory);
    await eventually('one of the directory', 10_000, async () => (await letters()) === 2);
    await page.reload();
    await eventually('it is still that one', 10_000, async () => (await letters()) === 2);
    await page.getByRole('button', { name: 'Clear topic and time' }).click();
    await page.getByLabel('Received from (UTC)').fill('2020-01-01 00:00');
    await page.getByLabel('Received to (UTC)', { exact: true }).fill('2020-01-02');
    await page.getByText('No dead letters match.').waitFor();
    await window.wellAs('dead-letters-none-such');
    await page.getByRole('button', { name: 'Clear topic and time' }).click();
    await page.getByRole('button', { name: 'No action' }).first().click();
    await eventually('one of that reason', 10_000, async () => (await letters()) === 2);
    expect(
      await page.getByRole('row').filter({ hasText: 'Truncated or invalid JSON' }).count(),
      'other reasons stay to be chosen',
    ).toBe(1);
    await window.go(`/feeds/dead-letters?tenant=${second}`);
    await eventually('those of the tenant', 10_000, async () => (await letters()) === 2);
    await row(window, 'Second').getByRole('checkbox').waitFor();
    await window.wellAs('dead-letters-of-a-tenant');
    await window.go('/feeds/dead-letters');
    await eventually('all again', 10_000, async () => (await letters()) === 4);
    await discardAll(window, 'enough of them');
  });

  test.each(['officer', 'viewer'] as const)('%s sees how many there are and why, and no record', async (role) => {
    const [tenantId = ''] = on.visited.tenantIds;
    await append({ ...activityMessage(tenantId, {}), value: '{"secret of somebody' });
    await using window = await on.open(role);
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await row(window, 'Truncated or invalid JSON').waitFor({ timeout: 30_000 });
    await page.getByText('Only administrators can view individual records.').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Dry run' }).count()).toBe(0);
    expect(await page.content()).not.toContain('secret of somebody');
    await window.wellAs(`dead-letters-${role}`);
  });

  test('two administrators at once: both see what became of it, and it is one row', async () => {
    const tenantId = randomUUID();
    await append(activityMessage(tenantId, activityRecord(3)), 4);
    await using one = await on.open('admin');
    await using other = await on.open('admin');
    await Promise.all([one, other].map((window) => window.go('/feeds/dead-letters')));
    await Promise.all([one, other].map((window) => choose(window, 'Unknown tenant')));
    await enter(tenantId);
    for (const { page } of [one, other]) await page.getByRole('button', { name: 'Replay 1…' }).click();
    await Promise.all(
      [one, other].map(({ page }) =>
        page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click(),
      ),
    );
    await Promise.all(
      [one, other].map(({ page }) => page.getByText(/1 × (imported|already imported)/).waitFor({ timeout: 40_000 })),
    );
    expect(await on.looking.rowCount(tenantId)).toBe(1);
    await one.wellAs('dead-letters-two');
    await other.wellAs('dead-letters-two-other');
  });

  test('a request waits while ingest is down, reports it, and is executed afterwards', async () => {
    const [tenantId = ''] = on.visited.tenantIds;
    await append(activityMessage(tenantId, { ...activityRecord(1), Operation: '' }), 2);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await choose(window, 'No action');
    await on.stopIngest();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Dry run: waiting for ingest · 0 of 1').waitFor();
    await page.getByText(/^▲ No ingestion has taken it yet\./).waitFor({ timeout: 15_000 });
    await window.wellAs('dead-letters-waiting');
    await on.startIngest();
    await page.getByText('1 × refused again').waitFor({ timeout: 60_000 });
    await window.wellAs('dead-letters-waited');
  });

  test.each([
    ['dark', { theme: 'dark' }],
    ['polish', { language: 'pl' }],
    ['narrow', { width: 390, height: 844 }],
    ['narrow-polish', { width: 390, height: 844, language: 'pl' }],
  ] as const)('it can be read by everybody: %s', async (name, options) => {
    await using window = await on.open('admin', options);
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await page.getByRole('checkbox').nth(1).waitFor({ timeout: 30_000 });
    await window.wellAs(`dead-letters-${name}`);
    await page.locator('table').last().locator('tbody button').first().click();
    await page.locator('.panel-side dl').waitFor();
    await page.locator('.panel-side .stack-tight button').first().click();
    await page.locator('.panel-side pre').first().waitFor();
    await window.wellAs(`dead-letters-${name}-open`);
  });
});
