import { type LogReceipt, listFeedTopics } from '@tenantscope/contract';
import type pg from 'pg';
import { withConnection } from '../connection/pool.ts';
import { droppedBefore } from '../resource/log-retention.ts';

/** Where a tenant's chain ends, and where its rows begin. Times are epoch ms. */
export interface LogReceiptEnd {
  readonly sha256: string | null;
  /** Beginning of the day of the last receipt. */
  readonly dayMs: number | null;
  /** The oldest row; null without rows. */
  readonly oldestRowMs: number | null;
  /** Rows before it were deleted by age. */
  readonly droppedBeforeMs: number | null;
}

export async function readLogReceiptEnd(pool: pg.Pool, tenantId: string): Promise<LogReceiptEnd> {
  return inTenant(pool, tenantId, async (client) => {
    const { rows } = await client.query<LogReceiptEnd>(
      `select last.sha256, (extract(epoch from last.day) * 1000)::float8 as "dayMs",
              (extract(epoch from least((select min(discovered_at) from models.audit_log where tenant_id = $1),
                                        (select min(first_at) from models.log_block where tenant_id = $1))) * 1000)::float8 as "oldestRowMs",
              (extract(epoch from ${droppedBefore('$1')}) * 1000)::float8 as "droppedBeforeMs"
         from (select 1) as always
         left join lateral (select sha256, day from models.log_receipt where tenant_id = $1 order by day desc limit 1) last on true`,
      [tenantId],
    );
    const [end] = rows;
    if (!end) throw new TypeError('the query of the last receipt returned no row');
    return end;
  });
}

/** Appends a receipt; false if another process was first, or rows of its day were deleted by age meanwhile. */
export async function insertLogReceipt(pool: pg.Pool, receipt: LogReceipt): Promise<boolean> {
  return inTenant(pool, receipt.tenantId, async (client) => {
    const { rowCount } = await client.query(
      `insert into models.log_receipt (tenant_id, day, row_count, previous_sha256, sha256, document)
       select $1, $2, $3, $4, $5, $6
        where not coalesce(${droppedBefore('$1')} > $2::date::timestamp at time zone 'UTC', false)
          and not exists (select from models.log_receipt where tenant_id = $1 and day >= $2::date)`,
      [
        receipt.tenantId,
        receipt.day,
        receipt.rowCount,
        receipt.previousSha256,
        receipt.sha256,
        JSON.stringify(receipt),
      ],
    );
    return rowCount === 1;
  });
}

/**
 * Through when the log is settled, at most until now, epoch ms; null before a lane was opened. After the clock was set back it is settled further, and a receipt
 * of a day that is not over is refused.
 */
export async function readLogSettled(pool: pg.Pool): Promise<number | null> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ ms: number }>(
      `select (extract(epoch from least(min(settled_at), date_trunc('milliseconds', clock_timestamp()))) * 1000)::float8 as ms
         from models.lane_watermark where source = any ($1) having count(*) > 0`,
      [listFeedTopics('logs')],
    ),
  );
  return rows[0]?.ms ?? null;
}

function inTenant<Value>(pool: pg.Pool, tenantId: string, work: (client: pg.PoolClient) => Promise<Value>) {
  return withConnection(pool, async (client) => {
    await client.query('begin read write');
    await client.query(`select set_config('tenantscope.tenant', $1, true)`, [tenantId]);
    const value = await work(client);
    await client.query('commit');
    return value;
  });
}
