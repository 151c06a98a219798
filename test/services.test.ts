import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabase } from './services/database.ts';

test('each test gets a migrated database of its own that every login of the product may enter', async () => {
  await using first = await testDatabase();
  await using second = await testDatabase();
  const place = 'SELECT current_user AS login, current_database() AS place';
  const answers = await Promise.all(
    [first.owner, ...Object.values(first.roles), second.owner].map((url) => ask(url, place)),
  );
  expect(answers).toEqual([
    { login: 'tenantscope_owner', place: first.name },
    { login: 'tenantscope_api', place: first.name },
    { login: 'tenantscope_keys', place: first.name },
    { login: 'tenantscope_ingest', place: first.name },
    { login: 'tenantscope_admin', place: first.name },
    { login: 'tenantscope_jobs', place: first.name },
    { login: 'tenantscope_owner', place: second.name },
  ]);
  const migrated = "SELECT to_regclass('models.audit_log') IS NOT NULL AS migrated";
  expect(await ask(second.owner, migrated)).toEqual({ migrated: true });
});

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(text);
    return rows[0];
  } finally {
    await client.end();
  }
}
