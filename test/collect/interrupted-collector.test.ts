import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { startCollecting } from './collect-process.ts';
import { startCollectorFixture } from './collector-fixture.ts';
import { oktaEvents } from './okta-event.ts';
import { startOktaServer } from './okta-server.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

interface ReportedGap {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

test('a source that was stopped for an hour has a gap within two minutes of its return, in its status and the evidence pack, until it is complete', async () => {
  await using fixture = await startCollectorFixture();
  const { installation, inspector } = fixture;
  const api = await installation.startApi();
  // Behind for half a minute: 60 pages of 0.5 s. A rate limit would change the reason of the gap from report to report.
  await using server = await startOktaServer({ pageMax: 10, latencyMs: 500 });
  const events = oktaEvents(10, Date.now() - 2 * hourMs);
  server.append(events);
  await using collected = await fixture.createCollector('okta', server.token, ['--url', server.url]);
  {
    await using _ = await startCollecting(installation.environment);
    await collected.waitForCompletion();
  }
  // The hour passes.
  await inspector.client.query(
    `update control.collector_stream
        set completed_at = completed_at - interval '1 hour', reported_at = reported_at - interval '1 hour', due_at = due_at - interval '1 hour'
      where collector_id = $1`,
    [collected.collectorId],
  );
  await inspector.client.query(
    `update control.collector set created_at = created_at - interval '2 hours' where id = $1`,
    [collected.collectorId],
  );
  const more = oktaEvents(600, Date.now(), 5_000);
  server.append(more);

  const returnedMs = Date.now();
  await using _ = await startCollecting(installation.environment);
  const readReported = async () => {
    const { rows } = await inspector.client.query<{ facts: { gaps: ReportedGap[] } }>(
      `select facts from models.compliance_record where tenant_id = $1 and kind = 'sourceStatus'`,
      [collected.tenantId],
    );
    return rows[0]?.facts.gaps ?? [];
  };
  await eventually('the gap', minuteMs, async () => (await readReported()).length > 0);
  const [gap] = (await readReported()) as [ReportedGap];
  expect(Math.abs(Date.parse(gap.from) - (returnedMs - hourMs))).toBeLessThan(2 * minuteMs);
  expect(gap.reason).toBe('records of this time are being collected');

  const owner = { tenantId: collected.tenantId };
  const { secret } = await installation.admin.keys.create({ name: 'all', scopes: [...scopes], owner, expiresAt: null });
  const client = createApiClient(api.baseUrl, secret);
  const readCoverage = async () => {
    const [from, to] = [new Date(Date.now() - 2 * hourMs), new Date()].map((time) => time.toISOString()) as [
      string,
      string,
    ];
    const { status, body, text } = await client.get('/evidence/agents', { from, to });
    expect(status, text).toBe(200);
    const sources = body.data.metadata.sourceStatus as { source: string; coverage: string; gaps: ReportedGap[] }[];
    return sources.find(({ source }) => source === 'logs/SystemLog');
  };
  const expected = { coverage: 'partial', gaps: [{ from: gap.from, reason: gap.reason }] };
  expect(await readCoverage()).toMatchObject(expected);
  expect(Date.now() - returnedMs).toBeLessThan(2 * minuteMs);

  await collected.expectRows([...events, ...more].map(({ uuid }) => uuid));
  await collected.waitForCompletion();
  await eventually('the end of the gap', minuteMs, async () => (await readReported()).length === 0);
  await eventually('a complete source', minuteMs, async () => {
    await sleep(1_000);
    return (await readCoverage())?.coverage === 'complete';
  });
  expect(await readCoverage()).toMatchObject({ coverage: 'complete', gaps: [] });
});
