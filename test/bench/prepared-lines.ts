import { copyColumns } from '@tenantscope/store/ingest';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import type { BenchDatabase } from './installation.ts';

/** Rows in the binary format of COPY, split into batches as ingestion does; each batch is one statement's input. */
export interface PreparedLines {
  rows: Buffer[];
  identities: Buffer[];
  count: number;
}

/** Reads back what the product wrote in the binary format in storage order, so that bare COPY writes exactly the rows of the product. */
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
    return Buffer.concat(await client.query(to(`copy (${query}) to stdout (format binary)`)).toArray());
  } finally {
    await client.end();
  }
}

const headerBytes = 19;
const trailer = Buffer.of(0xff, 0xff);

function splitBatches(stream: Buffer, batchRows: number): { batches: Buffer[]; count: number } {
  const header = stream.subarray(0, headerBytes);
  const end = stream.length - trailer.length;
  const batches: Buffer[] = [];
  let count = 0;
  let start = headerBytes;
  for (let at = headerBytes; at < end; ) {
    at = skipRow(stream, at);
    count += 1;
    if (count % batchRows > 0 && at < end) continue;
    batches.push(Buffer.concat([header, stream.subarray(start, at), trailer]));
    start = at;
  }
  return { batches, count };
}

/** A count of fields, then of each field its length, -1 for null, and its bytes. */
function skipRow(stream: Buffer, start: number): number {
  const fields = stream.readInt16BE(start);
  let at = start + 2;
  for (let field = 0; field < fields; field++) at += 4 + Math.max(0, stream.readInt32BE(at));
  return at;
}
