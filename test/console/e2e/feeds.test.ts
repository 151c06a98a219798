import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { type Stage, stage } from './stage.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('feed health in a browser', { timeout: 90_000 }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage(chromium ?? '');
  }, 60_000);
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('lanes that stop make their feed late within seconds, on the screen and in the frame of every screen', async () => {
    await using window = await on.open('viewer');
    const { page } = window;
    await window.go('/feeds');
    await page.getByText('Every feed is settled to within').waitFor();
    await page.locator('.settled .status-good').waitFor();

    on.stopLanes();
    await on.product.superuser.query(
      `update models.ingest_lane set settled_at = clock_timestamp() - interval '14 seconds' where source = 'detection.v1'`,
    );
    await page.getByText(/^Late: Detections .*\. Events are delayed, not lost\./).waitFor({ timeout: 5_000 });
    await page.locator('.settled .status-warn').getByText('Late: Detections').waitFor({ timeout: 5_000 });
    await page.getByRole('button', { name: 'Detections' }).click();
    await page.getByRole('region', { name: 'Lanes of Detections' }).waitFor();
    await window.wellAs('feeds-late');
  });

  test('numbers that nobody confirms any more are shown as old ones', async () => {
    await using window = await on.open('viewer');
    const { page } = window;
    await window.go('/feeds');
    await page.locator('main table').waitFor();
    await page.route('**/console/api/**', (route) => route.fulfill({ status: 503, json: refusal }));
    await page.getByText(/Shown as of \d\d:\d\d:\d\d; the console does not answer\./).waitFor({ timeout: 10_000 });
    await page.getByText('Not known: the console does not answer').waitFor({ timeout: 10_000 });
    expect(await page.locator('main table').count(), 'what was known stays in sight').toBe(1);
    await page.unroute('**/console/api/**');
    await page.getByText(/Shown as of/).waitFor({ state: 'detached', timeout: 10_000 });
  });
});

const refusal = { error: { code: 'SERVICE_UNAVAILABLE', message: 'The store does not answer.', requestId: 'r' } };
