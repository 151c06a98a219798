import { randomBytes } from 'node:crypto';
import { type DatabaseUrls, provisionDatabase } from '@tenantscope/local';
import { inject } from 'vitest';
import { drop, migratedTemplate, onServer } from './template.ts';

export interface TestDatabase extends DatabaseUrls, AsyncDisposable {
  name: string;
  /** The same database as a role that is above every wall: to arrange what the product cannot, and to look behind it. */
  superuser: string;
}

/** A database of one's own, migrated: a copy of a template that is migrated once per run. Disposing drops it. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = inject('services').postgres;
  return databaseOn(server, await migratedTemplate(server, inject('run')));
}

/** A database on any server: empty, or a copy of a template. */
export async function databaseOn(server: string, template: string | null = null): Promise<TestDatabase> {
  const name = `tenantscope_test_${randomBytes(6).toString('hex')}`;
  const urls = await provisionDatabase(server, { name, template });
  return {
    ...urls,
    name,
    superuser: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    [Symbol.asyncDispose]: () => onServer(server, (client) => drop(client, name)),
  };
}
