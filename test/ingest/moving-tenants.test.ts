import { randomUUID } from 'node:crypto';
import { createTenantCache } from '@tenantscope/ingest/tenant-cache';
import { prepareWithTenantRefresh } from '@tenantscope/ingest/tenant-refresh';
import { expect, test } from 'vitest';
import { openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { createTestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

// A lane writes what was prepared with the version of the list of moving tenants that the database has. Slices are prepared ahead, also while the list is read.

test('no slice has the version of a list of moving tenants that it was prepared without', async () => {
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
  const metrics = { recordRetry: (error: unknown) => Promise.reject(error) } as never;
  const prepare = () =>
    prepareWithTenantRefresh(
      { tenants, metrics },
      async () => ({ rejected: [], otherCell: tenants.current().get(id)?.otherCell }),
      [],
    );
  await tenants.refreshMoves();
  await tenants.refresh();
  const before = await prepare();
  expect(before).toMatchObject({ movesVersion: tenants.movesVersion(), otherCell: undefined });

  await client.query(`insert into models.tenant_move (tenant_id, cell, is_arriving) values ($1, 'eu1', false)`, [id]);
  const { rows } = await client.query<{ version: string }>('select version::text from models.tenant_move_version');
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
  expect(await prepare()).toMatchObject({ movesVersion: rows[0]?.version, otherCell: 'eu1' });
});
