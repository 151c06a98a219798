import { randomUUID } from 'node:crypto';
import { createTenantCache } from '@tenantscope/ingest/tenant-cache';
import { prepareWithTenantRefresh } from '@tenantscope/ingest/tenant-refresh';
import { confirmMove, readMoves } from '@tenantscope/store/move';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { createTestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

// A lane writes what was prepared with the version of the list of moving tenants that the database has. Slices are prepared ahead, also while the list is read.

/** A tenant of a database, and the tenants as an ingest process reads them. */
async function openTenants() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const { client } = stack.use(await openDatabaseInspector(database.superuser));
  const pool = stack.adopt(openTestPool(database.roles.ingest, { max: 4 }), (opened) => opened.end());
  const id = randomUUID();
  await client.query("select set_config('tenantscope.actor', 'cli:test', false)");
  await client.query(`insert into control.tenant (id, name, plan, digest) values ($1, 'Leaving', 'api', '')`, [id]);
  const tenants = createTenantCache(
    { control: { pool, schema: 'control' }, models: { pool, schema: 'models' }, cell: 'default' },
    () => {},
  );
  await tenants.refreshMoves();
  await tenants.refresh();
  const readVersion = async () =>
    (await client.query<{ version: string }>('select version::text from models.tenant_move_version')).rows[0]?.version;
  /** At the command line. */
  const operator = new pg.Client({
    connectionString: database.roles.admin,
    options: '-c tenantscope.actor=cli:test',
  });
  await operator.connect();
  stack.defer(() => operator.end());
  const owned = stack.move();
  return { id, client, operator, tenants, readVersion, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test('no slice has the version of a list of moving tenants that it was prepared without', async () => {
  await using opened = await openTenants();
  const { id, client, tenants, readVersion } = opened;
  const metrics = { recordRetry: (error: unknown) => Promise.reject(error) } as never;
  const prepare = () =>
    prepareWithTenantRefresh(
      { tenants, metrics },
      async () => ({ rejected: [], otherCell: tenants.current().get(id)?.otherCell }),
      [],
    );
  const before = await prepare();
  expect(before).toMatchObject({ movesVersion: tenants.movesVersion(), otherCell: undefined });

  await client.query(`insert into models.tenant_move (tenant_id, cell, is_arriving) values ($1, 'eu1', false)`, [id]);
  const version = await readVersion();
  // The list is read, and the directory not yet.
  await client.query('begin; lock table control.tenant in access exclusive mode');
  const refreshed = tenants.refreshMoves();
  await eventually('the directory is read', 20_000, async () => {
    const waiting = await client.query(
      `select from pg_locks where not granted and relation = 'control.tenant'::regclass`,
    );
    return waiting.rowCount === 1;
  });
  const meanwhile = await prepare();
  await client.query('rollback');
  await refreshed;
  expect(meanwhile).toEqual(before);
  expect(await prepare()).toMatchObject({ movesVersion: version, otherCell: 'eu1' });
});

test('lanes drop the records of a tenant from the beginning of its erasure on, though the directory does not respond', async () => {
  await using opened = await openTenants();
  const { id, client, operator, tenants, readVersion } = opened;
  const erase = () => operator.query('select models.erase_tenant($1)', [id]);
  expect(tenants.current().get(id)).toMatchObject({ isClosed: false });
  await client.query('update control.tenant set closed_at = now(), erased_at = now() where id = $1', [id]);
  await erase();
  const version = await readVersion();
  // Lanes write nothing that was prepared with the former list.
  expect(version).not.toBe(tenants.movesVersion());
  await client.query('begin; lock table control.tenant in access exclusive mode');
  await tenants.refreshMoves();
  expect(tenants.current().get(id)).toMatchObject({ isClosed: true });
  expect(tenants.movesVersion()).toBe(version);
  await client.query('rollback');
});

test('a move is not confirmed within ten minutes, by the clock of the database, whatever that of the command is', async () => {
  await using opened = await openTenants();
  const { id, client } = opened;
  await client.query(
    `with cell as (insert into control.cell (id, topic_prefix) values ('eu1', 'eu1') returning id)
     insert into control.tenant_move (tenant_id, from_cell, to_cell, begun_by, state, switched_at)
     select $1, 'default', id, 'cli:test', 'switched', clock_timestamp() from cell`,
    [id],
  );
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { unconfirmed } = await readMoves(client, id);
  if (unconfirmed === null) throw new TypeError('there is no move');
  // Rows would be erased where requests still read them.
  await expect(confirmMove({ control: client, source: client, target: client }, unconfirmed)).rejects.toThrow(
    'repeat the command after ten minutes',
  );
});
