import { randomUUID } from 'node:crypto';
import { writeLogBlocksInBackground } from '@tenantscope/ingest/log-blocks';
import { createBlockBacklog, tickLanes, watchWatermark, writeLogBlocks } from '@tenantscope/store/ingest';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { logRow, openLaneWriter } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

let database: TestDatabase;
let inspector: DatabaseInspector;

beforeEach(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
});
afterEach(async () => {
  await inspector[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const manyRows = (tenantId: string, count: number) =>
  Array.from({ length: count }, (_, number) =>
    logRow(tenantId, { externalEventId: randomUUID(), actorId: `a${number % 9}` }),
  );

const readWatermark = async (pool: Pick<pg.Pool, 'query'> = inspector.client): Promise<number> => {
  const { rows } = await pool.query<{ ms: number }>(
    'select (extract(epoch from min(settled_at)) * 1000)::float8 as ms from models.lane_watermark',
  );
  return rows[0]?.ms ?? 0;
};

interface Coverage {
  blocks: number;
  rows: number;
  /** Rows of the log up to the end of the last block. */
  logged: number;
  /** Blocks whose number, or whose count of the rows between their ends, is wrong. */
  wrong: number;
}

async function readCoverage(tenantId: string): Promise<Coverage> {
  const { rows } = await inspector.client.query<Coverage>(
    `with block as (
       select b.*, row_number() over (order by first_at, first_id) as place,
              (select count(*) from models.audit_log l where l.tenant_id = $1
                  and (l.discovered_at, l.id) between (b.first_at, b.first_id) and (b.last_at, b.last_id)) as counted
         from models.log_block b where tenant_id = $1)
     select count(*)::int as blocks, coalesce(sum(row_count), 0)::int as rows, count(*) filter (where place <> number or counted <> row_count)::int as wrong,
            (select count(*)::int from models.audit_log l where l.tenant_id = $1
                and (l.discovered_at, l.id) <= (select last_at, last_id from block order by number desc limit 1)) as logged
       from block`,
    [tenantId],
  );
  if (!rows[0]) throw new Error('no coverage');
  return rows[0];
}

test('every row up to the last block is in one block while rows arrive and writers of blocks are killed', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 3 });
  const tenantId = randomUUID();
  const name = `blocks ${tenantId.slice(0, 8)}`;
  const pool = openTestPool(database.roles.ingest, { max: 4, application_name: name });
  let isWriting = true;
  let killed = 0;
  let written = 0;
  const write = async (partition: number) => {
    for (let batch = 0; batch < 12; batch++) {
      const rows = manyRows(tenantId, 50 + 137 * partition);
      const pauseMs = (batch * 7) % 60;
      const outcome = await lanes.write(partition, rows, {
        beforeCommit: () => new Promise((resolve) => setTimeout(resolve, pauseMs)),
      });
      if (outcome.kind === 'written') written += outcome.inserted;
      await tickLanes(lanes.ledger);
    }
  };
  const build = async () => {
    while (isWriting) {
      const throughMs = await readWatermark(lanes.ledger.pool);
      await writeLogBlocks(pool, tenantId, throughMs).catch(() => null);
    }
  };
  const kill = async () => {
    while (isWriting) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      const { rows } = await inspector.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database() and state <> 'idle' limit 1`,
        [name],
      );
      killed += rows.length;
    }
  };
  const background = [build(), build(), build(), kill()];
  await Promise.all([write(0), write(1), write(2)]);
  isWriting = false;
  await Promise.all(background);
  await tickLanes(lanes.ledger);
  while ((await writeLogBlocks(pool, tenantId, await readWatermark()).catch(() => null))?.isComplete !== true);
  await pool.end();
  const { blocks, rows, logged, wrong } = await readCoverage(tenantId);
  expect(killed).toBeGreaterThan(0);
  expect({ wrong, rows }).toEqual({ wrong: 0, rows: logged });
  expect(blocks).toBeGreaterThan(written / 256 - 1);
  expect(written - rows).toBeLessThan(256);
}, 60_000);

test('no block has a row that is not settled', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 2 });
  const tenantId = randomUUID();
  await lanes.write(0, manyRows(tenantId, 600));
  const throughMs = await readWatermark();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await lanes.write(0, manyRows(tenantId, 600));
  await writeLogBlocks(lanes.ledger.pool, tenantId, throughMs);
  const { rows } = await inspector.client.query(
    'select count(*)::int as later from models.log_block where last_at > to_timestamp($1 / 1000.0)',
    [throughMs],
  );
  expect(rows).toEqual([{ later: 0 }]);
  await tickLanes(lanes.ledger);
  await writeLogBlocks(lanes.ledger.pool, tenantId, await readWatermark());
  const { blocks, rows: covered, logged, wrong } = await readCoverage(tenantId);
  expect({ wrong, covered, isMost: blocks >= 4 }).toEqual({ wrong: 0, covered: logged, isMost: true });
});

test('the backlog lists tenants with rows for a block until those are in one', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const [large, small] = [randomUUID(), randomUUID()];
  await lanes.write(0, [...manyRows(large, 400), ...manyRows(small, 20)]);
  await tickLanes(lanes.ledger);
  const backlog = createBlockBacklog(lanes.ledger.pool);
  expect(await backlog.find()).toEqual([large]);
  expect(backlog.countRows()).toBe(400);
  const slice = await writeLogBlocks(lanes.ledger.pool, large, await readWatermark());
  expect(slice).toMatchObject({ isComplete: true });
  expect((slice?.rows ?? 0) + (slice?.leftover ?? 0)).toBe(400);
  backlog.complete(large, slice?.leftover ?? 0);
  expect(await backlog.find()).toEqual([]);
  expect(backlog.countRows()).toBe(0);
  await lanes.write(0, manyRows(large, 256));
  expect(await backlog.find()).toEqual([large]);
});

test('an ingest process writes the blocks of all tenants, and goes on after a failure', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const tenantIds = [randomUUID(), randomUUID()];
  // More than one transaction takes, and little.
  await lanes.write(0, manyRows(tenantIds[0] as string, 9_000));
  await lanes.write(0, manyRows(tenantIds[1] as string, 300));
  await tickLanes(lanes.ledger);
  const failures: unknown[] = [];
  const withoutBlock: number[] = [];
  await inspector.client.query('alter table models.log_block rename to log_block_moved');
  await using watermark = await watchWatermark([lanes.ledger.pool], { intervalMs: 20 });
  await using _writer = writeLogBlocksInBackground({
    models: lanes.ledger.pool,
    watermark,
    metrics: { setRowsWithoutBlock: (rows) => withoutBlock.push(rows) },
    log: { warn: (failure: unknown) => failures.push(failure), info: () => {} },
    intervalMs: 50,
  });
  await eventually('a pass failed', 10_000, async () => failures.length > 0);
  await inspector.client.query('alter table models.log_block_moved rename to log_block');
  await eventually('all blocks are written', 20_000, async () => withoutBlock.at(-1) === 0);
  for (const tenantId of tenantIds) {
    const { rows, logged, wrong, blocks } = await readCoverage(tenantId);
    expect({ wrong, rows, isWritten: blocks > 0 }).toEqual({ wrong: 0, rows: logged, isWritten: true });
  }
  expect(withoutBlock[0]).toBe(9_300);
  expect((await readCoverage(tenantIds[0] as string)).rows).toBeGreaterThan(9_000 - 256);
}, 60_000);

test('blocks end with the partition of their rows, and are deleted with it', async () => {
  await using lanes = await openLaneWriter(database, { partitions: 1 });
  const tenantId = randomUUID();
  const { rows: partitions } = await inspector.client.query<{ from_at: Date }>(
    'select min(from_at) as from_at from models.audit_log_partition',
  );
  const oldestAt = partitions[0]?.from_at as Date;
  const fromAt = new Date(oldestAt.getTime() - 40 * 86_400_000).toISOString();
  await inspector.client.query(
    `create table models.audit_log_old (like models.audit_log including defaults including constraints);
     alter table models.audit_log attach partition models.audit_log_old for values from ('${fromAt}') to ('${oldestAt.toISOString()}');
     create table models.audit_log_raw_old (like models.audit_log_raw including all);
     alter table models.audit_log_raw attach partition models.audit_log_raw_old for values from ('${fromAt}') to ('${oldestAt.toISOString()}');
     grant select on models.audit_log_old to tenantscope_ingest;
     insert into models.audit_log_partition values ('audit_log_old', '${fromAt}', '${oldestAt.toISOString()}');
     insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
     select '${tenantId}', '${fromAt}'::timestamptz + make_interval(secs => n), gen_random_uuid(), '${fromAt}', 'x', 1, '"x"' from generate_series(1, 600) as n`,
  );
  await lanes.write(0, manyRows(tenantId, 300));
  await tickLanes(lanes.ledger);
  await writeLogBlocks(lanes.ledger.pool, tenantId, await readWatermark());
  const before = await readCoverage(tenantId);
  expect(before).toMatchObject({ blocks: 4, wrong: 0, rows: before.logged });

  await inspector.client.query('alter table models.retention drop constraint retention_floor');
  await inspector.client.query('update models.retention set retention_days = 1');
  await lanes.partitionCache.refresh();
  const after = await readCoverage(tenantId);
  expect(after.blocks).toBe(before.blocks - 3);
  const { rows } = await inspector.client.query(
    'select count(*)::int as uncovered from models.audit_log where tenant_id = $1 and discovered_at < (select min(first_at) from models.log_block where tenant_id = $1)',
    [tenantId],
  );
  expect(rows).toEqual([{ uncovered: 0 }]);
});
