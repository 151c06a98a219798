import type pg from 'pg';
import { CopyOut } from '../../connection/copy.ts';
import { readErrorCode } from '../../connection/errors.ts';
import { withConnection } from '../../connection/pool.ts';
import { BlockAssembler, blockColumns, blockRowsMax, type LogBlock } from './block-rows.ts';

/** Rows read in one transaction: 30 ms. */
const sliceRows = 8_192;

export interface BlockSlice {
  /** Rows of the blocks that were written. */
  rows: number;
  /** Rows of the tenant that were read and belong to no block yet. */
  leftover: number;
  /** Whether all rows of the tenant were read. */
  isComplete: boolean;
}

/**
 * Reads the rows after the last block of a tenant, at most `sliceRows`, and writes the blocks that are full. Null: another process is at it. Blocks
 * follow each other without a gap, and no row can appear at or before `throughMs`, a watermark of the log that was read before: so
 * every row up to the end of the last block belongs to exactly one.
 *
 * Throws StoreUnavailable or QueryTimedOut.
 */
export function writeLogBlocks(pool: pg.Pool, tenantId: string, throughMs: number): Promise<BlockSlice | null> {
  return withConnection(pool, async (client) => {
    await client.query('begin');
    try {
      const slice = await writeSlice(client, tenantId, throughMs);
      await client.query(slice ? 'commit' : 'rollback');
      return slice;
    } catch (error) {
      if (readErrorCode(error) !== '') await client.query('rollback');
      throw error;
    }
  });
}

async function writeSlice(client: pg.PoolClient, tenantId: string, throughMs: number): Promise<BlockSlice | null> {
  if (!(await lockLogBlocks(client, tenantId))) return null;
  const last = await readLastBlock(client, tenantId);
  const after = last && { atMs: last.at_ms, id: last.id };
  const partitions = await client.query<{ name: string; is_closed: boolean }>(
    `select name, to_at <= $2 as is_closed from models.audit_log_partition
      where sealed_at is null and to_at > coalesce($1, '-infinity'::timestamptz) and from_at <= $2 order by from_at`,
    [after && new Date(after.atMs), new Date(throughMs)],
  );
  const assembler = new BlockAssembler(throughMs);
  let left = sliceRows;
  for (const { name, is_closed: isClosed } of partitions.rows) {
    if (left === 0) break;
    left -= assembler.take(await copyRows(client, rowsStatement(name, tenantId, after, left)));
    // No block has rows of two partitions: they are sealed and dropped one after the other.
    if (isClosed && left > 0) assembler.endBlock();
  }
  await insertBlocks(client, tenantId, assembler.blocks, (last?.number ?? 0) + 1);
  const rows = assembler.blocks.reduce((sum, block) => sum + block.rows, 0);
  return { rows, leftover: assembler.leftover, isComplete: left > 0 };
}

/** Until the end of the transaction no one else writes, seals or deletes blocks of the tenant. False: someone does. */
export async function lockLogBlocks(client: pg.PoolClient, tenantId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('tenantscope.log_block.' || $1, 0)) as locked`,
    [tenantId],
  );
  return rows[0]?.locked === true;
}

interface Position {
  readonly atMs: number;
  readonly id: string;
}

interface LastBlock {
  number: number;
  at_ms: number;
  id: string;
}

async function readLastBlock(client: pg.PoolClient, tenantId: string): Promise<LastBlock | null> {
  const { rows } = await client.query<LastBlock>({
    name: 'last log block',
    text: `select number, (extract(epoch from last_at) * 1000)::float8 as at_ms, last_id as id from models.log_block
            where tenant_id = $1 order by first_at desc, first_id desc limit 1`,
    values: [tenantId],
  });
  return rows[0] ?? null;
}

/** Ids and times come from the database. */
function rowsStatement(partition: string, tenantId: string, after: Position | null, limit: number): string {
  const at = after && `'${new Date(after.atMs).toISOString()}'::timestamptz(3)`;
  const beyond = after ? ` and discovered_at >= ${at} and (discovered_at, id) > (${at}, '${after.id}'::uuid)` : '';
  return (
    `copy (select ${blockColumns} from models.${partition} where tenant_id = '${tenantId}'${beyond}` +
    ` order by discovered_at, id limit ${limit}) to stdout (format binary)`
  );
}

async function copyRows(client: pg.PoolClient, statement: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const copy = new CopyOut(statement, (bytes, from, to) => pieces.push(Buffer.from(bytes.subarray(from, to))));
  client.query(copy);
  await copy.done;
  return Buffer.concat(pieces);
}

async function insertBlocks(
  client: pg.PoolClient,
  tenantId: string,
  blocks: readonly LogBlock[],
  firstNumber: number,
): Promise<void> {
  if (blocks.length === 0) return;
  const times = (timeOf: (block: LogBlock) => number) => blocks.map((block) => new Date(timeOf(block)).toISOString());
  await client.query({
    name: 'insert log blocks',
    text: `insert into models.log_block
             (tenant_id, number, first_at, first_id, last_at, last_id, row_count, earliest_occurred_at, latest_occurred_at, tokens)
           select $1, * from unnest($10::integer[], $2::timestamptz[], $3::uuid[], $4::timestamptz[], $5::uuid[], $6::integer[],
                                    $7::timestamptz[], $8::timestamptz[], $9::bytea[])`,
    values: [
      tenantId,
      times(({ firstMs }) => firstMs),
      blocks.map(({ firstId }) => firstId),
      times(({ lastMs }) => lastMs),
      blocks.map(({ lastId }) => lastId),
      blocks.map(({ rows }) => rows),
      times(({ earliestOccurredMs }) => earliestOccurredMs),
      times(({ latestOccurredMs }) => latestOccurredMs),
      blocks.map(({ tokens }) => tokens),
      blocks.map((_, index) => firstNumber + index),
    ],
  });
}

/** Which tenants have rows for another block. */
export interface BlockBacklog {
  /** Reads the counts of rows; returns the tenants whose rows without a block fill at least one. */
  find(): Promise<string[]>;
  /** Remembers how many rows were left when all rows of the tenant had been read. */
  complete(tenantId: string, leftover: number): void;
  /** Rows in no block, of the tenants that were found last. */
  countRows(): number;
}

/** Of a tenant that was not looked at since the start of the process, all rows count as rows without a block. */
export function createBlockBacklog(pool: pg.Pool): BlockBacklog {
  let totals = new Map<string, number>();
  const inBlocks = new Map<string, number>();
  const listMissing = () =>
    [...totals].flatMap(([tenantId, total]) => {
      const rows = total - (inBlocks.get(tenantId) ?? 0);
      return rows >= blockRowsMax ? [{ tenantId, rows }] : [];
    });
  return {
    async find() {
      const { rows } = await withConnection(pool, (client) =>
        client.query<{ tenant_id: string; rows: number }>({
          name: 'log rows by tenant',
          text: `select tenant_id, sum(row_count)::float8 as rows from models.source_progress where source = 'logs' group by tenant_id`,
        }),
      );
      totals = new Map(rows.map((row) => [row.tenant_id, row.rows]));
      return listMissing().map(({ tenantId }) => tenantId);
    },
    complete(tenantId, leftover) {
      inBlocks.set(tenantId, (totals.get(tenantId) ?? 0) - leftover);
    },
    countRows: () => listMissing().reduce((sum, { rows }) => sum + rows, 0),
  };
}
