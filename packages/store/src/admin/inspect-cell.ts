import pg from 'pg';
import { parseDatabaseUrl } from '../connection/database-url.ts';
import { migrationFolder, readSteps } from '../migration/migration-files.ts';

/** The read models of a cell, as the owner finds them. */
export interface CellInspection {
  /** Null before the first migration. */
  readonly cell: string | null;
  /** Of the log, such as `7 days`; null before its migration. */
  readonly partitionWidth: string | null;
  /** Migrations of this version that were not applied. */
  readonly pending: readonly string[];
  /** Applied ones that this version does not have. */
  readonly unknown: readonly string[];
}

/** Reads with the login of the owner, and changes nothing. Throws the driver's error. `hasControl`: the control schema is in the same database. */
export async function inspectCell(url: string, timeoutMs: number, hasControl = false): Promise<CellInspection> {
  const client = new pg.Client({
    ...parseDatabaseUrl(url),
    application_name: 'tenantscope doctor',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // Reported by the statement that it interrupts.
  client.on('error', () => {});
  await client.connect();
  try {
    const steps = await readSteps(migrationFolder, hasControl ? ['control', 'models'] : ['models']);
    const names = steps.map(({ name }) => name);
    const read = async <Row extends pg.QueryResultRow>(relation: string, text: string): Promise<Row[]> => {
      const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
        relation,
      ]);
      return rows[0]?.exists ? (await client.query<Row>(text)).rows : [];
    };
    const table = `${hasControl ? 'control' : 'models'}.migration`;
    const applied = (await read<{ name: string }>(table, `select name from ${table}`)).map(({ name }) => name);
    const [identity] = await read<{ cell: string }>(
      'models.cell',
      `select coalesce((select id from models.cell), 'default') as cell`,
    );
    const [retention] = await read<{ width: string }>(
      'models.retention',
      `select partition_width::text as width from models.retention where feed = 'logs'`,
    );
    return {
      cell: identity?.cell ?? null,
      partitionWidth: retention?.width ?? null,
      pending: names.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !names.includes(name)),
    };
  } finally {
    await client.end();
  }
}
