import { randomUUID } from 'node:crypto';
import { joinMemberLines, lineMembers } from '@tenantscope/contract';
import { type AuditLogRow, backfillLogTally, countAgain, logTallies } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { logRow, writeRows } from '../installation/lane-writer.ts';
import { readActorDays, recountActorDays } from './actor-days.ts';
import { openLaneFixture } from './lane-fixture.ts';
import { arbitraryDeliveries } from './log-deliveries.ts';

const { database, lanes, superuser } = await openLaneFixture({ partitions: 3 });

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** Ids that are long, in several scripts, in two cases, with separators, or those of an object's own members. */
const hostileId = fc.constantFrom(
  'anna@contoso.example',
  'Anna@Contoso.example',
  'ŻANETA@contoso.example',
  'żaneta@contoso.example',
  '__proto__',
  `a'b"c\\d\te, {f}`,
  'ł'.repeat(300),
  'x'.repeat(3_000),
  '💡'.repeat(128),
  'failed',
);
const optionalId = fc.option(hostileId, { nil: null });

const arbitraryRow = fc.record({
  // Before now; ahead of the clock where negative.
  delayMs: fc.oneof(
    fc.integer({ min: -90 * minuteMs, max: 90 * minuteMs }),
    fc.integer({ min: 0, max: 30 * dayMs }),
    fc.integer({ min: -2, max: 30 }).map((days) => days * dayMs),
  ),
  workload: fc.option(fc.constantFrom('exchange', 'sharepoint', 'x'.repeat(600)), { nil: null }),
  actorId: optionalId,
  actorType: fc.option(fc.constantFrom('user', 'guest', 'system', 'agent'), { nil: null }),
  deviceId: optionalId,
  isManagedDevice: fc.option(fc.boolean(), { nil: null }),
  applicationId: optionalId,
  clientId: optionalId,
  outcome: fc.option(fc.constantFrom('success', 'failure'), { nil: null }),
  fact: fc.option(
    fc.record({
      kind: fc.constantFrom('aiInteraction', 'agentLifecycle'),
      agentId: optionalId,
      clientId: optionalId,
      appHost: optionalId,
      event: fc.constantFrom('create', 'update'),
    }),
    { nil: null },
  ),
});

function createRow(
  tenantId: string,
  nowMs: number,
  { delayMs, fact, clientId, ...columns }: ArbitraryRow,
): AuditLogRow {
  const text = clientId === null ? '' : JSON.stringify(clientId);
  const memberLines = joinMemberLines(lineMembers.map((name) => (name === 'applicationClientId' ? text : '')));
  const row = { ...logRow(tenantId, { occurredAtMs: nowMs - delayMs, ...columns }), memberLines };
  if (fact === null) return row;
  const members = fact.kind === 'aiInteraction' ? { ...fact, event: null } : { ...fact, clientId: null, appHost: null };
  const { kind: _, ...named } = members;
  const facts = JSON.stringify(named, (_name, value) => value ?? undefined);
  return { ...row, facts: [{ ...members, agentName: null, actorId: columns.actorId, facts }] };
}
type ArbitraryRow = typeof arbitraryRow extends fc.Arbitrary<infer Value> ? Value : never;

/** Rows of two tenants, in batches for three lanes. */
const deliveries = arbitraryDeliveries(arbitraryRow, { maxLength: 25 });

