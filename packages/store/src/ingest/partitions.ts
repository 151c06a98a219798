import type pg from 'pg';
import { withConnection } from '../connection/pool.ts';

interface LogPartition {
  name: string;
  fromMs: number;
  toMs: number;
}

/** Of the ids whose first 48 bits are in this range; the bounds of the partition are the smallest ids of these milliseconds. */
interface IdentityPartition {
  name: string;
  fromMs: number;
  toMs: number;
}

/** The partition of a stamp or an id. COPY writes directly into partitions, so a writer must know them. */
export interface PartitionCache {
  findLogPartition(stampMs: number): LogPartition | undefined;
  /** By the first 48 bits of an id. Always found: ids outside all months belong to the default partition. */
  findIdentityPartition(idMs: number): string;
  /** For how many days ahead of the clock there are partitions. */
  aheadDays: number;
  refresh(): Promise<void>;
}

export const defaultIdentityPartition = 'log_identity_default';

/** Creates partitions ahead, drops expired ones with their facts and tallies, and reads the list of partitions. */
export async function createPartitionCache(pool: pg.Pool): Promise<PartitionCache> {
  let logs: LogPartition[] = [];
  let identities: IdentityPartition[] = [];
  const cache: PartitionCache = {
    aheadDays: 0,
    findLogPartition: (stampMs) => logs.find((partition) => partition.fromMs <= stampMs && stampMs < partition.toMs),
    findIdentityPartition: (idMs) =>
      identities.find(({ fromMs, toMs }) => fromMs <= idMs && idMs < toMs)?.name ?? defaultIdentityPartition,
    async refresh() {
      await withConnection(pool, async (client) => {
        const maintained = await client.query<{ days: number }>('select models.maintain_log_partitions() as days');
        cache.aheadDays = maintained.rows[0]?.days ?? 0;
        await client.query('select models.delete_expired_log_facts(), models.delete_expired_log_tallies()');
        const log = await client.query<{ name: string; from_ms: number; to_ms: number }>(
          `select name, (extract(epoch from from_at) * 1000)::float8 as from_ms, (extract(epoch from to_at) * 1000)::float8 as to_ms
             from models.audit_log_partition order by from_at desc`,
        );
        logs = log.rows.map((row) => ({ name: row.name, fromMs: row.from_ms, toMs: row.to_ms }));
        const identity = await client.query<{ name: string; from_id: string; to_id: string }>(
          'select name, from_id, to_id from models.log_identity_partition order by from_id desc',
        );
        identities = identity.rows.map((row) => ({
          name: row.name,
          fromMs: readIdMs(row.from_id),
          toMs: readIdMs(row.to_id),
        }));
      });
    },
  };
  await cache.refresh();
  return cache;
}

const readIdMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
