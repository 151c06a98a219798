import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { writeLogBlocks } from '../log/log-blocks.ts';
import { type SealablePartition, sealBlocks } from './seal-blocks.ts';

/** The oldest partition of the log that is closed and not sealed, ready for sealed rows. @param throughMs a watermark of the log that was read before */
export async function findSealable(pool: pg.Pool, throughMs: number): Promise<SealablePartition | null> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<SealablePartition>('select name, from_at, to_at from models.begin_log_seal($1)', [
      new Date(throughMs),
    ]),
  );
  return rows[0] ?? null;
}

/** How long ago the oldest partition that is not sealed could have been, by its end, in seconds; 0 without one. */
export async function readSealLag(pool: pg.Pool): Promise<number> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ seconds: number }>(
      `select coalesce(greatest(extract(epoch from now() - min(p.to_at) - make_interval(days => max(r.seal_after_days))), 0), 0)::float8 as seconds
         from models.audit_log_partition p join models.retention r on r.feed = 'logs' where p.sealed_at is null`,
    ),
  );
  return rows[0]?.seconds ?? 0;
}

/** Whose rows it may have. */
export async function listLogTenants(pool: pg.Pool): Promise<string[]> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ id: string }>(
      `select distinct tenant_id as id from models.source_progress where source = 'logs' order by id`,
    ),
  );
  return rows.map(({ id }) => id);
}

export interface SealStep {
  /** Rows of the blocks that were sealed. */
  readonly rows: number;
  /** Whether nothing is left, or another process is at it. */
  readonly isDone: boolean;
}

/**
 * Seals the next blocks of a tenant's rows in the partition; when they were the last ones, writes those of the rows that belong to none. Throws
 * StoreUnavailable, QueryTimedOut, or an error when a block that was read back differs from its rows.
 */
export async function sealNext(
  pool: pg.Pool,
  tenantId: string,
  partition: SealablePartition,
  throughMs: number,
): Promise<SealStep> {
  const { rows, left } = await sealBlocks(pool, tenantId, partition);
  if (left !== 'rows') return { rows, isDone: left === null };
  const slice = await writeLogBlocks(pool, tenantId, throughMs);
  return { rows, isDone: slice === null || slice.rows === 0 };
}

/** Counting the rows of a large partition takes seconds. */
const completionTimeoutMs = 120_000;

/**
 * Drops the rows of the partition, whose place sealed blocks take. False: not all of them are sealed. Waits for readers half a second at most: an
 * error, and nothing has changed.
 */
export function completeSeal(pool: pg.Pool, { name }: SealablePartition, throughMs: number): Promise<boolean> {
  return withConnection(pool, async (client) => {
    await client.query('begin');
    try {
      await client.query(`set local statement_timeout = ${completionTimeoutMs}`);
      const completion = {
        text: 'select models.complete_log_seal($1, $2) as completed',
        values: [name, new Date(throughMs)],
        query_timeout: completionTimeoutMs,
      };
      const { rows } = await client.query<{ completed: boolean }>(completion);
      await client.query('commit');
      return rows[0]?.completed === true;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}
