import { createHmac } from 'node:crypto';
import { databaseUrl, postgresVariables, readConfig } from '@tenantscope/runtime';
import { parseDatabaseUrl } from '@tenantscope/store/connection';
import pg from 'pg';
import { z } from 'zod';

/** URLs of the product's logins for one database. */
export interface DatabaseUrls {
  owner: string;
  roles: { api: string; keys: string; ingest: string; admin: string; console: string; jobs: string; collect: string };
}

/**
 * Creates the owner role and its database if they are missing; a database may be created as a copy of `template`.
 * Passwords are derived from the superuser's, which is random: the same cluster always gives the same ones and none is stored.
 */
export async function provisionDatabase(
  superuserUrl: string,
  { name, template = null }: { name: string; template?: string | null },
): Promise<DatabaseUrls> {
  const urls = deriveUrls(superuserUrl, name);
  const client = new pg.Client(readAddress(superuserUrl));
  await client.connect();
  try {
    await client.query('BEGIN');
    // Roles belong to the cluster: two runs that create them at the same time would conflict.
    await client.query("SELECT pg_advisory_xact_lock(hashtext('tenantscope roles'))");
    const owner = pg.escapeIdentifier(login('owner'));
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [login('owner')]);
    if (rowCount === 0) await client.query(`CREATE ROLE ${owner}`);
    const password = pg.escapeLiteral(new URL(urls.owner).password);
    await client.query(`ALTER ROLE ${owner} LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS NOCREATEDB PASSWORD ${password}`);
    await client.query('COMMIT');
    const present = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (present.rowCount === 0) {
      const copy = template === null ? '' : `TEMPLATE ${pg.escapeIdentifier(template)}`;
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} OWNER ${owner} ${copy}`);
    }
  } finally {
    await client.end();
  }
  return urls;
}

function deriveUrls(superuserUrl: string, name: string): DatabaseUrls {
  const url = (role: string) => {
    const roleUrl = new URL(superuserUrl);
    const secret = decodeURIComponent(roleUrl.password);
    roleUrl.username = login(role);
    roleUrl.password = createHmac('sha256', secret).update(login(role)).digest('base64url');
    roleUrl.pathname = `/${encodeURIComponent(name)}`;
    return roleUrl.href;
  };
  return {
    owner: url('owner'),
    roles: {
      api: url('api'),
      keys: url('keys'),
      ingest: url('ingest'),
      admin: url('admin'),
      console: url('console'),
      jobs: url('jobs'),
      collect: url('collect'),
    },
  };
}

function login(role: string): string {
  return `tenantscope_${role}`;
}

const superuserConfig = z.object({
  TENANTSCOPE_POSTGRES_URL: databaseUrl('Superuser of an external server.'),
  ...postgresVariables,
});

/** An external server is connected to with the TLS settings of the environment. */
function readAddress(superuserUrl: string) {
  const environment = { ...process.env, TENANTSCOPE_POSTGRES_URL: superuserUrl };
  return parseDatabaseUrl(readConfig(superuserConfig, environment).TENANTSCOPE_POSTGRES_URL);
}
