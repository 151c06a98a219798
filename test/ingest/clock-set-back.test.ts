import { randomUUID } from 'node:crypto';
import { claimStream, finishRun } from '@tenantscope/store/collect';
import { claimDeadLetterRequest, type Ledger, openEpoch, tickLanes } from '@tenantscope/store/ingest';
import { startLaneMonitor } from '@tenantscope/store/lane';
import { readLogSettled } from '@tenantscope/store/receipts';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type LaneWriter, logRow, openLaneWriter } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

let database: TestDatabase;
let inspector: DatabaseInspector;
let lanes: LaneWriter;
let collect: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  collect = openTestPool(database.roles.collect);
});
afterAll(async () => {
  await collect?.end();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await lanes?.[Symbol.asyncDispose]();
  await inspector.client.query('truncate models.ingest_lane, models.lane_log, models.ingest_epoch');
  await inspector.client.query(
    `update models.lane_clock set settled_at = 'epoch', locked_lanes = '{}', locked_settled_at = '{}'`,
  );
  lanes = await openLaneWriter(database, { partitions: 2 });
});

/** What a clock that was ahead by so much has left, since it was set back. */
async function setBack(interval: string): Promise<void> {
  await tickLanes(lanes.ledger);
  await inspector.client.query(`update models.lane_clock set settled_at = settled_at + $1::interval`, [interval]);
}

/** The stamp of the tenant's row, and how far all lanes are settled, in epoch ms. */
async function readTimes(tenantId: string): Promise<{ stampMs: number; settledMs: number }> {
  const { rows } = await inspector.client.query<{ stampMs: number; settledMs: number }>(
    `select (extract(epoch from (select discovered_at from models.audit_log where tenant_id = $1)) * 1000)::float8 as "stampMs",
            (extract(epoch from (select min(settled_at) from models.lane_watermark)) * 1000)::float8 as "settledMs"`,
    [tenantId],
  );
  return rows[0] as { stampMs: number; settledMs: number };
}

test('rows that are written after the clock was set back are settled at the next tick', async () => {
  await setBack('1 hour');
  const tenantId = randomUUID();
  expect(await lanes.write(0, [logRow(tenantId)])).toMatchObject({ kind: 'written' });
  await tickLanes(lanes.ledger);
  const { stampMs, settledMs } = await readTimes(tenantId);
  expect(stampMs).toBeGreaterThan(Date.now() + 3_000_000);
  expect(settledMs).toBeGreaterThanOrEqual(stampMs);
});

test('rows that are written after a promotion are settled at the next tick', async () => {
  await inspector.client.query(`update models.ingest_epoch set timeline = 'ANOTHER'`);
  await openEpoch(lanes.ledger);
  const tenantId = randomUUID();
  expect(await lanes.write(0, [logRow(tenantId)])).toMatchObject({ kind: 'written' });
  await tickLanes(lanes.ledger);
  const { stampMs, settledMs } = await readTimes(tenantId);
  expect(settledMs).toBeGreaterThanOrEqual(stampMs);
});

test('a promoted server stamps later than what was settled by a clock that was ahead', async () => {
  await setBack('1 hour');
  const { settledMs } = await readTimes(randomUUID());
  await inspector.client.query(`update models.ingest_epoch set timeline = 'ANOTHER'`);
  await openEpoch(lanes.ledger);
  const tenantId = randomUUID();
  await lanes.write(0, [logRow(tenantId)]);
  // The lost primary may have settled a little more than the promoted server has.
  expect((await readTimes(tenantId)).stampMs).toBeGreaterThan(settledMs + 4_000);
});

test('there are partitions for stamps that are months ahead of the clock', async () => {
  await setBack('60 days');
  await lanes.partitionCache.refresh();
  expect(await lanes.write(0, [logRow(randomUUID())])).toMatchObject({ kind: 'written' });
});

test('the log counts as settled at most until now, so that no receipt of the present day is attempted', async () => {
  await setBack('1 day');
  const jobs = openTestPool(database.roles.jobs, { max: 1 });
  try {
    expect(await readLogSettled(jobs)).toBeLessThanOrEqual(Date.now());
  } finally {
    await jobs.end();
  }
});

test('logs are measured after the clock was set back', async () => {
  await inspector.client.query(
    `update models.lane_log set measured_at = clock_timestamp() + interval '1 hour', unread_offset = 0, end_offset = 5,
            unread_since = clock_timestamp() + interval '1 hour', unmoved_since = clock_timestamp() + interval '1 hour'`,
  );
  await using _ = startLaneMonitor({
    ledgers: [lanes.ledger],
    clusters: new Map([
      ['main', async (due) => due.map(() => ({ endOffset: 9n, unread: { offset: 0n, timestampMs: null } }))],
    ]),
    observed: () => {},
    failed: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  await eventually('the measurement of each lane', 20_000, async () => {
    const { rows } = await inspector.client.query(
      `select from models.lane_log
        where end_offset = 9 and greatest(measured_at, unread_since, unmoved_since) <= clock_timestamp()`,
    );
    return rows.length === 2;
  });
});

test('a request about dead letters that was claimed before the clock was set back is claimed again', async () => {
  const { pool } = lanes.ledger;
  const control: Ledger = { pool, schema: 'control' };
  // Without the organization and the member that it refers to.
  await inspector.client.query(`
    begin;
    set local session_replication_role = replica;
    insert into control.dead_letter_request (organization_id, action, dead_letter_ids, cells, requested_by, claimed_by, claimed_at)
    select id, 'dryRun', array[id], '{default}', id, id, clock_timestamp() + interval '1 day' from gen_random_uuid() id;
    commit`);
  expect(await claimDeadLetterRequest(control, 'default', randomUUID())).not.toBeNull();
  expect(await claimDeadLetterRequest(control, 'default', randomUUID())).toBeNull();
});

test('streams whose times were stored before the clock was set back are collected', async () => {
  const { rows } = await inspector.client.query<{ id: string }>(
    `insert into control.collector (tenant_id, provider, url, secret_file, streams, interval_seconds, start_at)
     values (gen_random_uuid(), 'okta', 'https://okta.example', '/secret', '{logs}', 60, now()) returning id`,
  );
  const set = (assignments: string) =>
    inspector.client.query(`update control.collector_stream set ${assignments} where collector_id = $1`, [rows[0]?.id]);
  const claim = () => claimStream(collect, { providers: ['okta'], leaseMs: 60_000, worker: 'test' });
  const finish = async (leaseId: string) => {
    await finishRun(collect, leaseId, { dueInMs: 30_000, completedAtMs: Date.now(), failure: null });
  };
  const first = await claim();
  await finish(first?.leaseId ?? '');
  expect(await claim()).toBeNull();
  // An hour is what a provider may request at most.
  await set(`due_at = clock_timestamp() + interval '70 minutes'`);
  expect(await claim()).toBeNull();

  await set(`due_at = clock_timestamp() + interval '1 day', completed_at = clock_timestamp() + interval '1 day'`);
  const due = await claim();
  expect(due).not.toBeNull();
  // Of a process that was killed.
  await set(`leased_until = clock_timestamp() + interval '1 day'`);
  const again = await claim();
  expect(again).not.toBeNull();
  expect(await claim()).toBeNull();
  await finish(again?.leaseId ?? '');
  await set(`due_at = clock_timestamp()`);
  expect((await claim())?.completedAtMs).toBeLessThanOrEqual(Date.now());
});
