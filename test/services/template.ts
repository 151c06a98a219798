import { provisionDatabase } from '@tenantscope/local';
import { migrate } from '@tenantscope/store';
import pg from 'pg';

let made: Promise<string> | undefined;

/** The name of the database that every test's own is copied from, migrated once per run. */
export function migratedTemplate(server: string, run: string): Promise<string> {
  made ??= onServer(server, async (client) => {
    const name = templateName(run);
    // Test files run side by side in processes of their own; the first to come migrates, the others wait.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const marked = "SELECT FROM pg_database WHERE datname = $1 AND shobj_description(oid, 'pg_database') = 'migrated'";
    const { rowCount } = await client.query(marked, [name]);
    if (rowCount === 0) {
      await drop(client, name);
      await migrate(await provisionDatabase(server, { name }));
      await client.query(`COMMENT ON DATABASE ${pg.escapeIdentifier(name)} IS 'migrated'`);
    }
    return name;
  });
  return made;
}

/** Only a server that outlives the run still has it then; on ours it goes with everything. */
export async function dropTemplate(server: string, run: string): Promise<void> {
  await onServer(server, (client) => drop(client, templateName(run)));
}

function templateName(run: string): string {
  return `tenantscope_template_${run}`;
}

export async function drop(client: pg.Client, name: string): Promise<void> {
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
