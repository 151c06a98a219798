import pg from 'pg';
import { parseDatabaseUrl } from '../connection/database-url.ts';

/** A direct connection of the owner's login, for commands that end with it. */
export async function connectOwner(url: string): Promise<pg.Client> {
  const { connectionString, ssl } = parseDatabaseUrl(url);
  const application_name = 'tenantscope migrate';
  const client = new pg.Client({ connectionString, ssl, application_name, connectionTimeoutMillis: 5_000 });
  // Without a listener an idle connection that the server cuts would end the process; the next statement fails.
  client.on('error', () => {});
  await client.connect();
  return client;
}
