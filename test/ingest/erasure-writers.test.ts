import { randomUUID } from 'node:crypto';
import { takeSnapshot } from '@tenantscope/jobs';
import { digestJson } from '@tenantscope/proof';
import { backfillLogTally, mergeFileTallies } from '@tenantscope/store/ingest';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type LaneWriter, logRow, openLaneWriter, writeRows } from '../installation/lane-writer.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

let database: TestDatabase;
let lanes: LaneWriter;
let superuser: pg.Client;
let jobs: pg.Pool;
/** One session at the command line. */
let operator: pg.Client;
/** One session of a command that moves tenants. */
let mover: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  lanes = await openLaneWriter(database, { partitions: 1 });
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
  jobs = openTestPool(database.roles.jobs);
  operator = new pg.Client({ connectionString: database.roles.admin, options: '-c tenantscope.actor=cli:test' });
  mover = new pg.Client(database.superuser);
  await Promise.all([operator, mover].map((client) => client.connect()));
});
afterAll(async () => {
  await Promise.all([operator, mover].map((client) => client?.end()));
  await Promise.all([jobs?.end(), superuser?.end()]);
  await lanes?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

let tenantId: string;
beforeEach(() => {
  tenantId = randomUUID();
});

/** The functions that erase a tenant, what precedes them, and who calls them. */
const erasures = [
  {
    name: 'erase_tenant',
    prepare: `insert into control.tenant (id, name, plan, digest, closed_at, erased_at) values ($1, 'n', 'none', '', now(), now())`,
    caller: () => operator,
  },
  {
    name: 'erase_moved_tenant',
    prepare: `insert into models.tenant_move (tenant_id, cell, is_arriving, served_through) values ($1, 'eu1', false, now())`,
    caller: () => mover,
  },
];
type Erasure = (typeof erasures)[number];

async function erase({ name, prepare, caller }: Erasure): Promise<void> {
  await superuser.query(prepare, [tenantId]);
  for (let isDone = false; !isDone; )
    isDone = (await caller().query(`select models.${name}($1) as done`, [tenantId])).rows[0]?.done === true;
}

const isWaiting = async (query: string): Promise<boolean> => {
  const { rows } = await superuser.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
    [query],
  );
  return rows.length > 0;
};

/** Starts an erasure. Resolves when a lock delays it, or it has ended. */
async function startErasure(erasure: Erasure): Promise<{ readonly ended: Promise<void> }> {
  let hasEnded = false;
  const ended = erase(erasure).finally(() => {
    hasEnded = true;
  });
  await eventually('the erasure waits', 10_000, async () => hasEnded || (await isWaiting(erasure.name)));
  return { ended };
}

const addTallies = (tenant: string, files: readonly number[]) =>
  superuser.query(
    `insert into models.file_tally (tenant_id, tally, subject, types, is_sensitive, files, is_merged)
     select $1, 'external_user', 'guest@partner.example', '{}', true, files, files > 0 from unnest($2::integer[]) files`,
    [tenant, files],
  );

async function readTallies(tenant: string): Promise<number[]> {
  const { rows } = await superuser.query<{ files: number }>(
    'select files from models.file_tally where tenant_id = $1 order by files',
    [tenant],
  );
  return rows.map(({ files }) => files);
}

test.each(erasures)('counts of files that are being merged do not survive $name', async (erasure) => {
  await addTallies(tenantId, [10, -7]);
  const merging = await lanes.ledger.pool.connect();
  try {
    await merging.query('begin; select models.merge_file_tallies()');
    const { ended } = await startErasure(erasure);
    await merging.query('commit');
    await ended;
  } finally {
    merging.release();
  }
  expect(await readTallies(tenantId)).toEqual([]);
});

test.each(erasures)('counts of other tenants are merged during $name', async (erasure) => {
  // The tenant is the first one in order, so that it would be merged first.
  tenantId = tenantId.replace(/^.{8}/, '00000000');
  const other = randomUUID().replace(/^.{8}/, 'ffffffff');
  for (const tenant of [tenantId, other]) await addTallies(tenant, [10, -7]);
  await erasure.caller().query('begin');
  await erase(erasure);
  expect([await mergeFileTallies(lanes.ledger.pool), await mergeFileTallies(lanes.ledger.pool)]).toEqual([1, 0]);
  await erasure.caller().query('commit');
  expect([await readTallies(tenantId), await readTallies(other)]).toEqual([[], [3]]);
});

/** A step that has written its rows waits before it commits, until the lock is released. */
const pauseSteps = () =>
  superuser.query(`
    create function models.pause_step() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return new; end $$;
    create trigger pause_step before update on models.log_tally_backfill for each row execute function models.pause_step();
    select pg_advisory_lock(7)`);

async function continueSteps(): Promise<void> {
  await superuser.query('select pg_advisory_unlock(7)');
}

async function countTallies(): Promise<number> {
  const { rows } = await superuser.query<{ rows: number }>(
    `select ((select count(*) from models.actor_tally where tenant_id = $1) + (select count(*) from models.log_tally where tenant_id = $1))::integer as rows`,
    [tenantId],
  );
  return rows[0]?.rows ?? -1;
}

const steps = erasures.flatMap((erasure) =>
  ['activity', 'actor_tally'].map((tally) => ({ name: erasure.name, tally, erasure })),
);

test.each(steps)(
  'rows of a step of the backfill $tally that is under way do not survive $name',
  async ({ tally, erasure }) => {
    await writeRows(lanes, 0, [logRow(tenantId, { workload: 'exchange', actorId: 'anna@contoso.example' })]);
    expect(await countTallies()).toBeGreaterThan(0);
    await superuser.query(
      `insert into models.log_tally_backfill (tally, until_at, next_at) values ($1, now(), now() - interval '30 minutes')`,
      [tally],
    );
    await pauseSteps();
    const step = backfillLogTally(lanes.ledger.pool);
    await eventually('the step has written its rows', 10_000, () => isWaiting('update models.log_tally_backfill'));
    const { ended } = await startErasure(erasure);
    await continueSteps();
    await Promise.all([step, ended]);
    await superuser.query('drop function models.pause_step cascade; delete from models.log_tally_backfill');
    expect(await countTallies()).toBe(0);
  },
);

/** A receipt of the tenant's first day, written by jobs in a transaction that `during` ends. */
async function writeReceipt(during: () => Promise<unknown>): Promise<void> {
  const content = { tenantId, day: '2026-01-01', rowCount: 0, previousSha256: null };
  const sha256 = await digestJson(content);
  const client = await jobs.connect();
  try {
    await client.query('begin read write');
    await client.query(`select set_config('tenantscope.tenant', $1, true)`, [tenantId]);
    await client.query(
      `insert into models.log_receipt (tenant_id, day, row_count, sha256, document) values ($1, '2026-01-01', 0, $2, $3)`,
      [tenantId, sha256, JSON.stringify({ ...content, sha256 })],
    );
    await during();
    await client.query('commit');
  } finally {
    await client.query('rollback').catch(() => {});
    client.release();
  }
}

const writeSnapshot = (during: () => Promise<unknown>) =>
  takeSnapshot(
    {
      models: jobs,
      readSigningKey: async () => null,
      evaluate: async () => {
        await during();
        return { catalogueVersion: 'test', generatedAt: new Date().toISOString() };
      },
    },
    { id: tenantId, connectedAtMs: 0 },
    { kind: 'period', period: '2026-W01', endMs: Date.now() },
  );

async function countJobRows(): Promise<number> {
  const { rows } = await superuser.query<{ rows: number }>(
    `select ((select count(*) from models.log_receipt where tenant_id = $1) + (select count(*) from models.compliance_snapshot where tenant_id = $1))::integer as rows`,
    [tenantId],
  );
  return rows[0]?.rows ?? -1;
}

const jobWriters = [
  { of: 'receipt', write: writeReceipt },
  { of: 'snapshot', write: writeSnapshot },
];

test.each(jobWriters)(
  'a $of that is being written does not survive an erasure, and a later one is refused',
  async ({ write }) => {
    const [erasure] = erasures;
    let ended: Promise<void> | undefined;
    await write(async () => {
      ({ ended } = await startErasure(erasure as Erasure));
    });
    await ended;
    expect(await countJobRows()).toBe(0);
    await expect(write(async () => {})).rejects.toThrow('has been erased');
  },
);
