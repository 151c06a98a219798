import { randomUUID } from 'node:crypto';
import { type PoolClient, QueryTimedOut, readTogether, withReadSnapshot } from '@tenantscope/store/connection';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

const [tenantId, neighbor] = [randomUUID(), randomUUID()];
let database: TestDatabase;
let superuser: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = openTestPool(database.superuser, { max: 2 });
  // Two read, and two cancel what they run.
  pool = openTestPool(database.roles.api, { max: 4, application_name: 'snapshot' });
  for (const tenant of [tenantId, neighbor]) await insertFact(tenant, 'first');
});
afterAll(async () => {
  await Promise.all([pool.end(), superuser.end()]);
  await database[Symbol.asyncDispose]();
});

const insertFact = (tenant: string, id: string) =>
  superuser.query(
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts) values ($1, 'agent', $2, false, now(), '{}')`,
    [tenant, id],
  );
const readFacts = async (client: PoolClient) =>
  (await client.query<{ id: string }>('select id from models.entity_fact order by id')).rows.map(({ id }) => id);
const readPid = async (client: PoolClient) =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;
const isCancellationSent = async (since: string) =>
  (
    await superuser.query(
      `select from pg_stat_activity where query like 'select pg_cancel_backend%' and state = 'idle' and query_start >= $1`,
      [since],
    )
  ).rows.length > 0;
const countActive = async () =>
  (
    await superuser.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name like 'snapshot%' and state <> 'idle'`,
    )
  ).rows.length;

/** Tasks that end only when all of them have begun. */
function createMeeting(count: number) {
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  let begun = 0;
  return async () => {
    begun += 1;
    if (begun === count) open();
    await all;
  };
}

test('two connections run tasks at the same time and see the same rows of one tenant, whatever was written since', async () => {
  const meet = createMeeting(2);
  const read = async (client: PoolClient) => {
    await meet();
    return { pid: await readPid(client), facts: await readFacts(client) };
  };
  const [one, other] = await withReadSnapshot(
    pool,
    tenantId,
    async (client) => {
      await readFacts(client);
      await insertFact(tenantId, randomUUID());
      return readTogether<[Awaited<ReturnType<typeof read>>, Awaited<ReturnType<typeof read>>]>(client, [read, read]);
    },
    { usesSecondConnection: true },
  );
  expect(one.pid).not.toBe(other.pid);
  expect([one.facts, other.facts]).toEqual([['first'], ['first']]);
  expect(pool.idleCount).toBe(pool.totalCount);
});

test('the name of a second connection has the process id of the first, until the snapshot ends', async () => {
  const meet = createMeeting(2);
  const readName = async (client: PoolClient) => {
    await meet();
    const { rows } = await client.query<{ pid: number; name: string }>(
      `select pg_backend_pid() as pid, current_setting('application_name') as name`,
    );
    return rows[0];
  };
  const named = await withReadSnapshot(
    pool,
    tenantId,
    (client) =>
      readTogether<[Awaited<ReturnType<typeof readName>>, Awaited<ReturnType<typeof readName>>]>(client, [
        readName,
        readName,
      ]),
    { usesSecondConnection: true },
  );
  const first = named.find((each) => each?.name === 'snapshot');
  expect(named.map((each) => each?.name).sort()).toEqual(['snapshot', `snapshot, second connection of ${first?.pid}`]);
  const { rows } = await superuser.query(
    `select from pg_stat_activity where datname = current_database() and application_name like 'snapshot, %'`,
  );
  expect(rows).toEqual([]);
});

test('values are in the order of the tasks, and tasks divide their own reads', async () => {
  const meet = createMeeting(2);
  const pids = new Set<number>();
  const read = (value: number) => async (client: PoolClient) => {
    pids.add(await readPid(client));
    return value;
  };
  const divided = async (client: PoolClient) =>
    readTogether<number[]>(client, [
      async (one) => {
        await meet();
        return read(1)(one);
      },
      async (one) => {
        await meet();
        return read(2)(one);
      },
      read(3),
    ]);
  const values = await withReadSnapshot(
    pool,
    tenantId,
    (client) => readTogether<[number[], number, number]>(client, [divided, read(4), read(5)]),
    { usesSecondConnection: true },
  );
  expect(values).toEqual([[1, 2, 3], 4, 5]);
  expect(pids.size).toBe(2);
});

test.each([
  ['no other connection is free', { max: 1, usesSecondConnection: true, isPaced: false }],
  ['statements have to wait', { max: 2, usesSecondConnection: true, isPaced: true }],
  ['a second one is not allowed', { max: 2, usesSecondConnection: false, isPaced: false }],
])('one connection runs all tasks in order while %s', async (_, { max, usesSecondConnection, isPaced }) => {
  const own = openTestPool(database.roles.api, { max });
  const runStatement = Object.assign(<Value>(statement: () => Promise<Value>) => statement(), {
    isPaced: () => isPaced,
  });
  const order: number[] = [];
  const pids = await withReadSnapshot(
    own,
    tenantId,
    (client) =>
      readTogether<number[]>(
        client,
        [1, 2, 3].map((number) => async (one) => {
          order.push(number);
          return readPid(one);
        }),
      ),
    { usesSecondConnection, runStatement },
  );
  expect(order).toEqual([1, 2, 3]);
  expect(new Set(pids).size).toBe(1);
  await own.end();
});

