import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '@tenantscope/local';
import { migrate, planMigration } from '@tenantscope/store/admin';
import { isUnavailable, registerProcess } from '@tenantscope/store/connection';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let superuser: pg.Client;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
  folder = await mkdtemp(join(tmpdir(), 'tenantscope-migrations-'));
  await cp(join(checkout, 'migrations'), folder, { recursive: true });
});
afterEach(async () => {
  await superuser.end();
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const addStep = (name: string, sql: string) => writeFile(join(folder, `${name}.sql`), sql);
const options = () => ({ owner: database.owner, roles: database.roles, folder });
const expand = '-- schemas: models\nalter table models.audit_log add column next_release text;\n';
const contract =
  '-- schemas: models\n-- phase: contract\n-- processes: 9.0.0\nalter table models.audit_log drop column next_release;\n';

async function hasColumn(): Promise<boolean> {
  const { rowCount } = await superuser.query(
    `select from pg_attribute where attrelid = 'models.audit_log'::regclass and attname = 'next_release' and not attisdropped`,
  );
  return rowCount === 1;
}

const failed = (message: string, error: unknown): void => {
  throw new Error(message, { cause: error });
};

const registerApi = (version: string) =>
  registerProcess({ app: 'api', url: database.roles.keys, variable: 'URL', failed, version });

const countProcesses = async (): Promise<number> =>
  (await superuser.query('select from control.process')).rowCount ?? 0;

test('the plan names pending steps with their phases and needs, and changes nothing', async () => {
  await addStep('9000_column', expand);
  await addStep('9001_no_column', contract);
  expect(await planMigration(options())).toEqual({
    pending: [
      { name: '9000_column models', phase: 'expand', needs: [], obstacles: [] },
      {
        name: '9001_no_column models',
        phase: 'contract',
        needs: ['all processes of version 9.0.0 or later', 'no unfinished backfill'],
        obstacles: [],
      },
    ],
    changed: [],
    unknown: [],
    omittedCells: [],
  });
  expect(await hasColumn()).toBe(false);
});

test('a contract step waits for processes of an older version, and is applied when they have stopped', async () => {
  await addStep('9000_column', expand);
  await addStep('9001_no_column', contract);
  {
    await using _older = registerApi('8.9.9');
    await using _newer = registerApi('9.0.0');
    await eventually('both have reported', 10_000, async () => (await countProcesses()) === 2);
    const { applied, postponed } = await migrate(options());
    expect(applied).toEqual(['9000_column models']);
    expect(postponed).toEqual([
      {
        name: '9001_no_column models',
        obstacles: [expect.stringMatching(/^process api on \S+ runs version 8\.9\.9$/)],
      },
    ]);
    expect(await hasColumn()).toBe(true);
  }
  expect(await countProcesses()).toBe(0);
  expect(await migrate(options())).toEqual({
    applied: ['9001_no_column models'],
    postponed: [],
    cells: [],
    omittedCells: [],
  });
  expect(await hasColumn()).toBe(false);
});

test('a contract step waits for an unfinished backfill', async () => {
  await addStep('9000_column', expand);
  await addStep('9001_no_column', contract);
  await superuser.query(`insert into models.log_tally_backfill values ('lag', now(), now())`);
  expect((await migrate(options())).postponed).toEqual([
    { name: '9001_no_column models', obstacles: ['backfill lag is not finished'] },
  ]);
  await superuser.query('update models.log_tally_backfill set next_at = null');
  expect((await migrate(options())).applied).toEqual(['9001_no_column models']);
});

test('an expand step after a contract step that waits is refused before anything is changed', async () => {
  await addStep('9000_column', expand);
  await addStep('9001_no_column', contract);
  await addStep('9002_later', '-- schemas: models\ncreate table models.later (id integer);\n');
  await using _older = registerApi('8.9.9');
  await eventually('it has reported', 10_000, async () => (await countProcesses()) === 1);
  await expect(migrate(options())).rejects.toThrow(
    /9002_later models cannot be applied yet: it follows 9001_no_column models.*No step was applied.*stop all processes/,
  );
  expect(await hasColumn()).toBe(false);
});

test('a migration that fails changes nothing and names the step, what was applied before it, and the way back', async () => {
  await addStep('9000_column', expand);
  await addStep('9001_broken', '-- schemas: models\ncreate table models.half (id integer);\nselect 1 / 0;\n');
  await expect(migrate(options())).rejects.toThrow(
    /9001_broken models failed and changed nothing: division by zero\..*previous version runs: 9000_column models\. Start the processes of the previous version again/,
  );
  const { rows } = await superuser.query(`select to_regclass('models.half') as half`);
  expect(rows).toEqual([{ half: null }]);
  await addStep('9001_broken', '-- schemas: models\ncreate table models.half (id integer);\n');
  expect((await migrate(options())).applied).toEqual(['9001_broken models']);
});

test('a step that an administrator cancels has failed, and is no outage after which it is repeated', async () => {
  await addStep('9000_slow', '-- schemas: models\nselect pg_sleep(60);\n');
  const migrating = migrate(options()).catch((error: unknown) => error);
  await eventually('the step is cancelled', 30_000, async () => {
    const { rowCount } = await superuser.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'tenantscope migrate' and query like '%pg_sleep(60)%'`,
      [database.name],
    );
    return rowCount === 1;
  });
  const failure = await migrating;
  expect(failure).toMatchObject({
    message: expect.stringMatching(
      /9000_slow models failed and changed nothing: canceling statement due to user request/,
    ),
  });
  expect(isUnavailable(failure)).toBe(false);
});

test('a version without the steps of the database refuses to migrate and names them', async () => {
  await addStep('9000_column', expand);
  await migrate(options());
  const own = { owner: database.owner, roles: database.roles };
  expect((await planMigration(own)).unknown).toEqual(['9000_column models']);
  await expect(migrate(own)).rejects.toThrow(
    /newer version, with migrations that this version does not have: 9000_column models/,
  );
});

/** Whether a migration waits for a lock. */
async function isWaiting(): Promise<boolean> {
  // The transaction that has the lock would see its first reading again.
  await superuser.query('select pg_stat_clear_snapshot()');
  const { rowCount } = await superuser.query(
    `select from pg_stat_activity where datname = $1 and application_name = 'tenantscope migrate' and wait_event_type = 'Lock'`,
    [database.name],
  );
  return rowCount === 1;
}

test('a lock of another transaction is requested in short attempts, and the step fails after five', {
  timeout: 120_000,
}, async () => {
  await addStep('9000_column', expand);
  await superuser.query('begin');
  await superuser.query('lock table models.audit_log in access share mode');
  const migrating = migrate(options());
  await eventually('the migration waits', 10_000, isWaiting);
  await eventually('it has given up its request', 10_000, async () => !(await isWaiting()));
  await superuser.query('rollback');
  expect((await migrating).applied).toEqual(['9000_column models']);
  await addStep('9001_column', expand.replace('next_release', 'another'));
  await superuser.query('begin');
  await superuser.query('lock table models.audit_log in access share mode');
  await expect(migrate(options())).rejects.toThrow(
    /9001_column models failed and changed nothing: .*lock timeout.*5 attempts/,
  );
  await superuser.query('rollback');
});

test('two migrations at the same time apply each step once, also an index that is built concurrently', async () => {
  await addStep('9000_column', expand);
  await addStep(
    '9001_index',
    '-- schemas: models\n-- transaction: none\ncreate index concurrently if not exists log_tally_next on models.log_tally (tenant_id, events);\n',
  );
  const both = await Promise.all([migrate(options()), migrate(options())]);
  expect(both.flatMap(({ applied }) => applied)).toEqual(['9000_column models', '9001_index models']);
});

test('an index that an interrupted build left invalid is built again', async () => {
  await superuser.query('create table models.indexed (id integer); insert into models.indexed values (1), (1);');
  await superuser.query('alter table models.indexed owner to tenantscope_owner');
  const unique =
    '-- schemas: models\n-- transaction: none\ncreate unique index concurrently if not exists indexed_id on models.indexed (id);\n';
  await addStep('9000_index', unique);
  await expect(migrate(options())).rejects.toThrow(/9000_index models failed/);
  expect((await superuser.query(`select to_regclass('models.indexed_id') as index`)).rows).toEqual([{ index: null }]);
  // As a killed migration leaves it.
  await superuser.query('create unique index concurrently indexed_id on models.indexed (id)').catch(() => {});
  await superuser.query('delete from models.indexed');
  expect((await migrate(options())).applied).toEqual(['9000_index models']);
  const { rows } = await superuser.query(
    `select indisvalid from pg_index where indexrelid = 'models.indexed_id'::regclass`,
  );
  expect(rows).toEqual([{ indisvalid: true }]);
});

test('an index that was built before the migration was killed is not built again, although its statement does not allow for it', async () => {
  await addStep(
    '9000_index',
    '-- schemas: models\n-- transaction: none\ncreate index concurrently log_tally_next on models.log_tally (tenant_id, events);\n',
  );
  await superuser.query('create index concurrently log_tally_next on models.log_tally (tenant_id, events)');
  expect((await migrate(options())).applied).toEqual(['9000_index models']);
  expect((await migrate(options())).applied).toEqual([]);
});

test.each([
  ['-- schemas: models\n-- phase: contract\nselect 1;', /names the oldest version/],
  ['-- schemas: models\n-- processes: 1.0.0\nselect 1;', /names the oldest version/],
  ['-- schemas: models\n-- phase: Contract\nselect 1;', /"phase: Contract" is not understood/],
  ['-- schemas: module\nselect 1;', /"schemas: module" is not understood/],
  ['select 1;', /"-- schemas:" is missing/],
])('the header of %j is refused', async (sql, problem) => {
  await addStep('9000_header', sql);
  await expect(planMigration(options())).rejects.toThrow(problem);
});

test('a login writes the processes of its own kind only', async () => {
  const client = new pg.Client(database.roles.ingest);
  await client.connect();
  try {
    const insert = (app: string) =>
      client.query(
        `insert into control.process (instance, app, host, version) values (gen_random_uuid(), $1, 'h', '1.0.0')`,
        [app],
      );
    await insert('ingest');
    await expect(insert('api')).rejects.toThrow(/row-level security/);
    await superuser.query(`insert into control.process values (gen_random_uuid(), 'api', 'h', '1.0.0')`);
    expect((await client.query('delete from control.process')).rowCount).toBe(1);
    expect(await countProcesses()).toBe(1);
  } finally {
    await client.end();
  }
});
