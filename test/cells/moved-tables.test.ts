import { movedTables, otherTables } from '@tenantscope/store/move';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../services/database.ts';

test('a move knows every table that has rows of a tenant', async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client(database.superuser);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
        where c.relnamespace = 'models'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    );
    const { rows: referring } = await client.query<{ name: string }>(
      `select conrelid::regclass::text as name from pg_constraint
        where contype = 'f' and confrelid in (select ('models.' || n)::regclass from unnest($1::text[]) n)`,
      [rows.map(({ name }) => name)],
    );
    const named = [...movedTables.map(({ name }) => name), ...Object.keys(otherTables)];
    const ofTenants = [...rows.map(({ name }) => name), ...referring.map(({ name }) => name.replace('models.', ''))];
    expect(named.toSorted()).toEqual([...new Set(ofTenants)].toSorted());
  } finally {
    await client.end();
  }
});