test('the first error ends the work when the running tasks have ended, and no other task begins', async () => {
  const meet = createMeeting(2);
  let hasEnded = false;
  let hasBegun = false;
  const work = withReadSnapshot(
    pool,
    tenantId,
    (client) =>
      readTogether(client, [
        async (one) => {
          await meet();
          await one.query('select 1/0');
        },
        async (one) => {
          await meet();
          await one.query('select pg_sleep(0.3)');
          hasEnded = true;
        },
        async () => {
          hasBegun = true;
        },
      ]),
    { usesSecondConnection: true },
  );
  await expect(work).rejects.toThrow('division by zero');
  expect([hasEnded, hasBegun]).toEqual([true, false]);
  expect(await withReadSnapshot(pool, tenantId, async () => 'read again')).toBe('read again');
});

test('a time limit and a caller that hangs up end the statements of both connections', async () => {
  const sleepOnBoth = (client: PoolClient) =>
    readTogether(client, [
      (one: PoolClient) => one.query('select pg_sleep(60)'),
      (one: PoolClient) => one.query('select pg_sleep(60)'),
    ]);
  const limited = withReadSnapshot(pool, tenantId, sleepOnBoth, { usesSecondConnection: true, timeoutMs: 500 });
  await expect(limited).rejects.toThrow(QueryTimedOut);
  await eventually('no statement runs', 5_000, async () => (await countActive()) === 0);

  const caller = new AbortController();
  const left = withReadSnapshot(pool, tenantId, sleepOnBoth, { usesSecondConnection: true, signal: caller.signal });
  await eventually('both sleep', 5_000, async () => (await countActive()) === 2);
  caller.abort(new Error('hung up'));
  await expect(left).rejects.toThrow('hung up');
  await eventually('no statement runs', 5_000, async () => (await countActive()) === 0);
});

test('a caller that hangs up between two statements ends the next one', async () => {
  const caller = new AbortController();
  const left = withReadSnapshot(
    pool,
    tenantId,
    async (client) => {
      const { rows } = await client.query<{ at: string }>('select clock_timestamp()::text as at');
      caller.abort(new Error('hung up'));
      await eventually('a cancellation was sent', 5_000, () => isCancellationSent(rows[0]?.at ?? ''));
      await client.query('select pg_sleep(60)');
    },
    // Longer than the test may take.
    { signal: caller.signal, timeoutMs: 60_000 },
  );
  await expect(left).rejects.toThrow('hung up');
  await eventually('no statement runs', 5_000, async () => (await countActive()) === 0);
}, 20_000);

test('a process that waits to seal the log does not delay a document that reads', async () => {
  const waiting = await superuser.connect();
  const value = await withReadSnapshot(
    pool,
    tenantId,
    async (client) => {
      const lock = waiting.query('begin; lock table only models.audit_log in access exclusive mode');
      await eventually('the lock is waited for', 5_000, async () => {
        const { rows } = await superuser.query('select from pg_locks where not granted and mode = $1', [
          'AccessExclusiveLock',
        ]);
        return rows.length > 0;
      });
      const values = await readTogether<number[]>(client, [async () => 1, async () => 2]);
      return { values, lock };
    },
    { usesSecondConnection: true, timeoutMs: 5_000 },
  );
  expect(value.values).toEqual([1, 2]);
  await value.lock;
  await waiting.query('rollback');
  waiting.release();
});

test('a second connection that is lost while it runs no task is no failure; one that is lost in a task is', async () => {
  const read = (isLostInTask: boolean) =>
    withReadSnapshot(
      pool,
      tenantId,
      async (client) => {
        const first = await readPid(client);
        const meet = createMeeting(2);
        return readTogether(client, [
          async (one: PoolClient) => {
            await meet();
            await one.query('select pg_sleep(0.5)');
          },
          async (one: PoolClient) => {
            await meet();
            const own = await readPid(one);
            const lost = own === first ? null : own;
            if (isLostInTask) {
              await superuser.query('select pg_terminate_backend($1)', [lost]);
              await one.query('select 1');
            }
            return lost;
          },
        ]).then(async ([, lost]) => lost);
      },
      { usesSecondConnection: true },
    );
  expect(await read(false)).not.toBeNull();
  await expect(read(true)).rejects.toThrow();
  expect(await withReadSnapshot(pool, tenantId, async () => 'read again')).toBe('read again');
});
