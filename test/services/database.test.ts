import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';

test('each test gets its own migrated database that every product login can connect to', async () => {
  await using first = await createTestDatabase();
  await using second = await createTestDatabase();
  const place = 'SELECT current_user AS login, current_database() AS place';
  const responses = await Promise.all(
    [first.owner, ...Object.values(first.roles), second.owner].map((url) => query(url, place)),
  );
  expect(responses).toEqual([
    { login: 'tenantscope_owner', place: first.name },
    { login: 'tenantscope_api', place: first.name },
    { login: 'tenantscope_keys', place: first.name },
    { login: 'tenantscope_ingest', place: first.name },
    { login: 'tenantscope_admin', place: first.name },
    { login: 'tenantscope_console', place: first.name },
    { login: 'tenantscope_jobs', place: first.name },
    { login: 'tenantscope_collect', place: first.name },
    { login: 'tenantscope_owner', place: second.name },
  ]);
  const migrated = "SELECT to_regclass('models.audit_log') IS NOT NULL AS migrated";
  expect(await query(second.owner, migrated)).toEqual({ migrated: true });
});

async function query(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(text);
    return rows[0];
  } finally {
    await client.end();
  }
}
