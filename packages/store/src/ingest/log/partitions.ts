import { dayMs } from '@tenantscope/contract';
import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';

interface LogPartition {
  name: string;
  fromMs: number;
  toMs: number;
}

/** Of the ids whose first 48 bits are in this range; the bounds of the partition are the smallest ids of these milliseconds. */
export interface IdentityPartition {
  name: string;
  fromMs: number;
  toMs: number;
}

/** The partition of a stamp or an id. COPY writes directly into partitions, so a writer must know them. */
export interface PartitionCache {
  findLogPartition(stampMs: number): LogPartition | undefined;
  /** By the first 48 bits of an id. Always found: ids outside all months belong to the default partition. */
  findIdentityPartition(idMs: number): string;
  /** Of a read, by its time. */
  findReadPartition(occurredMs: number): string;
  /** For how many whole days ahead of the clock there are partitions, also while none can be created. */
  aheadDays(): number;
  /** Nothing expires: the clock of the database jumped by more than a day, and has not run on for a day since. */
  isRetentionPaused(): boolean;
  refresh(): Promise<void>;
}

const daysAhead = 28;

const defaultIdentityPartition = 'log_identity_default';

/** Creates partitions ahead, drops expired ones, and reads the list of partitions. A refresh also deletes expired facts, tallies and rows of tenants. */
export async function createPartitionCache(pool: pg.Pool): Promise<PartitionCache> {
  let logs: LogPartition[] = [];
  let identities: IdentityPartition[] = [];
  let isRetentionPaused = false;
  const readPartitions = async (client: pg.PoolClient): Promise<void> => {
    // Ahead of the stamps, too: they are later than the clock after that was set back.
    await client.query(
      `select models.maintain_log_partitions($1 + greatest(0, ceil(extract(epoch from models.last_settled() - now()) / 86400))::integer)`,
      [daysAhead],
    );
    const log = await client.query<{ name: string; from_ms: number; to_ms: number }>(
      `select name, (extract(epoch from from_at) * 1000)::float8 as from_ms, (extract(epoch from to_at) * 1000)::float8 as to_ms
         from models.audit_log_partition order by from_at desc`,
    );
    logs = log.rows.map((row) => ({ name: row.name, fromMs: row.from_ms, toMs: row.to_ms }));
    identities = await readIdentityPartitions(client);
    const clock = await client.query<{ isPaused: boolean }>(
      'select jumped_at is not null as "isPaused" from models.retention_clock',
    );
    isRetentionPaused = clock.rows[0]?.isPaused ?? false;
  };
  // A deletion that fails neither prevents a start nor makes the list of partitions old.
  await withConnection(pool, readPartitions);
  return {
    aheadDays: () => Math.max(0, Math.floor(((logs[0]?.toMs ?? 0) - Date.now()) / dayMs)),
    isRetentionPaused: () => isRetentionPaused,
    findLogPartition: (stampMs) => logs.find((partition) => partition.fromMs <= stampMs && stampMs < partition.toMs),
    findIdentityPartition: (idMs) => findByMs(identities, idMs),
    findReadPartition: (occurredMs) => findReadPartition(identities, occurredMs),
    refresh: () =>
      withConnection(pool, async (client) => {
        await readPartitions(client);
        await client.query('select models.delete_expired_log_facts(), models.delete_expired_log_tallies()');
        await client.query('select models.delete_expired_tenant_rows()');
      }),
  };
}

/** The newest first. */
export async function readIdentityPartitions(client: pg.PoolClient): Promise<IdentityPartition[]> {
  const { rows } = await client.query<{ name: string; from_id: string; to_id: string }>(
    'select name, from_id, to_id from models.log_identity_partition order by from_id desc',
  );
  return rows.map((row) => ({ name: row.name, fromMs: readIdMs(row.from_id), toMs: readIdMs(row.to_id) }));
}

const findByMs = (identities: readonly IdentityPartition[], ms: number): string =>
  identities.find(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)?.name ?? defaultIdentityPartition;

/** Reads and identities have partitions of the same months. */
export const findReadPartition = (identities: readonly IdentityPartition[], occurredMs: number): string =>
  findByMs(identities, occurredMs).replace('log_identity_', 'log_read_');

const readIdMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
