import { provisionDatabase, startTemporaryServices } from '@tenantscope/local';
import { migrate } from '@tenantscope/store/admin';
import pg from 'pg';
import { renderSchemaFile } from './schema.ts';

/** Generates the schema file from a temporary PostgreSQL, to which all migrations are applied. */
export async function generateSchemaFile(root: string): Promise<string> {
  await using services = await startTemporaryServices({ only: ['postgres'] });
  const urls = await provisionDatabase(services.postgres, { name: 'tenantscope_schema' });
  await migrate(urls);
  const client = new pg.Client(urls.owner);
  await client.connect();
  try {
    return await renderSchemaFile(client, root);
  } finally {
    await client.end();
  }
}
