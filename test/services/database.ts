import { randomBytes } from 'node:crypto';
import { type DatabaseUrls, provisionDatabase } from '@tenantscope/local';
import { inject } from 'vitest';
import { dropDatabase, migratedTemplate, onServer } from './template.ts';

export interface TestDatabase extends DatabaseUrls, AsyncDisposable {
  name: string;
  /** The same database as a superuser, who is not subject to row-level security: for setup and inspection. */
  superuser: string;
}

/** A migrated database: a copy of a template that is migrated once per run. Disposing drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('services').postgres;
  return createDatabaseOn(server, await migratedTemplate(server, inject('run')));
}

/** A database on any server: empty, or a copy of a template. */
export async function createDatabaseOn(server: string, template: string | null = null): Promise<TestDatabase> {
  const name = `tenantscope_test_${randomBytes(6).toString('hex')}`;
  const urls = await provisionDatabase(server, { name, template });
  return {
    ...urls,
    name,
    superuser: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    [Symbol.asyncDispose]: () => onServer(server, (client) => dropDatabase(client, name)),
  };
}
