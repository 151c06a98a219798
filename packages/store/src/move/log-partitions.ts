import type pg from 'pg';
import { toTimeText } from '../connection/time-text.ts';
import { inTransaction } from '../connection/transaction.ts';
import { MoveRefused } from './connections.ts';

interface Partition {
  readonly fromAt: string;
  readonly toAt: string;
  readonly isSealed: boolean;
}

interface LogStorage {
  readonly width: string;
  readonly retentionDays: number;
  readonly droppedBefore: string | null;
  readonly sealedBefore: string | null;
  readonly partitions: readonly Partition[];
}

async function readLogStorage(client: pg.Client): Promise<LogStorage> {
  const { rows } = await client.query<Omit<LogStorage, 'partitions'>>(
    `select partition_width::text as width, retention_days as "retentionDays", ${toTimeText('dropped_before')} as "droppedBefore", ${toTimeText('sealed_before')} as "sealedBefore"
       from models.retention where feed = 'logs'`,
  );
  const { rows: partitions } = await client.query<Partition>(
    `select ${toTimeText('from_at')} as "fromAt", ${toTimeText('to_at')} as "toAt", sealed_at is not null as "isSealed" from models.audit_log_partition order by from_at`,
  );
  const [storage] = rows;
  if (!storage || partitions.length === 0)
    throw new MoveRefused('a cell has no partitions of the log: start its ingest');
  return { ...storage, partitions };
}

/**
 * Creates the partitions of the tenant's history that the target lacks, sealed where they are sealed in the source. Throws MoveRefused where the cells do not store the log alike.
 */
export async function preparePartitions(
  { source, target }: { source: pg.Client; target: pg.Client },
  tenantId: string,
): Promise<void> {
  const [from, to] = await Promise.all([readLogStorage(source), readLogStorage(target)]);
  if (from.width !== to.width)
    throw new MoveRefused(`the cells have partitions of ${from.width} and ${to.width}: a move needs the same width`);
  if (to.retentionDays < from.retentionDays)
    throw new MoveRefused(
      `the target stores the log for ${to.retentionDays} days, the source for ${from.retentionDays}: raise models.retention.retention_days of the target first`,
    );
  const oldestAt = await readOldest(source, tenantId);
  const firstAt = to.partitions[0]?.fromAt ?? '';
  for (const { fromAt, toAt, isSealed } of from.partitions) {
    if (fromAt >= firstAt || oldestAt === null || toAt <= oldestAt) continue;
    if (toAt > firstAt) throw new MoveRefused('the cells have partitions that overlap: a move needs the same bounds');
    await inTransaction(target, () =>
      target.query('select models.add_log_partition($1, $2, $3)', [fromAt, toAt, isSealed]),
    );
  }
}

/** Where the history of the tenant begins, and its own retention. */
export async function copyRetention(
  { source, target }: { source: pg.Client; target: pg.Client },
  tenantId: string,
): Promise<void> {
  const { rows } = await source.query<{ days: number | null; droppedBefore: string | null }>(
    `select (select retention_days from models.tenant_retention where tenant_id = $1) as days,
            ${toTimeText('greatest((select dropped_before from models.tenant_retention where tenant_id = $1), (select dropped_before from models.retention where feed = $2))')} as "droppedBefore"`,
    [tenantId, 'logs'],
  );
  const { days = null, droppedBefore = null } = rows[0] ?? {};
  // Older rows were deleted in the source: a page of the target must not take their absence for completeness.
  if (days !== null || droppedBefore !== null)
    await target.query(
      `insert into models.tenant_retention (tenant_id, retention_days, dropped_before, dropped_at) values ($1, $2, $3, clock_timestamp())
       on conflict (tenant_id) do update set retention_days = excluded.retention_days,
         dropped_before = greatest(tenant_retention.dropped_before, excluded.dropped_before), dropped_at = excluded.dropped_at`,
      [tenantId, days, droppedBefore],
    );
}

/** Null: the tenant has no rows of the log. */
async function readOldest(client: pg.Client, tenantId: string): Promise<string | null> {
  const { rows } = await client.query<{ at: string | null }>(
    `select ${toTimeText(`least((select min(discovered_at) from models.audit_log where tenant_id = $1),
                         (select min(first_at) from models.log_sealed where tenant_id = $1),
                         (select min(discovered_at) from models.audit_log_raw where tenant_id = $1))`)} as at`,
    [tenantId],
  );
  return rows[0]?.at ?? null;
}

/**
 * Why rows of the tenant cannot be copied yet: those that are sealed in one cell and not in the other one. Null: they can. While a move holds the lock of
 * the tenant, neither cell seals rows of it.
 */
export async function findSealingProblem(
  { source, target }: { source: pg.Client; target: pg.Client },
  tenantId: string,
): Promise<string | null> {
  const { sealedBefore } = await readLogStorage(target);
  const { rows } = await source.query<{ plainFrom: string | null; sealedTo: string | null }>(
    `select ${toTimeText('(select min(discovered_at) from models.audit_log where tenant_id = $1)')} as "plainFrom",
            ${toTimeText('(select max(last_at) from models.log_sealed where tenant_id = $1)')} as "sealedTo"`,
    [tenantId],
  );
  const { plainFrom = null, sealedTo = null } = rows[0] ?? {};
  if (sealedTo !== null && (sealedBefore === null || sealedTo >= sealedBefore))
    return `the target has not sealed its rows through ${sealedTo}`;
  if (plainFrom !== null && sealedBefore !== null && plainFrom < sealedBefore)
    return `the source has not sealed the rows of the tenant before ${sealedBefore}`;
  return null;
}
