import { type LocalServices, temporaryServices } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { type Fleet, fleet } from '../product/fleet.ts';
import type { ProductProcess } from '../product/processes.ts';
import { drawLots, isLong, lasting } from './lots.ts';
import { sleep } from './pollers.ts';

// A Redis of its own for each: it is lost, flushed and hung here.
let services: LocalServices<'redis'>;
beforeEach(async () => {
  services = await temporaryServices({ only: ['redis'] });
}, 60_000);
afterEach(async () => {
  await services?.[Symbol.asyncDispose]();
}, 60_000);

const dayMs = 86_400_000;
/** Some change their clocks in these weeks, some are days apart from others, some by half an hour. */
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
/** Due with the week's first instant, and looked at every second. */
const eager = {
  TENANTSCOPE_SNAPSHOT_DUE_MINUTES: '0',
  TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: '0',
  TENANTSCOPE_JOBS_RECONCILE_SECONDS: '1',
};
const nothingWrong = { missing: 0, twice: 0, strange: 0, unlinked: 0 };

const untilAllIsThere = (team: Fleet, withinMs: number) =>
  eventually('every week that is owed has its snapshot', withinMs, async () => {
    const { missing, owed } = await team.ledger({ dueAfterMinutes: 0 });
    return owed > 0 && missing === 0;
  });

