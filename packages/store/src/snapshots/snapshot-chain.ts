import type pg from 'pg';
import { withConnection } from '../connection/pool.ts';

/** A row of a snapshot: its document and the columns. Times are text as served. */
export interface SnapshotRow {
  readonly id: string;
  readonly takenAt: string;
  readonly trigger: 'scheduled' | 'manual';
  readonly period: string | null;
  readonly late: boolean;
  readonly takenBy: string;
  readonly catalogueVersion: string;
  readonly previousSha256: string | null;
  readonly sha256: string;
  readonly signature: string | null;
  /** JSON text, as it is served. */
  readonly document: string;
}

/** Why a snapshot is taken: a week of the schedule, or a request. */
export type SnapshotTrigger =
  | { readonly kind: 'period'; readonly period: string }
  | { readonly kind: 'request'; readonly requestId: string };

/** The last link of the tenant's chain and the database's clock; the next link follows both. */
export interface ChainEnd {
  readonly sha256: string | null;
  readonly takenAtMs: number | null;
  readonly clockMs: number;
}

/**
 * Appends the next link to a tenant's chain under a lock: a concurrent caller waits and then sees this link. `make` is called only while the trigger is
 * still open; its result is written together with the settlement of the trigger in one transaction. Null: another process was first.
 */
export async function extendSnapshotChain(
  pool: pg.Pool,
  tenantId: string,
  trigger: SnapshotTrigger,
  make: (end: ChainEnd) => Promise<SnapshotRow>,
): Promise<SnapshotRow | null> {
  return withConnection(pool, async (client) => {
    await client.query('begin read write');
    await client.query(
      `select set_config('tenantscope.tenant', $1, true), pg_advisory_xact_lock(hashtextextended('tenantscope.snapshot ' || $1, 0))`,
      [tenantId],
    );
    // A statement of its own: what was committed while the lock was waited for is seen only by the next one.
    const end = (await isOpen(client, tenantId, trigger)) ? await readEnd(client, tenantId) : null;
    if (end === null) {
      await client.query('rollback');
      return null;
    }
    const row = await make(end);
    await insert(client, tenantId, row);
    if (trigger.kind === 'request') {
      await client.query(
        `update models.snapshot_request set state = 'taken', snapshot_id = $2, settled_at = clock_timestamp() where id = $1`,
        [trigger.requestId, row.id],
      );
    }
    await client.query('commit');
    return row;
  });
}

async function isOpen(client: pg.PoolClient, tenantId: string, trigger: SnapshotTrigger): Promise<boolean> {
  const { rows } =
    trigger.kind === 'period'
      ? await client.query(
          `select 1 where not exists (select from models.compliance_snapshot where tenant_id = $1 and trigger = 'scheduled' and period = $2)`,
          [tenantId, trigger.period],
        )
      : await client.query(
          `select 1 from models.snapshot_request where id = $2 and tenant_id = $1 and state = 'waiting' for update`,
          [tenantId, trigger.requestId],
        );
  return rows.length === 1;
}

async function readEnd(client: pg.PoolClient, tenantId: string): Promise<ChainEnd> {
  const { rows } = await client.query<{ sha256: string | null; taken_at_ms: number | null; clock_ms: number }>(
    `select last.sha256, (extract(epoch from last.taken_at) * 1000)::float8 as taken_at_ms,
            floor(extract(epoch from clock_timestamp()) * 1000)::float8 as clock_ms
       from (select 1) as always
       left join lateral (select sha256, taken_at from models.compliance_snapshot where tenant_id = $1 order by taken_at desc, id desc limit 1) last on true`,
    [tenantId],
  );
  const [row] = rows;
  if (!row) throw new Error('the clock query returned no row');
  return { sha256: row.sha256, takenAtMs: row.taken_at_ms, clockMs: row.clock_ms };
}

async function insert(client: pg.PoolClient, tenantId: string, row: SnapshotRow): Promise<void> {
  await client.query(
    `insert into models.compliance_snapshot
       (tenant_id, id, taken_at, trigger, period, late, taken_by, catalogue_version, previous_sha256, sha256, signature, document)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      tenantId,
      row.id,
      row.takenAt,
      row.trigger,
      row.period,
      row.late,
      row.takenBy,
      row.catalogueVersion,
      row.previousSha256,
      row.sha256,
      row.signature,
      row.document,
    ],
  );
}
