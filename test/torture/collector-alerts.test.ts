import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectProcess, startCollecting } from '../collect/collect-process.ts';
import { type CollectorFixture, startCollectorFixture } from '../collect/collector-fixture.ts';
import { oktaEvent } from '../collect/okta-event.ts';
import { type OktaServer, startOktaServer } from '../collect/okta-server.ts';
import { type Prometheus, startPrometheus } from '../observability/prometheus.ts';
import { sleep } from './pollers.ts';
import { isLong } from './random.ts';

// Faults of a provider and of the collecting process: each is caused in running processes; Prometheus scrapes them and evaluates the rules.

describe.runIf(isLong)('alerts of collectors', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  let fixture: CollectorFixture;
  let prometheus: Prometheus;
  let collect: CollectProcess;

  beforeAll(async () => {
    prometheus = stack.use(await startPrometheus());
    fixture = stack.use(await startCollectorFixture());
    collect = await startCollecting(fixture.installation.environment);
    await prometheus.scrape('collect', collect.healthPort);
    // Scraped without a failure before: increase() of a series is known from its second sample.
    await sleep(5_000);
  }, 300_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  const collectFrom = (server: OktaServer) =>
    fixture.createCollector('okta', `${server.token}\n`, ['--url', server.url]);

  test('a provider without a completed run in half an hour fires the alert of failures', async () => {
    await using server = await startOktaServer();
    // Repeated after 2 to 64 s.
    server.fail(Array<'unavailable'>(6).fill('unavailable'));
    await using _collected = await collectFrom(server);
    await prometheus.expectFiring('TenantscopeCollectorFailing');
    await prometheus.expectEnd('TenantscopeCollectorFailing');
  }, 300_000);

  test('records that are too long fire the alert of gaps', async () => {
    await using server = await startOktaServer();
    server.append([oktaEvent(1, Date.now(), { debugContext: { debugData: { text: 'x'.repeat(1_200_000) } } })]);
    await using _collected = await collectFrom(server);
    await prometheus.expectFiring('TenantscopeCollectorGap');
    expect(await prometheus.firing()).not.toContain('TenantscopeCollectorFailing');
  }, 300_000);

  test('a token that the provider revoked fires the alert of refusals', async () => {
    await using server = await startOktaServer();
    await using collected = await collectFrom(server);
    await collected.waitForCompletion();
    server.setToken('another-token');
    await prometheus.expectFiring('TenantscopeCollectorRefused');
  }, 300_000);

  test('a collecting process that was killed fires its alert', async () => {
    expect(await prometheus.firing()).not.toContain('TenantscopeCollectDown');
    collect.kill('SIGKILL');
    await prometheus.expectFiring('TenantscopeCollectDown');
  }, 300_000);
});