async function deliver(rows: readonly AuditLogRow[], order: readonly number[], size: number): Promise<void> {
  const batches = Array.from({ length: Math.ceil(order.length / size) }, (_, at) =>
    order.slice(at * size, (at + 1) * size).map((index) => rows[index] as AuditLogRow),
  );
  const lane = async (partition: number) => {
    for (const [index, batch] of batches.entries())
      if (index % 3 === partition) await writeRows(lanes, partition, batch);
  };
  const ended = await Promise.allSettled([0, 1, 2].map(lane));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

const columns = 'tenant_id, tally, at, subject, object, flags, events, first_at, last_at';

async function readTallies(tenantIds: readonly string[]): Promise<unknown[]> {
  const { rows } = await superuser.query(
    `select tenant_id, tally, at, subject, object, flags, sum(events)::integer as events, min(first_at) as first_at, max(last_at) as last_at
       from models.log_tally where tenant_id = any($1) group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
    [tenantIds],
  );
  return rows;
}

async function recount(tenantIds: readonly string[]): Promise<unknown[]> {
  const counts = logTallies.map((tally) => {
    const [from, of] = tally.sql.from === 'log' ? ['models.audit_log l', 'l'] : ['models.log_fact f', 'f'];
    return countAgain(tally, { from: from as string, where: `${of}.tenant_id = any($1)` });
  });
  const { rows } = await superuser.query(
    `select ${columns} from (${counts.join(' union all ')}) counted order by tenant_id, tally collate "C", at, subject collate "C", object collate "C", flags collate "C"`,
    [tenantIds],
  );
  return rows;
}

test('tallies equal a recount of the log for every order of delivery, with duplicates, late rows and rows ahead of the clock', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async ({ rows, order, size }) => {
      const tenantIds = [randomUUID(), randomUUID()];
      const nowMs = Date.now();
      const created = rows.map((row, index) => createRow(tenantIds[index % 2] as string, nowMs, row));
      await deliver(created, order, size);
      const expected = await recount(tenantIds);
      expect(await readTallies(tenantIds)).toEqual(expected);
      expect(await readActorDays(superuser, tenantIds)).toEqual(await recountActorDays(superuser, tenantIds));
      expect(expected.length).toBeGreaterThanOrEqual(3);
    }),
    { numRuns: 40 },
  );
}, 120_000);

test('a batch that is rolled back counts nothing, and the same batch counts once when it is written again', async () => {
  const tenantId = randomUUID();
  const rows = Array.from({ length: 5 }, () => logRow(tenantId, { workload: 'exchange' }));
  const rejected = lanes.write(0, rows, {
    beforeCommit: async () => {
      throw new Error('killed');
    },
  });
  await expect(rejected).rejects.toThrow('killed');
  expect(await readTallies([tenantId])).toEqual([]);
  await writeRows(lanes, 0, rows);
  expect(await readTallies([tenantId])).toEqual(await recount([tenantId]));
});

test('a backfill of a new tally that is killed between and within steps counts each row once', async () => {
  const tenantIds = [randomUUID(), randomUUID()];
  const sample = fc.sample(arbitraryRow, { numRuns: 120, seed: 7 });
  const nowMs = Date.now();
  const rows = sample.map((row, index) => createRow(tenantIds[index % 2] as string, nowMs, row));
  await writeRows(lanes, 0, rows.slice(0, 60));
  await superuser.query('delete from models.log_tally where tenant_id = any($1)', [tenantIds]);
  await superuser.query('delete from models.actor_tally where tenant_id = any($1)', [tenantIds]);
  // One after the other: the order of tallies that are added with one version is that of their names.
  const names = [...logTallies.map(({ name }) => name), 'actor_tally'];
  for (const name of names) await superuser.query('select models.begin_log_tally_backfill($1)', [name]);
  await writeRows(lanes, 1, rows.slice(60));
  let steps = 0;
  const ends: string[] = [];
  for (let next = true; next; ) {
    if (steps % 37 === 5) ends.push(await killWithinStep());
    next = await backfillLogTally(lanes.ledger.pool);
    if (next) steps += 1;
  }
  expect(steps).toBeGreaterThan(names.length);
  expect(ends).toContain('killed');
  const { rows: left } = await superuser.query('select tally from models.log_tally_backfill where next_at is not null');
  expect(left).toEqual([]);
  expect(await readTallies(tenantIds)).toEqual(await recount(tenantIds));
  expect(await readActorDays(superuser, tenantIds)).toEqual(await recountActorDays(superuser, tenantIds));
  await superuser.query('delete from models.log_tally_backfill');
}, 120_000);

/** A step waits for its position after it has counted; its connection is ended there. */
async function killWithinStep(): Promise<string> {
  const blocker = new pg.Client(database.superuser);
  await blocker.connect();
  try {
    await blocker.query('begin; lock table models.log_tally, models.actor_tally in share mode');
    const ended = backfillLogTally(lanes.ledger.pool).then(
      () => 'finished',
      () => 'killed',
    );
    let killed = 0;
    for (let attempt = 0; attempt < 50 && killed === 0; attempt++) {
      const { rows } = await superuser.query<{ killed: boolean }>(
        `select pg_terminate_backend(pid) as killed from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query ~ 'insert into models.(log|actor)_tally'`,
      );
      killed = rows.length;
    }
    await blocker.query('rollback');
    return await ended;
  } finally {
    await blocker.end();
  }
}

test('tallies are deleted with the rows of their time, or after the last period that a rule reads', async () => {
  const tenantId = randomUUID();
  const fact = { kind: 'aiInteraction', agentId: 'a', agentName: null, clientId: null, appHost: null, event: null };
  const facts = [
    { ...fact, actorId: 'anna', facts: '{}' },
    { ...fact, kind: 'agentLifecycle', event: 'create', actorId: null, facts: '{}' },
  ];
  const nowMs = Date.now();
  await writeRows(lanes, 0, [{ ...logRow(tenantId, { applicationId: 'app', occurredAtMs: nowMs }), facts }]);
  // Ages are counted from now on, also those of periods of 32 days.
  await superuser.query(
    `update models.log_tally set at = now() where tenant_id = $1 and tally in ('assistant', 'lifecycle')`,
    [tenantId],
  );
  const names = logTallies.map(({ name }) => name);
  const ages = [0, 9, 11, 32, 34, 64, 66, 92, 94, 125, 127, 400];
  for (const days of ages.slice(1))
    await superuser.query(
      `insert into models.log_tally select tenant_id, tally, at - $2 * interval '1 day', subject, object, flags, shard, events, first_at, last_at
         from models.log_tally where tenant_id = $1 and at > now() - interval '3 days'`,
      [tenantId, days],
    );
  const agesOf = async () => {
    const { rows } = await superuser.query<{ tally: string; days: number[] }>(
      `select tally, array_agg(round(extract(epoch from now() - at) / 86400)::integer order by at desc) as days
         from models.log_tally where tenant_id = $1 group by tally order by tally`,
      [tenantId],
    );
    return Object.fromEntries(rows.map(({ tally, days }) => [tally, days.length]));
  };
  expect(Object.keys(await agesOf())).toEqual(names.toSorted());
  await lanes.partitionCache.refresh();
  expect(await agesOf()).toEqual({
    ...{ activity: 4, application: 8, arrival: 12, assistant: 6, interaction: 8, lag: 2, lifecycle: 10 },
  });
  const droppedBefore = new Date(nowMs - 50 * dayMs);
  await superuser.query(`update models.retention set dropped_before = $1 where feed = 'logs'`, [droppedBefore]);
  await lanes.partitionCache.refresh();
  expect(await agesOf()).toEqual({
    ...{ activity: 4, application: 5, arrival: 5, assistant: 6, interaction: 5, lag: 2, lifecycle: 7 },
  });
});

test('rows of actors are deleted when all of their 32 days are older than a rule reads', async () => {
  const tenantId = randomUUID();
  await writeRows(lanes, 0, [logRow(tenantId, { actorId: 'anna' })]);
  const ages = [0, 32, 62, 64, 66, 68, 120];
  await superuser.query(
    `insert into models.actor_tally (tenant_id, at, shard, actor, device, state, first_at, last_at, events, counts, first_ms, last_ms)
     select tenant_id, now() - age * interval '1 day', shard, actor, device, state, first_at, last_at, events, counts, first_ms, last_ms
       from models.actor_tally cross join unnest($2::integer[]) age where tenant_id = $1`,
    [tenantId, ages],
  );
  await superuser.query('delete from models.actor_tally where tenant_id = $1 and at = first_at', [tenantId]);
  const agesOf = async () => {
    const { rows } = await superuser.query<{ days: number }>(
      'select round(extract(epoch from now() - at) / 86400)::integer as days from models.actor_tally where tenant_id = $1 order by at desc',
      [tenantId],
    );
    return rows.map(({ days }) => days);
  };
  await lanes.partitionCache.refresh();
  expect((await agesOf()).filter((days) => days > 40)).toEqual([62, 64]);
  await superuser.query(`update models.retention set dropped_before = now() - interval '31 days' where feed = 'logs'`);
  await lanes.partitionCache.refresh();
  expect((await agesOf()).filter((days) => days > 40)).toEqual([62]);
});
