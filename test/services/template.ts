import { provisionDatabase } from '@tenantscope/local';
import { migrate } from '@tenantscope/store/admin';
import pg from 'pg';

let template: Promise<string> | undefined;

/** The name of the template of all test databases, migrated once per run. */
export function migratedTemplate(server: string, run: string): Promise<string> {
  template ??= onServer(server, async (client) => {
    const name = templateName(run);
    // Test files run in parallel processes; the first one migrates, the others wait.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const marked = "SELECT FROM pg_database WHERE datname = $1 AND shobj_description(oid, 'pg_database') = 'migrated'";
    const { rowCount } = await client.query(marked, [name]);
    if (rowCount === 0) {
      await dropDatabase(client, name);
      await migrate(await provisionDatabase(server, { name }));
      await client.query(`COMMENT ON DATABASE ${pg.escapeIdentifier(name)} IS 'migrated'`);
    }
    return name;
  });
  // Files of one worker share this module: the next one tries again.
  template.catch(() => {
    template = undefined;
  });
  return template;
}

/** Needed only on a server that outlives the run; a temporary server is deleted as a whole. */
export async function dropTemplate(server: string, run: string): Promise<void> {
  await onServer(server, (client) => dropDatabase(client, templateName(run)));
}

function templateName(run: string): string {
  return `tenantscope_template_${run}`;
}

export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
}

export async function onServer<T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
