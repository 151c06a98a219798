import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../../installation/activity-records.ts';
import { eventually } from '../../installation/eventually.ts';
import { findChromium } from './chromium.ts';
import { type LiveStage, startLiveStage } from './live-stage.ts';
import type { Window } from './window.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('dead letters in a browser, with real ingest', { tags: ['browser'] }, () => {
  let on: LiveStage;
  beforeAll(async () => {
    on = await startLiveStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const append = (message: Parameters<LiveStage['broker']['append']>[2][number], partition = 0) =>
    on.broker.append(on.running.activityTopic, partition, [message]);
  const addTenant = (tenantId: string) =>
    on.inspector.client.query(
      `insert into control.tenant (id, name, organization_id, plan, digest) values ($1, 'Late', $2, 'api', sha256($3))`,
      [tenantId, on.testConsole.organizationId, Buffer.from(tenantId)],
    );
  const row = ({ page }: Window, text: string) => page.getByRole('row').filter({ hasText: text });
  const selectRow = async (window: Window, text: string) => {
    const box = row(window, text).getByRole('checkbox');
    await box.waitFor({ timeout: 180_000 });
    await box.check();
  };
  const discardAll = async (window: Window, reason: string) => {
    const { page } = window;
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByLabel('Reason').fill(reason);
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
    await row(window, 'Unknown tenant').getByRole('checkbox').waitFor({ timeout: 180_000 });
    await page.getByText('The tenant ID is unknown. Add the tenant, then replay.').waitFor();
    await selectRow(window, 'Unknown tenant');
    expect(await page.getByRole('checkbox').count(), 'one dead letter, and select all').toBe(2);

    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('1 × rejected again').waitFor({ timeout: 40_000 });
    await window.checkScreen('dead-letters-dry-run');
    await addTenant(tenantId);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('1 × would be imported').waitFor({ timeout: 40_000 });

    await page.getByRole('button', { name: 'Replay 1…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay 1 dead letter' });
    await dialog.getByText(`${on.running.activityTopic}: 1`).waitFor();
    await dialog.getByText('sequential, at most 50 per second').waitFor();
    await dialog.getByText('3 of 3').waitFor();
    await dialog.getByText(/^npx tenantscope dead-letters replay [0-9a-f-]{36}/).waitFor();
    await window.checkScreen('dead-letters-confirm-replay');
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('1 × imported').waitFor({ timeout: 40_000 });
    expect(await on.inspector.rowCount(tenantId)).toBe(1);

    await page.getByLabel('Status').selectOption('Settled');
    await selectRow(window, 'Unknown tenant');
    await page.getByRole('button', { name: 'Replay 1…' }).click();
    await page.getByRole('dialog').getByText('2 of 3').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('1 × already imported').waitFor({ timeout: 40_000 });
    expect(await on.inspector.rowCount(tenantId)).toBe(1);
    await window.checkScreen('dead-letters-duplicate');
  });

  test('hostile text is shown escaped and binary data as hex, and a discard requires a reason', async () => {
    const [tenantId = ''] = on.testConsole.tenantIds;
    const hostile = '{"torn": "<img src=x onerror=alert(1)>\u202e\u0000\u0007\u200b';
    await append({ ...activityMessage(tenantId, {}), value: hostile });
    await append({ ...activityMessage(tenantId, {}), value: Buffer.from([0xff, 0x00, 0x41, 0x7b]) });
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await row(window, 'Truncated or invalid JSON').getByRole('checkbox').waitFor({ timeout: 180_000 });
    await page.locator('table').last().getByRole('button', { name: 'Truncated or invalid JSON' }).click();
    const detail = page.getByRole('region', { name: 'Dead letter' });
    // The message as a whole was rejected, not an element of it.
    await detail.getByText(/^partition 0, offset \d+$/).waitFor();
    expect(await detail.getByText('{"torn"').count(), 'the message is hidden until requested').toBe(0);
    await detail.getByRole('button', { name: 'Show message' }).click();
    await detail.getByText('{"torn": "<img src=x onerror=alert(1)>\\u202e\\u0000\\u0007\\u200b').waitFor();
    await detail.getByText('ce_type').waitFor();
    await window.checkScreen('dead-letters-opened');

    await page.locator('table').last().getByRole('button', { name: 'Not valid UTF-8' }).click();
    await detail.getByRole('heading', { name: 'Not valid UTF-8' }).waitFor();
    await detail.getByRole('button', { name: 'Show message' }).click();
    await detail.getByText('0000  ff 00 41 7b').waitFor();
    await detail.getByText('4 bytes, not UTF-8, shown as hex').waitFor();
    await window.checkScreen('dead-letters-bytes');

    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('   ');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByRole('dialog').count(), 'a discard requires a reason').toBe(1);
    await window.checkScreen('dead-letters-discard-reason');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await discardAll(window, 'sent by a test');
    await page.getByText('No dead letters. Every record received was imported.').waitFor({ timeout: 10_000 });

    await window.go('/audit');
    for (const summary of [
      /^ran a dry run on 1 dead letter$/,
      /^replayed 1 dead letter$/,
      /^discarded 2 dead letters$/,
      /^viewed dead letter /,
    ])
      await page.getByRole('button', { name: summary }).first().waitFor();
    await window.checkScreen('dead-letters-audit');
  });

  test('filters by reason, topic, time and tenant are part of the URL and survive a reload', async () => {
    const [first = '', second = ''] = on.testConsole.tenantIds;
    await append(activityMessage(first, { ...activityRecord(1), Operation: '' }));
    await append({ ...activityMessage(second, {}), value: '{"torn":' });
    const directory = on.running.activityTopic.replace('raw.activity', 'tenant');
    await on.broker.append(directory, 0, [{ key: randomUUID(), value: '{"torn":' }]);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/feeds/dead-letters');
    const checkboxes = () => page.getByRole('checkbox').count();
    await eventually('three dead letters are shown', 40_000, async () => (await checkboxes()) === 4);

    await page.getByLabel('Topic').selectOption(directory);
    await eventually('one dead letter of the directory topic is shown', 10_000, async () => (await checkboxes()) === 2);
    await page.reload();
    await eventually('the same dead letter is shown after the reload', 10_000, async () => (await checkboxes()) === 2);
    await page.getByRole('button', { name: 'Clear topic and time' }).click();
    await page.getByLabel('Received from (UTC)').fill('2020-01-01 00:00');
    await page.getByLabel('Received to (UTC)', { exact: true }).fill('2020-01-02');
    await page.getByText('No dead letters match.').waitFor();
    await window.checkScreen('dead-letters-no-match');
    await page.getByRole('button', { name: 'Clear topic and time' }).click();
    await page.getByRole('button', { name: 'No action' }).first().click();
    await eventually('one dead letter of the reason is shown', 10_000, async () => (await checkboxes()) === 2);
    expect(
      await page.getByRole('row').filter({ hasText: 'Truncated or invalid JSON' }).count(),
      'other reasons stay selectable',
    ).toBe(1);
    await window.go(`/feeds/dead-letters?tenant=${second}`);
    await eventually('the dead letter of the tenant is shown', 10_000, async () => (await checkboxes()) === 2);
    await row(window, 'Second').getByRole('checkbox').waitFor();
    await window.checkScreen('dead-letters-by-tenant');
    await window.go('/feeds/dead-letters');
    await eventually('all dead letters are shown again', 10_000, async () => (await checkboxes()) === 4);
    const last = Buffer.from(JSON.stringify(['2020-01-01T00:00:00.000Z', randomUUID()])).toString('base64url');
    await window.go(`/feeds/dead-letters?cursor=${last}`);
    await page.getByRole('button', { name: 'Newest' }).click();
    await eventually('the first page is shown', 10_000, async () => (await checkboxes()) === 4);
    await discardAll(window, 'end of the test');
  });

  test.each(['officer', 'viewer'] as const)('the role %s sees counts by reason and no record', async (role) => {
    const [tenantId = ''] = on.testConsole.tenantIds;
    await append({ ...activityMessage(tenantId, {}), value: '{"secret of a user' });
    await using window = await on.open(role);
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await row(window, 'Truncated or invalid JSON').waitFor({ timeout: 180_000 });
    await page.getByText('Only administrators can view individual records.').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Dry run' }).count()).toBe(0);
    expect(await page.content()).not.toContain('secret of a user');
    await window.checkScreen(`dead-letters-${role}`);
  });

  test('two administrators replay a dead letter at the same time: both see the result, and one row is stored', async () => {
    const tenantId = randomUUID();
    await append(activityMessage(tenantId, activityRecord(3)), 4);
    await using one = await on.open('admin');
    await using other = await on.open('admin');
    await Promise.all([one, other].map((window) => window.go('/feeds/dead-letters')));
    await Promise.all([one, other].map((window) => selectRow(window, 'Unknown tenant')));
    await addTenant(tenantId);
    for (const { page } of [one, other]) await page.getByRole('button', { name: 'Replay 1…' }).click();
    await Promise.all(
      [one, other].map(({ page }) =>
        page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click(),
      ),
    );
    await Promise.all(
      [one, other].map(({ page }) => page.getByText(/1 × (imported|already imported)/).waitFor({ timeout: 40_000 })),
    );
    expect(await on.inspector.rowCount(tenantId)).toBe(1);
    await one.checkScreen('dead-letters-two');
    await other.checkScreen('dead-letters-two-other');
  });

  test('a request waits while ingest is down, reports it, and is executed afterwards', async () => {
    const [tenantId = ''] = on.testConsole.tenantIds;
    await append(activityMessage(tenantId, { ...activityRecord(1), Operation: '' }), 2);
    await using window = await on.open('admin');
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await selectRow(window, 'No action');
    await on.stopIngest();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Dry run: waiting for ingest · 0 of 1').waitFor();
    await page.getByText(/^▲ Ingest has not picked up this request yet\./).waitFor({ timeout: 15_000 });
    await window.checkScreen('dead-letters-waiting');
    await on.startIngest();
    await page.getByText('1 × rejected again').waitFor({ timeout: 180_000 });
    await window.checkScreen('dead-letters-executed');
  });

  test.each([
    ['dark', { theme: 'dark' }],
    ['polish', { language: 'pl' }],
    ['narrow', { width: 390, height: 844 }],
    ['narrow-polish', { width: 390, height: 844, language: 'pl' }],
  ] as const)('the page is accessible: %s', async (name, options) => {
    await using window = await on.open('admin', options);
    const { page } = window;
    await window.go('/feeds/dead-letters');
    await page.getByRole('checkbox').nth(1).waitFor({ timeout: 180_000 });
    await window.checkScreen(`dead-letters-${name}`);
    await page.locator('table').last().locator('tbody button').first().click();
    await page.locator('.panel-side dl').waitFor();
    await page.locator('.panel-side .stack-tight button').first().click();
    await page.locator('.panel-side pre').first().waitFor();
    await window.checkScreen(`dead-letters-${name}-open`);
  });
});
