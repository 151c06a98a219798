import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../../installation/activity-records.ts';
import { slownessFactor } from '../../installation/eventually.ts';
import { findChromium } from './chromium.ts';
import { type LiveStage, startLiveStage } from './live-stage.ts';
import { type Stage, startStage } from './stage.ts';

const chromium = await findChromium();

describe.skipIf(chromium === null)('feed health in a browser, with real ingest', { tags: ['browser'] }, () => {
  let on: LiveStage;
  beforeAll(async () => {
    on = await startLiveStage(chromium ?? '');
    const [first = '', second = ''] = on.testConsole.tenantIds;
    await on.broker.append(
      on.running.activityTopic,
      0,
      [first, first, second].map((tenantId, number) => activityMessage(tenantId, activityRecord(number))),
    );
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('an idle feed is quiet and not late; rows, lanes, consumers and the last hour are shown', async () => {
    await using window = await on.open('viewer');
    const { page } = window;
    await window.go('/feeds');
    await page
      .getByText(/^All feeds are settled, at most [\d.]+\ss behind\. Nothing before [-\d:. ]+Z will change\.$/)
      .waitFor({ timeout: 180_000 });
    const logs = page.getByRole('row').filter({ hasText: 'Audit logs' }).first();
    const detections = page.getByRole('row').filter({ hasText: 'Detections' }).first();
    await detections.getByText('Quiet').waitFor({ timeout: 180_000 });
    await detections.getByText(/Settled$/).waitFor();
    await logs.getByText('Quiet').waitFor({ state: 'detached', timeout: 30_000 });
    await logs.getByText('raw.activity.v1/').waitFor();
    await logs
      .getByRole('img', {
        name: /^Last hour: maximum lag .* at \d\d:\d\dZ; ingest was down for \d+ of 60 minutes$/,
      })
      .waitFor();

    await page.getByRole('button', { name: 'Audit logs' }).click();
    const lanes = page.getByRole('region', { name: 'Audit logs: lanes' });
    await lanes
      .getByText(new RegExp(`/${on.ingest.child.pid}$`))
      .first()
      .waitFor({ timeout: 180_000 });
    await lanes.getByText('First: Audit logs (all)').waitFor();
    await lanes.locator('summary').filter({ hasText: 'Last hour by minute' }).click();
    await lanes.getByRole('row').filter({ hasText: 'ingest down' }).first().waitFor();
    await window.checkScreen('feeds-lanes');
  });

  test('feeds are late within 15 seconds after ingest stops, in the summary, the table and the frame, and recover when it starts', async () => {
    await using window = await on.open('viewer');
    const { page } = window;
    await window.go('/feeds');
    await page.getByText(/^All feeds are settled/).waitFor({ timeout: 180_000 });
    await on.stopIngest();
    const stoppedAt = performance.now();
    await page
      .getByText(/^All feeds are late, by up to 1\d\ss. Events are delayed, not lost\.$/)
      .waitFor({ timeout: 15_000 });
    await page.locator('.settled .status-warn').waitFor({ timeout: 3_000 });
    expect(performance.now() - stoppedAt).toBeLessThan(slownessFactor * 15_000);
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Late' }).count()).toBe(10);
    await window.checkScreen('feeds-all-late');
    await on.startIngest();
    await page.getByText(/^All feeds are settled/).waitFor({ timeout: 180_000 });
    await page.locator('.settled .status-good').waitFor({ timeout: 5_000 });
    await window.checkScreen('feeds-recovered');
  });

  test('unread records in Kafka make a feed late although its lanes still settle', async () => {
    const { client } = on.inspector;
    await on.stopIngest();
    // Lanes keep settling, as while Kafka does not respond, and seven records were observed that no consumer has read since.
    const ticks = setInterval(() => {
      client.query('update models.ingest_lane set settled_at = clock_timestamp()').catch(() => {});
    }, 300);
    try {
      await client.query("update models.lane_log set measured_at = clock_timestamp() + interval '1 hour'");
      await client.query(
        `update models.lane_log r
            set end_offset = l.next_offset + 7, unread_offset = l.next_offset, unread_since = clock_timestamp() - interval '12 seconds'
           from models.ingest_lane l where (l.cluster_id, l.topic_id, l.partition) = (r.cluster_id, r.topic_id, r.partition) and l.topic = $1 and l.partition = 0`,
        [on.running.activityTopic],
      );
      await using window = await on.open('viewer');
      const { page } = window;
      await window.go('/feeds');
      await page
        .getByText(
          /^Audit logs are \d+\ss late, Security alerts \d+\ss, AI agents \d+\ss. Events are delayed, not lost\.$/,
        )
        .waitFor({ timeout: 15_000 });
      await page.getByText('7 unread in Kafka').first().waitFor({ timeout: 10_000 });
      await page
        .getByText(/^complete, but behind: unread since (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ$/)
        .first()
        .waitFor({ timeout: 10_000 });
      await window.checkScreen('feeds-unread');
    } finally {
      clearInterval(ticks);
      await client.query(
        'update models.lane_log set measured_at = clock_timestamp(), unread_offset = null, unread_since = null, unmoved_since = null',
      );
      await on.startIngest();
    }
  });

  test('a stalled lane is listed first, with its reason and the command that resumes it', async () => {
    await using window = await on.open('admin');
    const { page } = window;
    await on.inspector.client.query(
      `update models.ingest_lane set state = 'stopped', reason = 'records 12 to 40 are missing' where topic = $1 and partition = 3`,
      [on.running.activityTopic],
    );
    await window.go('/feeds?feed=logs');
    await page.getByText('Stalled: Audit logs, Security alerts, AI agents.').waitFor({ timeout: 20_000 });
    await page.locator('.settled .status-bad').waitFor({ timeout: 5_000 });
    const first = page.getByRole('region', { name: 'Audit logs: lanes' }).getByRole('listitem').first();
    await first.getByText('records 12 to 40 are missing').waitFor();
    await first.getByText(`npx tenantscope lanes resume ${on.running.activityTopic}/3`).waitFor();
    await window.checkScreen('feeds-lane-stopped');
    await on.running.cli('lanes', 'resume', `${on.running.activityTopic}/3`);
    await page.getByText(/^All feeds are settled/).waitFor({ timeout: 180_000 });
  });

  test('sources are grouped by tenant, follow the tenant of the frame, and a silent one is marked', async () => {
    const [first = '', second = ''] = on.testConsole.tenantIds;
    await on.inspector.client.query(
      `update models.source_progress set last_discovered_at = '2026-01-02T03:04:05Z' where tenant_id = $1 and source = 'logs'`,
      [second],
    );
    const gap = {
      from: '2026-01-02T00:00:00Z',
      to: '2026-01-02T01:00:00Z',
      reason: 'records of this time are missing',
    };
    await on.inspector.client.query(
      `insert into models.compliance_record (tenant_id, id, record_id, kind, version, digest, updated_at, changed_at, document)
       values ($1, 'sourceStatus/one', 'one', 'sourceStatus', 1, '', now(), now(), $2)`,
      [
        second,
        JSON.stringify({
          payload: { source: 'logs/Audit.SharePoint', lastCompleteImportAt: '2026-01-02T03:00:00Z', gaps: [gap] },
        }),
      ],
    );
    await using window = await on.open('officer');
    const { page } = window;
    await window.go('/feeds');
    const folded = page.getByRole('group').filter({ hasText: 'Second' });
    await folded.getByText('1 silent').waitFor({ timeout: 180_000 });
    await folded.getByText('Second', { exact: true }).click();
    await folded.getByText('Silent since 2026-01-02 03:04:05Z: requirements that depend on it have no data').waitFor();
    const reported = folded.getByRole('row').filter({ hasText: 'Microsoft 365: SharePoint' });
    await reported.getByText('2026-01-02 00:00:00Z – 2026-01-02 01:00:00Z').waitFor();
    await reported.getByText(gap.reason).waitFor();
    await reported.getByText('2026-01-02 03:00:00Z').waitFor();
    await folded.getByRole('row').filter({ hasText: 'Audit logs (all)' }).getByText('Not reported').waitFor();
    await window.checkScreen('feeds-sources');
    await window.go(`/feeds?tenant=${first}`);
    await page.getByText('Microsoft 365: SharePoint').first().waitFor({ timeout: 180_000 });
    expect(await page.getByText('Silent since').count()).toBe(0);
    expect(await page.getByRole('group').filter({ hasText: 'Second' }).count()).toBe(0);
  });

  test.each([
    ['dark', { theme: 'dark' }],
    ['polish', { language: 'pl' }],
    ['narrow', { width: 390, height: 844 }],
    ['narrow-polish-dark', { width: 390, height: 844, language: 'pl', theme: 'dark' }],
    ['1024', { width: 1024 }],
  ] as const)('the page is accessible: %s', async (name, options) => {
    await on.broker.append(on.running.activityTopic, 5, [activityMessage(randomUUID(), activityRecord(9))]);
    await using window = await on.open('admin', options);
    const { page } = window;
    await window.go('/feeds');
    await page.locator('main table').first().waitFor();
    await window.checkScreen(`feeds-${name}`);
    await page.locator('main tbody button').first().click();
    await page.locator('.panel-side dl').first().waitFor();
    await window.checkScreen(`feeds-${name}-open`);
  });
});

describe.skipIf(chromium === null)('feed health in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  test('a late feed is named with its lag; an unproven feed is shown with the status that the API returns', async () => {
    await using window = await on.open('viewer');
    const { page } = window;
    await window.go('/feeds');
    await page.getByText('All feeds are settled, at most').waitFor();
    await page.locator('.settled .status-good').waitFor();

    on.stopLanes();
    const setLag = (source: string, ago: string) =>
      on.product.superuser.query(
        `update models.ingest_lane set settled_at = clock_timestamp() - $2::interval where ($1 = 'all' or source = $1)`,
        [source, ago],
      );
    await setLag('all', '0 seconds');
    await setLag('detection.v1', '11 seconds');
    await page.getByText(/^Detections are 1\d\ss late. Events are delayed, not lost\.$/).waitFor({ timeout: 5_000 });
    await page.locator('.settled .status-warn').getByText('Late: Detections').waitFor({ timeout: 5_000 });
    await page.getByRole('button', { name: 'Detections' }).click();
    await page.getByRole('region', { name: 'Detections: lanes' }).waitFor();
    await window.checkScreen('feeds-late');

    await setLag('detection.v1', '61 seconds');
    const detections = page.getByRole('row').filter({ hasText: 'Detections' }).first();
    await detections.getByText('■ Stalled').waitFor({ timeout: 5_000 });
    await window.checkScreen('feeds-stalled');
    // A time of another day has its date.
    await setLag('detection.v1', '49 hours');
    await detections.getByText(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ$/).waitFor({ timeout: 5_000 });

    await setLag('all', '0 seconds');
    await on.product.superuser.query(`update models.ingest_lane set source = 'gone' where source = 'detection.v1'`);
    await page.getByText('Completeness unknown: Detections. The API returns 503.').waitFor({ timeout: 5_000 });
    await page.locator('.settled .status-bad').waitFor({ timeout: 5_000 });
    await window.checkScreen('feeds-unproven');
    await on.product.superuser.query(`update models.ingest_lane set source = 'detection.v1' where source = 'gone'`);
  });

  test('numbers without a recent response are shown as stale', async () => {
    await using window = await on.open('viewer');
    const { page } = window;
    await window.go('/feeds');
    await page.locator('main table').first().waitFor();
    await page.route('**/console/api/**', (route) => route.fulfill({ status: 503, json: refusal }));
    await page.getByText(/Data from \d\d:\d\d:\d\dZ; cannot reach the database\./).waitFor({ timeout: 10_000 });
    await page.locator('.settled').getByText('Status unknown: cannot reach the database').waitFor({ timeout: 10_000 });
    expect(await page.locator('main table.feeds').count(), 'the last data stays visible').toBe(1);
    await page.unroute('**/console/api/**');
    await page.getByText(/Data from/).waitFor({ state: 'detached', timeout: 10_000 });
  });
});

const refusal = { error: { code: 'SERVICE_UNAVAILABLE', message: 'The database does not respond.', requestId: 'r' } };
