import { pipeline } from 'node:stream/promises';
import { copyColumns } from '@tenantscope/store/ingest';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import type { BenchDatabase } from './installation.ts';
import type { PreparedLines } from './prepared-lines.ts';

export interface BareCopyOptions {
  connections: number;
  /** True: into the log partition with its index, the identities and their index. False: only the rows, into a table without indexes. */
  indexed: boolean;
  /** One transaction per batch, as ingestion commits, or a single one. */
  transactions: 'batch' | 'one';
}

/** Writes prepared lines with COPY and nothing else: the limit of the server. Resolves when everything is committed. */
export async function bareCopy(
  database: BenchDatabase,
  lines: PreparedLines,
  options: BareCopyOptions,
): Promise<{ durationMs: number }> {
  const tables = options.indexed ? await logPartition(database) : await bareTable(database);
  const clients = await Promise.all(Array.from({ length: options.connections }, () => connected(database)));
  const groups =
    options.transactions === 'one'
      ? [{ rows: lines.rows, identities: lines.identities }]
      : lines.rows.map((rows, index) => ({ rows: [rows], identities: lines.identities.slice(index, index + 1) }));
  const waiting = groups.values();
  const beganAt = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (const group of waiting) {
        await client.query('begin');
        if (tables.identities)
          await copy(client, `${tables.identities} (tenant_id, id, discovered_at)`, group.identities);
        await copy(client, `${tables.rows} (${copyColumns})`, group.rows);
        await client.query('commit');
      }
    }),
  );
  const durationMs = performance.now() - beganAt;
  await Promise.all(clients.map((client) => client.end()));
  return { durationMs };
}

async function copy(client: pg.Client, target: string, batches: Buffer[]): Promise<void> {
  for (const batch of batches) await pipeline([batch], client.query(from(`copy ${target} from stdin (format binary)`)));
}

interface Tables {
  rows: string;
  identities: string | null;
}

/** The lines have stamps of one week and ids of more than one month: rows go into their partition, identities into the parent table, which routes them. */
async function logPartition(database: BenchDatabase): Promise<Tables> {
  const client = await connected(database);
  try {
    const { rows } = await client.query<{ name: string }>(
      'select name from models.audit_log_partition where from_at <= now() and now() < to_at',
    );
    return { rows: `models.${rows[0]?.name}`, identities: 'models.log_identity' };
  } finally {
    await client.end();
  }
}

async function bareTable(database: BenchDatabase): Promise<Tables> {
  const client = await connected(database);
  try {
    await client.query('create table models.bare (like models.audit_log) with (toast_tuple_target = 4080)');
    return { rows: 'models.bare', identities: null };
  } finally {
    await client.end();
  }
}

async function connected(database: BenchDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.superuser });
  await client.connect();
  return client;
}
