import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type Broker, connectBroker } from '../installation/broker.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { type Prometheus, startPrometheus } from '../observability/prometheus.ts';
import { sleep } from './pollers.ts';
import { isLong } from './random.ts';

// Faults of processes, of Kafka records and of Redis: each is caused in running processes; Prometheus scrapes them and evaluates the rules.

describe.runIf(isLong)('alerts of processes, lanes and Redis', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  let services: LocalServices<'redis'>;
  let installation: Installation;
  let broker: Broker;
  let prometheus: Prometheus;
  let ingest: ProductProcess;
  let jobs: ProductProcess;
  let api: ProductProcess;
  let tenantId: string;
  let redisUrl: { TENANTSCOPE_REDIS_URL: string };

  beforeAll(async () => {
    services = stack.use(await startTemporaryServices({ only: ['redis'] }));
    prometheus = stack.use(await startPrometheus());
    installation = stack.use(await startInstallation());
    broker = stack.use(await connectBroker(installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''));
    tenantId = (await installation.createTenant()).id;
    redisUrl = { TENANTSCOPE_REDIS_URL: services.redis };
    [ingest, jobs, api] = await Promise.all([
      installation.startIngest(),
      installation.startJobs(redisUrl),
      installation.startApi(redisUrl),
    ]);
    for (const [name, { healthPort }] of Object.entries({ ingest, jobs, api }))
      await prometheus.scrape(name, healthPort);
  }, 300_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  test('processes without a fault fire no alert but those of what this installation does not have', async () => {
    // There is no console and no signing key.
    const expected = ['TenantscopeConsoleDown', 'TenantscopeSigningKeyMissing', 'TenantscopeSigningKeyMissing'];
    await eventually(
      'no other alert',
      60_000,
      async () => String((await prometheus.firing()).sort()) === String(expected),
    );
    await sleep(10_000);
    expect((await prometheus.firing()).sort()).toEqual(expected);
  }, 300_000);

  test('a record of an unknown tenant fires the alert of pending dead letters', async () => {
    const unknown = 'c3b0a2f4-7c3b-4a8e-9b57-6d2f0e8a1c55';
    await broker.append(installation.activityTopic, 0, [activityMessage(unknown, activityRecord(1))]);
    await prometheus.expectFiring('TenantscopeDeadLettersPending');
  }, 300_000);

  test('records of which most are dead letters fire the alert of their share', async () => {
    const unknown = 'c3b0a2f4-7c3b-4a8e-9b57-6d2f0e8a1c55';
    for (let round = 1; round <= 5; round += 1) {
      const records = [
        activityMessage(tenantId, activityRecord(round)),
        activityMessage(unknown, activityRecord(round)),
      ];
      await broker.append(installation.activityTopic, 0, records);
      await sleep(3_000);
    }
    await prometheus.expectFiring('TenantscopeDeadLetterShare');
  }, 300_000);

  test('an ingest process that hangs fires the alerts of its lanes, of the watermark and of the process', async () => {
    await broker.append(installation.activityTopic, 0, [activityMessage(tenantId, activityRecord(20))]);
    const alerts = [
      'TenantscopeLaneStalled',
      'TenantscopeUnreadLag',
      'TenantscopeWatermarkLag',
      'TenantscopeIngestDown',
    ];
    ingest.kill('SIGSTOP');
    try {
      const timestamp = String(Date.now() - 120_000);
      const late = { ...activityMessage(tenantId, activityRecord(30)), timestamp };
      await broker.append(installation.activityTopic, 0, [late]);
      await prometheus.expectFiring(...alerts);
    } finally {
      ingest.kill('SIGCONT');
    }
    await prometheus.expectEnd(...alerts);
  }, 600_000);

  test('an outage of Redis fires the alerts of the rate limiter and of the queue, and the processes stay ready', async () => {
    await services.redisService.stop();
    await prometheus.expectFiring('TenantscopeRateLimiterDegraded', 'TenantscopeJobQueueDisconnected');
    expect(await prometheus.firing()).not.toContain('TenantscopeProcessNotReady');
    await services.redisService.restart();
    await prometheus.expectEnd('TenantscopeRateLimiterDegraded', 'TenantscopeJobQueueDisconnected');
  }, 600_000);

  test('a Redis that evicts fires its alert, and jobs are not ready', async () => {
    const redis = new Redis(services.redis);
    const setPolicy = async (policy: string) => {
      await redis.config('SET', 'maxmemory-policy', policy);
      // The policy is read at each connection.
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal');
    };
    try {
      await setPolicy('allkeys-lru');
      await prometheus.expectFiring('TenantscopeRedisEvicts', 'TenantscopeProcessNotReady');
      await setPolicy('noeviction');
      await prometheus.expectEnd('TenantscopeRedisEvicts', 'TenantscopeProcessNotReady');
    } finally {
      redis.disconnect();
    }
  }, 600_000);

  test('killed processes fire their alerts, and one that starts again and again fires that of restarts', async () => {
    api.kill('SIGKILL');
    const changes = 'max(changes(process_start_time_seconds{job="tenantscope-jobs"}[30m]))';
    for (let restarts = 1; restarts <= 3; restarts += 1) {
      jobs.kill('SIGKILL');
      if (restarts === 1) await prometheus.expectFiring('TenantscopeApiDown', 'TenantscopeJobsDown');
      jobs = await installation.startJobs(redisUrl);
      await prometheus.scrape('jobs', jobs.healthPort);
      await eventually(
        `restart ${restarts} is seen`,
        30_000,
        async () => (await prometheus.query(changes)) === restarts,
      );
    }
    await prometheus.expectFiring('TenantscopeProcessRestarts');
    expect(await prometheus.firing()).not.toContain('TenantscopeJobsDown');
  }, 600_000);
});
