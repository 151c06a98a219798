import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaFile } from '@tenantscope/check';
import { renderSchemaFile } from '@tenantscope/docs';
import { checkout } from '@tenantscope/local';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../services/database.ts';

test('migrations/schema.sql is the schema after all migrations; otherwise run "npm run docs"', async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client(database.owner);
  await client.connect();
  try {
    expect(await renderSchemaFile(client, checkout)).toBe(await readFile(join(checkout, schemaFile), 'utf8'));
  } finally {
    await client.end();
  }
});
