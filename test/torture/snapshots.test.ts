import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type JobWorkers, startJobWorkers } from '../installation/job-workers.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { sleep } from './pollers.ts';
import { createRandom, isLong, tortureDurationMs } from './random.ts';

// A dedicated Redis for each test: it is lost, flushed and paused here.
let services: LocalServices<'redis'>;
beforeEach(async () => {
  services = await startTemporaryServices({ only: ['redis'] });
});
afterEach(async () => {
  await services?.[Symbol.asyncDispose]();
});

const dayMs = 86_400_000;
/** Some change to daylight saving time in these weeks; some are days apart from others, some half an hour. */
const timeZones = [
  'Europe/Warsaw',
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Cairo',
  'UTC',
];
/** Due at the first instant of the week, and checked every second. */
const fastSchedule = {
  TENANTSCOPE_SNAPSHOT_DUE_MINUTES: '0',
  TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: '0',
  TENANTSCOPE_JOBS_RECONCILE_SECONDS: '1',
};
const noDeviations = { missing: 0, duplicate: 0, unexpected: 0, unlinked: 0 };

const waitForDueSnapshots = (team: JobWorkers, withinMs: number) =>
  eventually('every due week has its snapshot', withinMs, async () => {
    const { missing, due } = await team.countSnapshots({ dueAfterMinutes: 0 });
    return due > 0 && missing === 0;
  });

async function withRedis<Result>(command: (redis: Redis) => Promise<Result>): Promise<Result | null> {
  const redis = new Redis(services.redis, { lazyConnect: true, retryStrategy: () => null, commandTimeout: 2_000 });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await command(redis);
  } catch {
    return null;
  } finally {
    redis.disconnect();
  }
}

test('each week has one snapshot while Redis is flushed, lost, hung and restarted and workers are killed and stopped', {
  timeout: 600_000,
}, async () => {
  const lots = createRandom('snapshots');
  await using team = await startJobWorkers(services.redis, {
    ...fastSchedule,
    TENANTSCOPE_JOBS_INLINE_AFTER_SECONDS: '5',
  });
  // No worker was running while these became due.
  await team.createTenants(isLong ? 200 : 24, { connectedAgoMs: 40 * dayMs, timeZones });
  const workers = await Promise.all([team.start(), team.start(), team.start()]);
  const one = () => lots.between(0, workers.length - 1);
  const redis = services.redisService;
  const faults = {
    flushed: async () => void (await withRedis((client) => client.flushall())),
    restarted: async () => {
      await redis.stop();
      await sleep(lots.between(0, 2_000));
      await redis.restart();
    },
    lost: async () => {
      await redis.kill();
      await sleep(lots.between(0, 2_000));
      await redis.restart();
      await withRedis((client) => client.flushall());
    },
    hung: async () => {
      redis.pause();
      await sleep(lots.between(500, 4_000));
      redis.resume();
    },
    'worker killed': async () => {
      const at = one();
      const killed = workers[at] as ProductProcess;
      killed.kill('SIGKILL');
      await killed.gone;
      workers[at] = await team.start();
    },
    'worker hung': async () => {
      const stopped = workers[one()] as ProductProcess;
      stopped.kill('SIGSTOP');
      await sleep(lots.between(500, 4_000));
      stopped.kill('SIGCONT');
    },
  };
  const names = Object.keys(faults) as (keyof typeof faults)[];
  const counts: Record<string, number> = {};
  let round: (typeof names)[number][] = [];
  for (const end = performance.now() + tortureDurationMs({ short: 15, long: 240 }); performance.now() < end; ) {
    // Each fault once before any repeats.
    if (round.length === 0) round = lots.shuffle(names);
    const fault = round.pop() as (typeof names)[number];
    await team.createTenants(lots.between(2, 12), { connectedAgoMs: lots.between(0, 40) * dayMs, timeZones });
    await sleep(lots.between(0, 500));
    await faults[fault]();
    counts[fault] = (counts[fault] ?? 0) + 1;
  }
  await waitForDueSnapshots(team, 120_000);
  const { due, present, ...wrong } = await team.countSnapshots({ dueAfterMinutes: 0 });
  console.log(`snapshots: ${present} of ${due} due are stored`, JSON.stringify({ ...wrong, ...counts }));
  expect(wrong).toEqual(noDeviations);
  expect(present).toBe(due);
});

test('missed weeks are backfilled once, oldest first, marked late, with the backfill time', {
  timeout: 120_000,
}, async () => {
  await using team = await startJobWorkers(services.redis, fastSchedule);
  const begunAt = new Date();
  await team.createTenants(4, { connectedAgoMs: 300 * dayMs, timeZones });
  await team.start();
  await waitForDueSnapshots(team, 60_000);
  const { rows } = await team.superuser.query<{ periods: string[]; late: boolean[]; back_dated: boolean }>(
    `select array_agg(period order by taken_at) as periods, array_agg(late order by taken_at) as late, bool_or(taken_at < $1) as back_dated
       from models.compliance_snapshot group by tenant_id`,
    [begunAt],
  );
  expect(rows).toHaveLength(4);
  for (const { periods, late, back_dated } of rows) {
    expect(periods).toHaveLength(5);
    expect(periods).toEqual(periods.toSorted());
    expect(late).toEqual([true, true, true, true, false]);
    expect(back_dated).toBe(false);
  }
});