async function commanding<Result>(command: (redis: Redis) => Promise<Result>): Promise<Result | null> {
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

test('through Redis flushed, lost, hung and restarted, and workers killed and stopped: one snapshot of each week, none missing', {
  timeout: 600_000,
}, async () => {
  const lots = drawLots('snapshots');
  await using team = await fleet(services.redis, { ...eager, TENANTSCOPE_JOBS_DIRECT_AFTER_SECONDS: '5' });
  // Nobody worked while these became due.
  await team.tenants(isLong ? 200 : 24, { connectedAgoMs: 40 * dayMs, timeZones });
  const workers = await Promise.all([team.start(), team.start(), team.start()]);
  const one = () => lots.between(0, workers.length - 1);
  const redis = services.redisService;
  const faults = {
    flushed: async () => void (await commanding((client) => client.flushall())),
    restarted: async () => {
      await redis.stop();
      await sleep(lots.between(0, 2_000));
      await redis.restart();
    },
    lost: async () => {
      await redis.kill();
      await sleep(lots.between(0, 2_000));
      await redis.restart();
      await commanding((client) => client.flushall());
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
  for (const end = performance.now() + lasting({ short: 15, long: 240 }); performance.now() < end; ) {
    // Each once before any comes again.
    if (round.length === 0) round = lots.shuffle(names);
    const fault = round.pop() as (typeof names)[number];
    await team.tenants(lots.between(2, 12), { connectedAgoMs: lots.between(0, 40) * dayMs, timeZones });
    await sleep(lots.between(0, 500));
    await faults[fault]();
    counts[fault] = (counts[fault] ?? 0) + 1;
  }
  await untilAllIsThere(team, 120_000);
  const { owed, present, ...wrong } = await team.ledger({ dueAfterMinutes: 0 });
  console.log(`snapshots: ${present} of ${owed} owed are there`, JSON.stringify({ ...wrong, ...counts }));
  expect(wrong).toEqual(nothingWrong);
  expect(present).toBe(owed);
});

test('weeks that nobody was there for are made up once, oldest first, late, at the time they are made up', {
  timeout: 120_000,
}, async () => {
  await using team = await fleet(services.redis, eager);
  const begunAt = new Date();
  await team.tenants(4, { connectedAgoMs: 300 * dayMs, timeZones });
  await team.start();
  await untilAllIsThere(team, 60_000);
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

test('a Redis that is gone for good delays what is due, and no more', { timeout: 120_000 }, async () => {
  await services.redisService.kill();
  await using team = await fleet(services.redis, { ...eager, TENANTSCOPE_JOBS_DIRECT_AFTER_SECONDS: '2' });
  await team.tenants(10, { connectedAgoMs: 40 * dayMs, timeZones });
  const [worker] = await Promise.all([team.start(), team.start()]);
  await untilAllIsThere(team, 60_000);
  expect(await team.ledger({ dueAfterMinutes: 0 })).toMatchObject(nothingWrong);
  expect(await worker.ready()).toBe(true);
});

test('what a killed worker had begun another one finishes within 20 seconds, by the queue alone', {
  timeout: 120_000,
}, async () => {
  await using team = await fleet(services.redis, { ...eager, TENANTSCOPE_JOBS_RECONCILE_SECONDS: '2' });
  const rest = { TENANTSCOPE_JOBS_RECONCILE_SECONDS: '3600' };
  const [first] = await Promise.all([team.start(), team.start(rest)]);
  const holding = await team.superuser.connect();
  try {
    // Evaluating begins and cannot go on.
    await holding.query('begin; lock table models.entity_fact in access exclusive mode');
    await team.tenants(4, { connectedAgoMs: dayMs / 24 });
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
    await holding.query('rollback');
    holding.release();
  }
  await untilAllIsThere(team, 20_000);
  expect(await team.ledger({ dueAfterMinutes: 0 })).toMatchObject({ owed: 4, present: 4, ...nothingWrong });
});

test('tenants that would be due at once are spread, and none is taken before its time, late or twice', {
  timeout: 300_000,
}, async () => {
  const count = isLong ? 500 : 100;
  const spreadMs = isLong ? 60_000 : 8_000;
  const { dueAtMs, minutes } = await soon(6_000 + spreadMs);
  await using team = await fleet(services.redis, {
    ...eager,
    TENANTSCOPE_SNAPSHOT_DUE_MINUTES: String(minutes),
    TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: String(spreadMs / 60_000),
  });
  await team.tenants(count, { connectedAgoMs: 0 });
  await Promise.all([team.start(), team.start()]);
  const settledMinutes = minutes + spreadMs / 60_000;
  await eventually('all are taken', spreadMs + 90_000, async () => {
    const { present } = await team.ledger({ dueAfterMinutes: minutes });
    return present === count;
  });
  expect(await team.ledger({ dueAfterMinutes: settledMinutes })).toMatchObject({
    owed: count,
    present: count,
    ...nothingWrong,
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

/** An instant of this week a few seconds ahead, and its minutes after the week's beginning in UTC. */
async function soon(roomMs: number): Promise<{ dueAtMs: number; minutes: number }> {
  const weekMs = 7 * dayMs;
  const mondayMs = 4 * dayMs; // 1970 began on a Thursday
  for (;;) {
    const dueAtMs = Date.now() + 6_000;
    const intoMs = (dueAtMs - mondayMs) % weekMs;
    if (intoMs + roomMs < weekMs - 60_000 && intoMs > 6_000) return { dueAtMs, minutes: intoMs / 60_000 };
    await sleep(1_000);
  }
}

test('a Redis that evicts is refused', { timeout: 60_000 }, async () => {
  await commanding((client) => client.config('SET', 'maxmemory-policy', 'allkeys-lru'));
  await using team = await fleet(services.redis, eager);
  await expect(team.start()).rejects.toThrow(/ended with 1[\s\S]*maxmemory-policy allkeys-lru[\s\S]*noeviction/);
});

test('asked to stop, a worker finishes what it has begun and ends with 0', { timeout: 120_000 }, async () => {
  await using team = await fleet(services.redis, eager);
  await team.tenants(60, { connectedAgoMs: 40 * dayMs, timeZones });
  const worker = await team.start();
  await eventually('work is being done', 20_000, async () => (await team.ledger({ dueAfterMinutes: 0 })).present > 5);
  worker.kill('SIGTERM');
  expect(await worker.gone).toBe(0);
  expect(worker.output()).not.toMatch(/"level":50/);
  const { twice, strange, unlinked } = await team.ledger({ dueAfterMinutes: 0 });
  expect({ twice, strange, unlinked }).toEqual({ twice: 0, strange: 0, unlinked: 0 });
});
