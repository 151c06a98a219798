import { copyColumns } from '@tenantscope/store/ingest';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import type { BenchDatabase } from './installation.ts';

/** Lines of COPY text, split into batches as ingestion does. */
export interface PreparedLines {
  rows: Buffer[];
  identities: Buffer[];
  count: number;
}

/** Reads back what the product wrote as COPY text in storage order, so that bare COPY writes exactly the rows of the product. */
export async function prepareLines(database: BenchDatabase, batchRows: number): Promise<PreparedLines> {
  const rows = splitBatches(await copied(database, `select ${copyColumns} from models.audit_log`), batchRows);
  const identities = splitBatches(
    await copied(database, 'select tenant_id, id, discovered_at from models.audit_log'),
    batchRows,
  );
  return { rows: rows.batches, identities: identities.batches, count: rows.count };
}

async function copied(database: BenchDatabase, query: string): Promise<Buffer> {
  const client = new pg.Client({ connectionString: database.superuser });
  await client.connect();
  try {
    return Buffer.concat(await client.query(to(`copy (${query}) to stdout`)).toArray());
  } finally {
    await client.end();
  }
}

const newline = 0x0a;

function splitBatches(lines: Buffer, batchRows: number): { batches: Buffer[]; count: number } {
  const batches: Buffer[] = [];
  let count = 0;
  let start = 0;
  for (let at = lines.indexOf(newline); at >= 0; at = lines.indexOf(newline, at + 1)) {
    count += 1;
    if (count % batchRows > 0 && at + 1 < lines.length) continue;
    batches.push(lines.subarray(start, at + 1));
    start = at + 1;
  }
  return { batches, count };
}
