import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let superuser: pg.Client;
/** One session at the command line. */
let operator: pg.Client;
/** One session of a command that moves tenants. */
let mover: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  operator = new pg.Client({ connectionString: database.roles.admin, options: '-c tenantscope.actor=cli:test' });
  mover = new pg.Client(database.superuser);
  await Promise.all([superuser, operator, mover].map((client) => client.connect()));
});
afterAll(async () => {
  await Promise.all([superuser, operator, mover].map((client) => client?.end()));
  await database?.[Symbol.asyncDispose]();
});

const transactions = 12;
/** Rows of a transaction. */
const maxRows = 50;

/** Reads of a table by finished transactions of `client`. */
async function countScans(client: pg.Client, table: string): Promise<number> {
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await superuser.query<{ scans: number }>(
    'select (seq_scan + coalesce(idx_scan, 0))::integer as scans from pg_stat_all_tables where relid = $1::regclass',
    [table],
  );
  return rows[0]?.scans ?? -1;
}

test.each([
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
])(
  '$name reads a table of which it has deleted all rows again at the end only, and not in each transaction',
  async ({ name, prepare, caller }) => {
    const [tenantId, otherId] = [randomUUID(), randomUUID()];
    await superuser.query(prepare, [tenantId]);
    for (const id of [tenantId, otherId]) {
      // In the order in which tables are emptied.
      await superuser.query(
        `insert into models.agent_evidence (tenant_id, id, version, digest, updated_at, happened_at, kind, record_id, is_deletion, document)
       values ($1, 'g', 1, '', now(), now(), 'permissionGrant', 'g', false, '{}')`,
        [id],
      );
      await superuser.query(
        `insert into models.entity_alias (tenant_id, kind, alias, id) select $1, 'file', 'alias' || n, 'f' from generate_series(1, $2::integer) n`,
        [id, transactions * maxRows],
      );
    }
    const before = await countScans(caller(), 'models.agent_evidence');
    let calls = 0;
    for (let isDone = false; !isDone; calls++)
      isDone = (await caller().query(`select models.${name}($1, $2) as done`, [tenantId, maxRows])).rows[0]?.done;
    expect(calls).toBe(transactions + 1);
    // The places of rows are found by one read, and the rows by another one, where there are any.
    expect((await countScans(caller(), 'models.agent_evidence')) - before).toBe(2 + 1);
    const { rows } = await superuser.query(
      `select (select array_agg(tenant_id) from models.agent_evidence) as others, array_agg(distinct tenant_id) as tenants, count(*)::integer as aliases from models.entity_alias where tenant_id = any ($1)`,
      [[tenantId, otherId]],
    );
    expect(rows).toMatchObject([{ tenants: [otherId], aliases: transactions * maxRows }]);
  },
);