test('a permanently lost Redis only delays due snapshots', { tags: ['torture'], timeout: 180_000 }, async () => {
  await services.redisService.kill();
  await using team = await startJobWorkers(services.redis, {
    ...fastSchedule,
    TENANTSCOPE_JOBS_INLINE_AFTER_SECONDS: '2',
  });
  await team.createTenants(10, { connectedAgoMs: 40 * dayMs, timeZones });
  const [worker] = await Promise.all([team.start(), team.start()]);
  await waitForDueSnapshots(team, 60_000);
  expect(await team.countSnapshots({ dueAfterMinutes: 0 })).toMatchObject(noDeviations);
  expect(await worker.ready()).toBe(true);
});

test('another worker finishes the job of a killed worker within 20 seconds through the queue', {
  timeout: 120_000,
}, async () => {
  await using team = await startJobWorkers(services.redis, {
    ...fastSchedule,
    TENANTSCOPE_JOBS_RECONCILE_SECONDS: '2',
  });
  const rest = { TENANTSCOPE_JOBS_RECONCILE_SECONDS: '3600' };
  const [first] = await Promise.all([team.start(), team.start(rest)]);
  const blocker = await team.superuser.connect();
  try {
    // The evaluation starts and cannot continue.
    await blocker.query('begin; lock table models.entity_fact in access exclusive mode');
    await team.createTenants(4, { connectedAgoMs: dayMs / 24 });
    await eventually('snapshots are being taken', 20_000, async () => {
      const { rows } = await team.superuser.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and application_name = 'tenantscope jobs' and wait_event_type = 'Lock'`,
      );
      return (rows[0]?.waiting ?? 0) >= 4;
    });
    first.kill('SIGKILL');
    await first.gone;
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  await waitForDueSnapshots(team, 20_000);
  // One week is due for each tenant, and two in the first hour of a week.
  const counts = await team.countSnapshots({ dueAfterMinutes: 0 });
  expect(counts).toMatchObject({ present: counts.due, ...noDeviations });
  expect(counts.due).toBeGreaterThanOrEqual(4);
});

test('snapshots due at the same time are spread, and no snapshot is early, late or duplicated', {
  tags: ['torture'],
  timeout: 300_000,
}, async () => {
  const count = isLong ? 500 : 100;
  const spreadMs = isLong ? 60_000 : 8_000;
  const { dueAtMs, minutes } = await nextDueTime(6_000 + spreadMs);
  await using team = await startJobWorkers(services.redis, {
    ...fastSchedule,
    TENANTSCOPE_SNAPSHOT_DUE_MINUTES: String(minutes),
    TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: String(spreadMs / 60_000),
  });
  await team.createTenants(count, { connectedAgoMs: 0 });
  await Promise.all([team.start(), team.start()]);
  const settledMinutes = minutes + spreadMs / 60_000;
  await eventually('all snapshots are taken', spreadMs + 90_000, async () => {
    const { present } = await team.countSnapshots({ dueAfterMinutes: minutes });
    return present === count;
  });
  expect(await team.countSnapshots({ dueAfterMinutes: settledMinutes })).toMatchObject({
    due: count,
    present: count,
    ...noDeviations,
  });
  const { rows } = await team.superuser.query<{ first_ms: number; late: number; busiest: number }>(
    `select (extract(epoch from min(taken_at)) * 1000)::float8 as first_ms, count(*) filter (where late)::int as late,
            (select max(times)::int from (select count(*) as times from models.compliance_snapshot group by date_trunc('second', taken_at)) of_a_second) as busiest
       from models.compliance_snapshot`,
  );
  console.log(`snapshots: ${count} tenants due within ${spreadMs} ms, at most ${rows[0]?.busiest} in a second`);
  expect(rows[0]?.late).toBe(0);
  expect(rows[0]?.first_ms).toBeGreaterThanOrEqual(dueAtMs);
  expect(rows[0]?.busiest).toBeLessThan(count / 2);
});

/** An instant of this week a few seconds ahead, in minutes after the start of the week in UTC. */
async function nextDueTime(marginMs: number): Promise<{ dueAtMs: number; minutes: number }> {
  const weekMs = 7 * dayMs;
  const mondayMs = 4 * dayMs; // 1970 began on a Thursday
  for (;;) {
    const dueAtMs = Date.now() + 6_000;
    const intoMs = (dueAtMs - mondayMs) % weekMs;
    if (intoMs + marginMs < weekMs - 60_000 && intoMs > 6_000) return { dueAtMs, minutes: intoMs / 60_000 };
    await sleep(1_000);
  }
}

test('a Redis with an eviction policy is rejected', { timeout: 180_000 }, async () => {
  await withRedis((client) => client.config('SET', 'maxmemory-policy', 'allkeys-lru'));
  await using team = await startJobWorkers(services.redis, fastSchedule);
  await expect(team.start()).rejects.toThrow(/ended with 1[\s\S]*maxmemory-policy allkeys-lru[\s\S]*noeviction/);
});

test('a worker finishes its job on a stop signal and exits with 0', { timeout: 180_000 }, async () => {
  await using team = await startJobWorkers(services.redis, fastSchedule);
  await team.createTenants(60, { connectedAgoMs: 40 * dayMs, timeZones });
  const worker = await team.start();
  await eventually(
    'a job is active',
    20_000,
    async () => (await team.countSnapshots({ dueAfterMinutes: 0 })).present > 5,
  );
  worker.kill('SIGTERM');
  expect(await worker.gone).toBe(0);
  expect(worker.output()).not.toMatch(/"level":50/);
  const { duplicate, unexpected, unlinked } = await team.countSnapshots({ dueAfterMinutes: 0 });
  expect({ duplicate, unexpected, unlinked }).toEqual({ duplicate: 0, unexpected: 0, unlinked: 0 });
});
