import { randomUUID } from 'node:crypto';
import {
  acceptedByOperator,
  type LaneIdentity,
  type OpenedLane,
  openEpoch,
  openLanes,
  setLaneState,
  tickLanes,
} from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type LaneWriter, logRow, openLaneWriter } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { isLong, seed } from '../torture/random.ts';

let database: TestDatabase;
let inspector: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = new pg.Client(database.superuser);
  await inspector.connect();
});
afterAll(async () => {
  await inspector.end();
  await database[Symbol.asyncDispose]();
});

interface SeenRow {
  ms: number;
  id: string;
}

interface Observation {
  settledMs: number;
  lanes: Map<string, number>;
  /** The tenant's rows at or below the watermark that was read before them. */
  rows: SeenRow[];
}

const emptyObservation: Observation = { settledMs: 0, lanes: new Map(), rows: [] };

/** What a poller sees: first the watermark, then the rows it covers. */
async function observe(tenantId: string): Promise<Observation> {
  const lanes = await inspector.query<{ lane: string; ms: number }>(
    `select topic_id || '/' || partition as lane, (extract(epoch from settled_at) * 1000)::float8 as ms from models.lane_watermark`,
  );
  const settledMs = Math.min(...lanes.rows.map(({ ms }) => ms));
  const { rows } = await inspector.query<SeenRow>(
    `select (extract(epoch from discovered_at) * 1000)::float8 as ms, id from models.audit_log
      where tenant_id = $1 and discovered_at <= to_timestamp($2::float8 / 1000) order by discovered_at, id`,
    [tenantId, settledMs],
  );
  return { settledMs, lanes: new Map(lanes.rows.map(({ lane, ms }) => [lane, ms])), rows };
}

/** The invariant: rows seen once never change, and new rows lie above the served watermark. */
async function observeAgain(tenantId: string, before: Observation): Promise<Observation> {
  const now = await observe(tenantId);
  for (const [lane, ms] of before.lanes) expect(now.lanes.get(lane)).toBeGreaterThanOrEqual(ms);
  expect(now.settledMs).toBeGreaterThanOrEqual(before.settledMs);
  expect(now.rows.slice(0, before.rows.length)).toEqual(before.rows);
  for (const { ms } of now.rows.slice(before.rows.length)) expect(ms).toBeGreaterThan(before.settledMs);
  return now;
}

const rowsOf = async (tenantId: string): Promise<number> =>
  (await inspector.query('select count(*)::int as rows from models.audit_log where tenant_id = $1', [tenantId])).rows[0]
    .rows;

type Step =
  | { kind: 'begin'; partition: number; rows: number }
  | { kind: 'end'; which: number; how: 'commit' | 'abort' | 'kill' }
  | { kind: 'tick' }
  | { kind: 'open' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), partition: fc.nat(2), rows: fc.nat(6) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(5),
      how: fc.constantFrom('commit' as const, 'commit' as const, 'abort' as const, 'kill' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'tick' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'open' as const }) },
);

/** A batch that pauses before its commit until the test continues it. */
interface LaneState {
  release(how: 'commit' | 'abort' | 'kill'): void;
  /** The lane is locked and the rows are written. */
  readonly locked: Promise<void>;
  readonly over: Promise<'written' | 'not written'>;
}

function startTransaction(written: LaneWriter, tenantId: string, partition: number, rows: number): LaneState {
  const gate = Promise.withResolvers<'commit' | 'abort' | 'kill'>();
  const locked = Promise.withResolvers<void>();
  const batch = Array.from({ length: rows }, () => logRow(tenantId));
  const over = written
    .write(partition, batch, {
      async beforeCommit(client) {
        locked.resolve();
        const how = await gate.promise;
        if (how === 'abort') throw new Error('aborted by the test');
        if (how === 'commit') return;
        const { processID } = client as unknown as { processID: number };
        await inspector.query('select pg_terminate_backend($1)', [processID]);
      },
    })
    .then(
      ({ kind }) => (kind === 'written' ? ('written' as const) : ('not written' as const)),
      () => 'not written' as const,
    );
  return { release: gate.resolve, locked: locked.promise, over };
}

