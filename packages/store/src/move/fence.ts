import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readErrorCode } from '../connection/errors.ts';
import { toTimeText } from '../connection/time-text.ts';
import { inTransaction } from '../connection/transaction.ts';
import { MoveRefused } from './connections.ts';

/**
 * In this order. What is written outside of lanes first: a snapshot takes long, and lanes go on meanwhile. compliance_record is written by lanes too, and
 * locked before them it would deadlock.
 */
const fencedTables = [
  ...['compliance_snapshot', 'import', 'log_receipt', 'snapshot_request', 'tenant_retention'],
  'ingest_lane',
  'compliance_record',
];
/** A batch of a lane takes a second at most; meanwhile the lanes of the cell wait. */
const lockTimeoutMs = 2_000;
const lockAttempts = 60;
const lockPauseMs = 500;

/** Marks the tenant as one whose rows are being copied here: its records are dead-lettered, and nothing is served of them. */
export async function beginArrival(target: pg.Client, tenantId: string, sourceCell: string): Promise<void> {
  // What was served of an earlier stay stays bounded until the tenant is here.
  await target.query(
    `insert into models.tenant_move (tenant_id, cell, is_arriving) values ($1, $2, true)
     on conflict (tenant_id) do update set cell = excluded.cell, is_arriving = true, since = clock_timestamp()`,
    [tenantId, sourceCell],
  );
}

/**
 * From the end of this transaction no lane of the source writes rows of the tenant, and no page claims anything later than the time that is returned: at that
 * moment no transaction of a lane is open, and no lane was settled further. Each later transaction sees the row.
 */
export async function beginDeparture(source: pg.Client, tenantId: string, targetCell: string): Promise<string> {
  return withLocks(source, fencedTables, async () => {
    const { rows } = await source.query<{ through: string }>(
      `insert into models.tenant_move (tenant_id, cell, is_arriving, served_through)
       select $1, $2, false, coalesce(models.last_settled(), clock_timestamp())
       on conflict (tenant_id) do update set cell = excluded.cell, is_arriving = false, served_through = excluded.served_through, since = clock_timestamp()
       returning ${toTimeText('served_through')} as through`,
      [tenantId, targetCell],
    );
    return rows[0]?.through ?? '';
  });
}

/** Whether the source is still fenced, as it was left: a failover may have lost it. */
export async function isFenced(source: pg.Client, tenantId: string, servedThrough: string): Promise<boolean> {
  const { rows } = await source.query(
    `select from models.tenant_move where tenant_id = $1 and not is_arriving and served_through = $2 and models.require_open_epoch()`,
    [tenantId, servedThrough],
  );
  return rows.length === 1;
}

/** Whatever the target writes from now on has later stamps, and its watermark is not before what the source has served. */
export async function liftLanes(target: pg.Client, servedThrough: string): Promise<void> {
  await withLocks(target, ['ingest_lane'], () =>
    target.query('update models.ingest_lane set settled_at = $1 where settled_at < $1::timestamptz', [servedThrough]),
  );
}

/** The tenant is in this cell: its records become rows, and what is settled is served. */
export async function removeMark(client: pg.Client, tenantId: string): Promise<void> {
  await client.query('delete from models.tenant_move where tenant_id = $1', [tenantId]);
}

/** A cancelled move back leaves the target as it was: the tenant has left it. */
export async function restoreDeparture(target: pg.Client, tenantId: string, servedThrough: string): Promise<void> {
  await target.query(
    'update models.tenant_move set is_arriving = false, served_through = coalesce(served_through, $2) where tenant_id = $1',
    [tenantId, servedThrough],
  );
}

/** Seconds that the slowest lane is behind the clock of its database; null without lanes. */
export async function readLag(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ lag: number | null }>(
    'select extract(epoch from clock_timestamp() - min(settled_at))::float8 as lag from models.lane_watermark',
  );
  return rows[0]?.lag ?? null;
}

/** Rows with stamps at or before it are all there, and do not change. */
export async function readSettled(source: pg.Client): Promise<string> {
  const { rows } = await source.query<{ at: string | null }>(
    `select ${toTimeText('min(settled_at)')} as at from models.lane_watermark`,
  );
  return rows[0]?.at ?? '-infinity';
}

/** Neither cell writes, seals or deletes blocks of the tenant while its lock is held, until the connection ends or `unlock`. */
export async function lockTenant(client: pg.Client, tenantId: string): Promise<void> {
  await client.query(`select pg_advisory_lock(hashtextextended('tenantscope.log_block.' || $1, 0))`, [tenantId]);
}

export async function unlockTenant(client: pg.Client, tenantId: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(hashtextextended('tenantscope.log_block.' || $1, 0))`, [tenantId]);
}

async function withLocks<Value>(
  client: pg.Client,
  tables: readonly string[],
  work: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(client, async () => {
        await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
        for (const table of tables) {
          // Before the lanes, as a tick that opens one of them: no lane is moved to the clock.
          if (table === 'ingest_lane') await client.query('select models.lock_lane_clock()');
          await client.query(`lock table models.${table} in share row exclusive mode`);
        }
        return work();
      });
    } catch (error) {
      if (!['55P03', '40P01'].includes(readErrorCode(error))) throw error;
      if (attempt === lockAttempts)
        throw new MoveRefused(
          `a transaction of more than ${lockTimeoutMs} ms has locked ${tables.join(' or ')}; run the command again`,
        );
      await sleep(lockPauseMs);
    }
  }
}
