import { createSequence, type Sequence } from '@tenantscope/runtime';
import type pg from 'pg';
import { CopyIn } from '../../connection/copy.ts';
import { withConnection } from '../../connection/pool.ts';
import { copyOut } from '../../read/log/log-page-statement.ts';
import type { PieceCodec } from '../../resource/piece-codec.ts';
import { type SealedDocuments, sealDocuments } from '../../resource/sealed-documents.ts';
import { lockLogBlocks } from '../log/log-blocks.ts';
import { copyHeader, copyTrailer } from '../row/binary-copy.ts';
import { CopiedRows } from './copied-rows.ts';
import { differs, encodeBlocks, isSealedBlock, type OpenBlock, openBlocks } from './seal-block.ts';
import { withSealBuffers } from './seal-buffers.ts';
import { type BlockKey, blockColumns, insertBlocks, rowFields, selectBlocks, selectRows } from './seal-sql.ts';

/** Blocks sealed in one transaction: an interruption loses no more, and others of the tenant wait no longer. 16 take 0.1 s. */
const blocksAtOnce = 16;
/** While the documents of these blocks are compressed and compared, the server reads and writes others: 1.25 times as many rows a second. */
const blocksOfBatch = 8;

export interface SealablePartition {
  readonly name: string;
  readonly from_at: Date;
  readonly to_at: Date;
}

export interface SealedBatch {
  /** Of the blocks that were sealed; 0 also while another process writes, seals or deletes blocks of the tenant. */
  readonly rows: number;
  /** What is left of the tenant in the partition: unsealed blocks, rows that belong to no block yet, or nothing for this process. */
  readonly left: 'blocks' | 'rows' | null;
}

/** Seals the next blocks of a tenant in a partition. What was written is read back and compared with the rows before the commit. */
export function sealBlocks(pool: pg.Pool, tenantId: string, partition: SealablePartition): Promise<SealedBatch> {
  return withConnection(pool, async (client) => {
    await client.query('begin');
    try {
      const batch = (await lockLogBlocks(client, tenantId))
        ? await sealLocked(client, tenantId, partition)
        : { rows: 0, left: null };
      await client.query('commit');
      return batch;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}

async function sealLocked(client: pg.PoolClient, tenantId: string, partition: SealablePartition): Promise<SealedBatch> {
  const keys = await listUnsealed(client, tenantId, partition);
  const inSequence = createSequence();
  const batches = Array.from({ length: Math.ceil(keys.length / blocksOfBatch) }, (_, index) =>
    sealKeys(client, inSequence, {
      tenantId,
      partition: partition.name,
      keys: keys.slice(index * blocksOfBatch, (index + 1) * blocksOfBatch),
    }),
  );
  // Of a failure too: what another batch sent after the rollback would be written outside of a transaction.
  const failed = (await Promise.allSettled(batches)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  const rows = keys.reduce((sum, key) => sum + key.rows, 0);
  if (keys.length === blocksAtOnce) return { rows, left: 'blocks' };
  return { rows, left: (await hasRowsWithoutBlock(client, tenantId, partition)) ? 'rows' : null };
}

async function hasRowsWithoutBlock(
  client: pg.PoolClient,
  tenantId: string,
  { name }: SealablePartition,
): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from models.${name} l
                     where l.tenant_id = $1 and l.discovered_at >= coalesce(b.last_at, '-infinity')
                       and (b.last_at is null or (l.discovered_at, l.id) > (b.last_at, b.last_id))) as found
       from (values (1)) one
       left join (select last_at, last_id from models.log_block where tenant_id = $1 order by first_at desc, first_id desc limit 1) b on true`,
    [tenantId],
  );
  return rows[0]?.found === true;
}

/** Without those whose rows are being deleted by age. Blocks follow each other without a gap. */
async function listUnsealed(client: pg.PoolClient, tenantId: string, { from_at, to_at }: SealablePartition) {
  const { rows } = await client.query<BlockKey>(
    `select (extract(epoch from b.first_at) * 1000)::float8 as first_ms, b.first_id,
            (extract(epoch from b.last_at) * 1000)::float8 as last_ms, b.last_id, b.row_count as rows
       from models.log_block b
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

interface SealBatch {
  readonly tenantId: string;
  readonly partition: string;
  readonly keys: readonly BlockKey[];
}

/** @param inSequence runs the statements of the connection */
const sealKeys = (
  client: pg.PoolClient,
  inSequence: Sequence,
  { tenantId, partition, keys }: SealBatch,
): Promise<void> =>
  withSealBuffers(async (buffers) => {
    const [first, last] = [keys[0] as BlockKey, keys.at(-1) as BlockKey];
    const copied = await inSequence(() =>
      buffers.rows.copyOut(client, copyOut(selectRows(partition, tenantId, first, last))),
    );
    const expected = keys.reduce((sum, { rows }) => sum + rows, 0);
    const rows = new CopiedRows(copied, { fields: rowFields, expected });
    const blocks = openBlocks(rows, keys, { tenantId, buffers });
    const sealing = Promise.all(blocks.map(({ documents }) => sealDocuments(documents, buffers.codec)));
    const encoded = encodeBlocks(blocks, tenantId, buffers);
    const sealed = await sealing;
    const chunks = encoded.flatMap((row, index) => [row, ...encodeDocuments(sealed[index] as SealedDocuments)]);
    const stored = await inSequence(async () => {
      const insert = new CopyIn(insertBlocks(partition), [copyHeader, ...chunks, copyTrailer]);
      client.query(insert);
      await insert.done;
      return buffers.stored.copyOut(client, copyOut(selectBlocks(partition, tenantId, first, last)));
    });
    const found = new CopiedRows(stored, { fields: blockColumns.length, expected: keys.length });
    await compareBlocks(found, blocks, { encoded, codec: buffers.codec });
  });

const encodeDocuments = ({ deflated, parts, ends }: SealedDocuments): Buffer[] =>
  [deflated, parts, ends].flatMap((value) => {
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(value.length, 0);
    return [length, value];
  });

async function compareBlocks(
  stored: CopiedRows,
  blocks: readonly OpenBlock[],
  { encoded, codec }: { encoded: readonly Buffer[]; codec: PieceCodec },
): Promise<void> {
  const areSame = await Promise.all(
    blocks.map(
      (block, index) =>
        index < stored.count && isSealedBlock(stored, index, block, { encoded: encoded[index] as Buffer, codec }),
    ),
  );
  const differing = stored.count === blocks.length ? blocks[areSame.indexOf(false)] : blocks.at(-1);
  if (differing !== undefined) throw differs(differing.key, 'other columns or documents');
}