describe('lanes under concurrency', () => {
  let written: LaneWriter;
  beforeEach(async () => {
    await inspector.query('truncate models.ingest_lane, models.ingest_epoch');
    written = await openLaneWriter(database, { partitions: 2 });
  });
  afterEach(async () => {
    await written[Symbol.asyncDispose]();
  });

  test('no row appears at or below a served watermark for any order of commits, aborts, failures, ticks and openings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        await inspector.query('truncate models.ingest_lane');
        const tenantId = randomUUID();
        let partitions = 3;
        await using lanes = await openLaneWriter(database, { partitions });
        const begun: LaneState[] = [];
        const laneStates: LaneState[] = [];
        try {
          let seen = emptyObservation;
          for (const next of steps) {
            if (next.kind === 'begin') {
              const batch = startTransaction(lanes, tenantId, next.partition, next.rows);
              begun.push(batch);
              laneStates.push(batch);
            }
            if (next.kind === 'end') laneStates.splice(next.which, 1)[0]?.release(next.how);
            if (next.kind === 'tick') await tickLanes(lanes.ledger);
            if (next.kind === 'open') await lanes.open([partitions++]);
            seen = await observeAgain(tenantId, seen);
          }
          for (const batch of begun) batch.release('commit');
          await Promise.all(begun.map(({ over }) => over));
          // A killed connection holds its lane a little longer than its client lives.
          await eventually('the watermark covers every row', 10_000, async () => {
            await tickLanes(lanes.ledger);
            return (await observe(tenantId)).rows.length === (await rowsOf(tenantId));
          });
          await observeAgain(tenantId, seen);
        } finally {
          for (const batch of begun) batch.release('abort');
          await Promise.all(begun.map(({ over }) => over));
        }
      }),
      { numRuns: isLong ? 300 : 15, seed: Number(seed) | 0 },
    );
  }, 600_000);

  test('the second of two writers at one offset is fenced and writes nothing', async () => {
    const tenantId = randomUUID();
    const first = startTransaction(written, tenantId, 0, 3);
    await first.locked;
    const second = written.write(0, [logRow(tenantId)], { fromOffset: 0n });
    first.release('commit');
    expect(await first.over).toBe('written');
    expect(await second).toEqual({ kind: 'fenced' });
    expect(await rowsOf(tenantId)).toBe(3);
  });

  test('what an operator accepted ends with the first batch, whatever becomes of its process', async () => {
    await inspector.query(`update models.ingest_lane set reason = $1 where partition = 0`, [acceptedByOperator]);
    await inspector.query(`update models.ingest_lane set state = 'tripped', reason = 'why' where partition = 1`);
    for (const partition of [0, 1]) await written.write(partition, [logRow(randomUUID())]);
    const { rows } = await inspector.query('select state, reason from models.ingest_lane order by partition');
    expect(rows).toEqual([
      { state: 'running', reason: null },
      { state: 'tripped', reason: 'why' },
    ]);
  });

  test('a worker whose lane was opened again does not overwrite the state of the one that has it', async () => {
    const topic = { clusterId: 'test', topicId: randomUUID(), topic: 'test.opened', source: 'raw.activity.v1' };
    const open = async () => {
      const [lane] = await openLanes(written.ledger, { ...topic, partitions: [0] });
      return lane as OpenedLane;
    };
    const readState = async () => {
      const { rows } = await inspector.query('select state, reason from models.ingest_lane where topic_id = $1', [
        topic.topicId,
      ]);
      return rows[0];
    };
    const suspended = await open();
    expect(await setLaneState(written.ledger, suspended, 'tripped', 'failures')).toBe(true);
    const successor = await open();
    expect(successor).toMatchObject({ state: 'tripped', reason: 'failures' });
    expect(await setLaneState(written.ledger, successor, 'running', null)).toBe(true);
    expect(await setLaneState(written.ledger, suspended, 'stopped', 'gap')).toBe(false);
    expect(await readState()).toEqual({ state: 'running', reason: null });
  });

  test('the watermark stays before a hanging batch while other lanes advance', async () => {
    const tenantId = randomUUID();
    const hanging = startTransaction(written, tenantId, 0, 1);
    await hanging.locked;
    await tickLanes(written.ledger);
    const before = await observe(tenantId);
    await written.write(1, [logRow(tenantId)]);
    await tickLanes(written.ledger);
    const during = await observe(tenantId);
    expect(during.settledMs).toBe(before.settledMs);
    expect(during.rows).toEqual([]);
    hanging.release('commit');
    await hanging.over;
    await tickLanes(written.ledger);
    expect((await observe(tenantId)).rows).toHaveLength(2);
  });

  test('without the lock that stamps exclude ticks by, a row appears below a served watermark', async () => {
    const tenantId = randomUUID();
    const { rows: functions } = await inspector.query<{ text: string }>(
      `select pg_get_functiondef('models.stamp_lane'::regproc) as text`,
    );
    const text = functions[0]?.text ?? '';
    const appearsBelow = async () => {
      const batch = startTransaction(written, tenantId, 0, 1);
      await batch.locked;
      await tickLanes(written.ledger);
      const served = await observe(tenantId);
      batch.release('commit');
      await batch.over;
      const after = await observe(tenantId);
      return after.rows.filter(({ ms }) => ms <= served.settledMs).length - served.rows.length;
    };
    expect(await appearsBelow()).toBe(0);
    await inspector.query(text.replace(/perform pg_advisory_xact_lock\([^;]*;/, ''));
    try {
      expect(await appearsBelow()).toBe(1);
    } finally {
      await inspector.query(text);
    }
  });

  test('a batch at another isolation level is refused', async () => {
    await using other = await openDatabaseInspector(database.superuser);
    await other.client.query('begin isolation level repeatable read');
    await expect(other.client.query('update models.ingest_lane set next_offset = next_offset + 1')).rejects.toThrow(
      'READ COMMITTED only',
    );
  });

  test('a tick writes as much WAL for a hundred lanes as for two', async () => {
    /** Of this statement alone: tests share the server. The first one after a checkpoint writes a whole page. */
    const measure = async () => {
      const measured: { records: number; bytes: number }[] = [];
      for (let tick = 0; tick < 20; tick++) {
        const { rows } = await inspector.query<{
          'QUERY PLAN': [{ Plan: Record<'WAL Records' | 'WAL Bytes', number> }];
        }>('explain (analyze, wal, format json) select models.tick_lanes()');
        const plan = rows[0]?.['QUERY PLAN'][0].Plan;
        measured.push({ records: plan?.['WAL Records'] ?? 0, bytes: plan?.['WAL Bytes'] ?? 0 });
      }
      return measured.reduce((least, one) => (one.bytes < least.bytes ? one : least));
    };
    const few = await measure();
    await written.open(Array.from({ length: 98 }, (_, index) => index + 2));
    const many = await measure();
    expect(few.bytes).toBeGreaterThan(0);
    expect(many.records).toBe(few.records);
    // A record has the bytes of a time that changed: some more or fewer, and not a byte for each lane.
    expect(Math.abs(many.bytes - few.bytes)).toBeLessThanOrEqual(8);
    expect(many.bytes).toBeLessThan(400);
  });

  test('a lane whose opener died midway does not block the watermark forever', async () => {
    await inspector.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at)
       values ('test', $1, 7, 'test.raw.activity.v1', 'raw.activity.v1', clock_timestamp())`,
      [randomUUID()],
    );
    await tickLanes(written.ledger);
    const before = await observe(randomUUID());
    await inspector.query('select pg_sleep(0.005)');
    await tickLanes(written.ledger);
    expect((await observe(randomUUID())).settledMs).toBeGreaterThan(before.settledMs);
  });

  test('a lane is not written before it is lifted above every served watermark', async () => {
    const tenantId = randomUUID();
    await inspector.query('update models.ingest_lane set opened = false where partition = 1');
    expect(await written.write(1, [logRow(tenantId)])).toEqual({ kind: 'fenced' });
    await tickLanes(written.ledger);
    expect(await written.write(1, [logRow(tenantId)])).toMatchObject({ kind: 'written' });
  });

  test('a constantly read watermark never decreases while lanes are opened and read as another source', async () => {
    let opening = true;
    const watch = async () => {
      await using other = await openDatabaseInspector(database.superuser);
      const seen: number[] = [];
      while (opening) {
        const { rows } = await other.client.query<{ ms: number }>(
          'select (extract(epoch from min(settled_at)) * 1000)::float8 as ms from models.lane_watermark',
        );
        seen.push(rows[0]?.ms ?? 0);
      }
      return seen;
    };
    const { topicId } = written.lanes[0] as LaneIdentity;
    const bound = { clusterId: 'test', topicId, topic: 'test.raw.activity.v1' };
    const watching = watch();
    for (let partition = 10; partition < 50; partition++) {
      await written.open([partition]);
      await tickLanes(written.ledger);
      await openLanes(written.ledger, { ...bound, source: `raw.activity.v${partition}`, partitions: [0] });
    }
    opening = false;
    const seen = await watching;
    expect(seen.length).toBeGreaterThan(20);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test('a lane registered before a served watermark and visible after it starts above that watermark', async () => {
    // Lanes ahead of the clock, as after a promotion: otherwise the clock alone would hide an error.
    await inspector.query(`update models.ingest_lane set settled_at = clock_timestamp() + interval '10 s'`);
    const tenantId = randomUUID();
    const topicId = written.lanes[0]?.topicId;
    await using opener = await openDatabaseInspector(database.superuser);
    await opener.client.query('begin');
    await opener.client.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at)
       select 'test', $1, 9, 'test.raw.activity.v1', 'raw.activity.v1', max(settled_at) from models.ingest_lane`,
      [topicId],
    );
    for (let round = 0; round < 5; round++) {
      for (const { partition } of written.lanes) await written.write(partition, [logRow(tenantId)]);
    }
    const served = await observe(tenantId);
    await opener.client.query('commit');
    await written.open([9]);
    await observeAgain(tenantId, served);
    await written.write(9, [logRow(tenantId)]);
    await observeAgain(tenantId, served);
  });

  test('rows of one batch are stamped in offset order above the settled time of the lane', async () => {
    const tenantId = randomUUID();
    await tickLanes(written.ledger);
    const { settledMs } = await observe(tenantId);
    const rows = Array.from({ length: 500 }, () => logRow(tenantId));
    await inspector.query('select pg_sleep(0.6)');
    await written.write(0, rows);
    const stamped = await inspector.query<{ id: string; ms: number }>(
      'select id, (extract(epoch from discovered_at) * 1000)::float8 as ms from models.audit_log where tenant_id = $1',
      [tenantId],
    );
    const stampOf = new Map(stamped.rows.map((row) => [row.id, row.ms]));
    const stamps = rows.map(({ id }) => stampOf.get(id) ?? 0);
    expect(stamps).toEqual(stamps.toSorted((a, b) => a - b));
    expect(stamps[0]).toBeGreaterThan(settledMs);
    expect(new Set(stamps).size).toBeGreaterThan(400);
  });

  test('a server without an epoch neither ticks nor writes, and opening one advances every lane', async () => {
    const tenantId = randomUUID();
    await written.write(0, [logRow(tenantId)]);
    await tickLanes(written.ledger);
    const before = await observe(tenantId);
    // A promoted standby is a timeline without an epoch in the ledger.
    await inspector.query(`update models.ingest_epoch set timeline = 'ANOTHER'`);

    await tickLanes(written.ledger);
    expect(await written.write(0, [logRow(tenantId)])).toEqual({ kind: 'fenced' });
    expect(await observe(tenantId)).toEqual(before);

    expect(await openEpoch(written.ledger)).toBe(true);
    expect(await openEpoch(written.ledger)).toBe(false);
    const lifted = await observe(tenantId);
    const { rows: clock } = await inspector.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    expect(lifted.settledMs).toBeGreaterThan((clock[0]?.ms ?? 0) + 3_000);
    expect(await written.write(0, [logRow(tenantId)])).toMatchObject({ kind: 'written' });
    await observeAgain(tenantId, lifted);
  });

  test('no timer retains the rows of a written batch', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    for (let batch = 0; batch < 20; batch++) await written.write(0, [logRow(randomUUID())]);
    expect(timers() - before).toBeLessThan(20);
  });

  test('workers that open the lanes of one topic concurrently find the same lanes', async () => {
    const topic = {
      clusterId: 'test',
      topicId: randomUUID(),
      topic: 'test.raw.activity.v1',
      source: 'raw.activity.v1',
    };
    const all = await Promise.all(
      Array.from({ length: 6 }, () => openLanes(written.ledger, { ...topic, partitions: [0, 1, 2, 3] })),
    );
    const withoutAssignments = all.map((lanes) => lanes.map((lane) => ({ ...lane, assignment: '' })));
    for (const lanes of withoutAssignments) expect(lanes).toEqual(withoutAssignments[0]);
    expect(all.map(([lane]) => Number(lane?.assignment)).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    const { rows } = await inspector.query(
      'select count(*)::int as lanes from models.ingest_lane where opened and topic_id = $1',
      [topic.topicId],
    );
    expect(rows).toEqual([{ lanes: 4 }]);
  });
});
