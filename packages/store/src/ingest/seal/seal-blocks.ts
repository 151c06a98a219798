import { lineMembers } from '@tenantscope/contract';
import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { DocumentWriter, documentColumns, readLinesLength, rowHeadBytes } from '../../read/log-document.ts';
import {
  countDocuments,
  documentRange,
  openPart,
  readParts,
  type SealedDocuments,
  sealDocuments,
} from '../../resource/sealed-documents.ts';
import { copyHeader } from '../binary-copy.ts';
import { copyRows, lockLogBlocks } from '../log-blocks.ts';
import { compareStatement, insertStatement } from './seal-sql.ts';

/** Blocks sealed in one transaction: an interruption loses no more. */
const blocksAtOnce = 8;

export interface SealablePartition {
  readonly name: string;
  readonly from_at: Date;
  readonly to_at: Date;
}

interface BlockKey {
  readonly first_at: string;
  readonly first_id: string;
  readonly last_at: string;
  readonly last_id: string;
  readonly rows: number;
}

/**
 * Seals the next blocks of a tenant in a partition; returns the number of their rows, 0 also while another process writes, seals or deletes its blocks. What was
 * written is read back and compared with the rows before the commit.
 */
export function sealBlocks(pool: pg.Pool, tenantId: string, partition: SealablePartition): Promise<number> {
  return withConnection(pool, async (client) => {
    await client.query('begin');
    try {
      const blocks = (await lockLogBlocks(client, tenantId)) ? await listUnsealed(client, tenantId, partition) : [];
      for (const block of blocks) await sealBlock(client, tenantId, { partition: partition.name, block });
      await client.query('commit');
      return blocks.reduce((sum, { rows }) => sum + rows, 0);
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}

/** Without those whose rows are being deleted by age. */
async function listUnsealed(client: pg.PoolClient, tenantId: string, { from_at, to_at }: SealablePartition) {
  const { rows } = await client.query<BlockKey>(
    `select b.first_at::text, b.first_id, b.last_at::text, b.last_id, b.row_count as rows from models.log_block b
      where b.tenant_id = $1 and b.first_at >= $2 and b.first_at < $3
        and b.last_at >= coalesce((select r.dropped_before from models.list_tenant_retention() r where r.tenant_id = $1), '-infinity')
        and b.first_at >= coalesce((select max(s.first_at) from models.log_sealed s
                                     where s.tenant_id = $1 and s.first_at >= $2 and s.first_at < $3), $2)
        and not exists (select from models.log_sealed s
                         where s.tenant_id = $1 and s.first_at = b.first_at and s.first_id = b.first_id and s.first_at >= $2 and s.first_at < $3)
      order by b.first_at, b.first_id limit ${blocksAtOnce}`,
    [tenantId, from_at, to_at],
  );
  return rows;
}

async function sealBlock(
  client: pg.PoolClient,
  tenantId: string,
  { partition, block }: { partition: string; block: BlockKey },
): Promise<void> {
  const copied = await copyRows(
    client,
    `copy (select ${documentColumns} from models.${partition} where tenant_id = '${tenantId}'` +
      ` and discovered_at between '${block.first_at}' and '${block.last_at}'` +
      ` and (discovered_at, id) between ('${block.first_at}', '${block.first_id}') and ('${block.last_at}', '${block.last_id}')` +
      ' order by discovered_at, id) to stdout (format binary)',
  );
  const texts = writeDocuments(copied, tenantId);
  if (texts.length !== block.rows) throw differs(block, `${texts.length} rows instead of ${block.rows}`);
  const { deflated, parts, ends } = sealDocuments(texts);
  const key = [tenantId, block.first_at, block.first_id, block.last_at, block.last_id];
  const values = [...key, block.rows, lineMembers.length, deflated, parts, ends];
  await client.query({ ...insertStatement(partition), values });
  const stored = await client.query<SealedDocuments & { ok: boolean }>({ ...compareStatement(partition), values: key });
  const [row] = stored.rows;
  if (row === undefined || !row.ok) throw differs(block, 'other columns');
  if (!isSame(listTexts(row), texts)) throw differs(block, 'other documents');
}

const listTexts = (documents: SealedDocuments): Buffer[] =>
  readParts(documents).flatMap((part) => {
    const text = openPart(part);
    return Array.from({ length: countDocuments(part) }, (_, index) => text.subarray(...documentRange(part, index)));
  });

const isSame = (left: readonly Buffer[], right: readonly Buffer[]): boolean =>
  left.length === right.length && left.every((text, index) => text.equals(right[index] as Buffer));

const differs = ({ first_at, first_id }: BlockKey, reason: string): Error =>
  new Error(`the sealed block at ${first_at}, ${first_id} differs from the rows of the log: ${reason}`);

/** The documents of the rows of a whole COPY. */
function writeDocuments(copied: Buffer, tenantId: string): Buffer[] {
  const writer = new DocumentWriter(tenantId);
  const documents: Buffer[] = [];
  for (let at = copyHeader.length; copied.readInt16BE(at) >= 0; ) {
    const linesLength = readLinesLength(copied, at);
    const document = Buffer.allocUnsafe(writer.maxBytes(linesLength));
    documents.push(document.subarray(0, writer.write(copied, at, document, 0)));
    at += rowHeadBytes + linesLength;
  }
  return documents;
}
