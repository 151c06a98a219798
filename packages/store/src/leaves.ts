import type pg from 'pg';
import { withConnection } from './connection.ts';

interface LogLeaf {
  name: string;
  fromMs: number;
  toMs: number;
}

interface IdentityLeaf {
  name: string;
  fromId: string;
  toId: string;
}

/** Which partition a stamp or an id belongs to. COPY goes into leaves, so a writer must know them. */
export interface Leaves {
  logAt(stampMs: number): LogLeaf | undefined;
  /** Every id has one: what no month covers lies in the default partition. */
  identityOf(id: string): string;
  /** How many days of partitions lie ahead of the clock. */
  aheadDays: number;
  read(): Promise<void>;
}

export const identityDefaultLeaf = 'log_identity_default';

/** Creates partitions ahead, drops those past their age and what belonged to their rows, and reads which there are. */
export async function keepLeaves(pool: pg.Pool): Promise<Leaves> {
  let logs: LogLeaf[] = [];
  let identities: IdentityLeaf[] = [];
  const leaves: Leaves = {
    aheadDays: 0,
    logAt: (stampMs) => logs.find((leaf) => leaf.fromMs <= stampMs && stampMs < leaf.toMs),
    identityOf: (id) => identities.find((leaf) => leaf.fromId <= id && id < leaf.toId)?.name ?? identityDefaultLeaf,
    async read() {
      await withConnection(pool, async (client) => {
        const kept = await client.query<{ days: number }>('select models.keep_log_partitions() as days');
        leaves.aheadDays = kept.rows[0]?.days ?? 0;
        await client.query('select models.drop_log_facts()');
        const log = await client.query<{ name: string; from_ms: number; to_ms: number }>(
          `select name, (extract(epoch from from_at) * 1000)::float8 as from_ms, (extract(epoch from to_at) * 1000)::float8 as to_ms
             from models.audit_log_partition order by from_at desc`,
        );
        logs = log.rows.map((row) => ({ name: row.name, fromMs: row.from_ms, toMs: row.to_ms }));
        const identity = await client.query<{ name: string; from_id: string; to_id: string }>(
          'select name, from_id, to_id from models.log_identity_partition order by from_id desc',
        );
        identities = identity.rows.map((row) => ({ name: row.name, fromId: row.from_id, toId: row.to_id }));
      });
    },
  };
  await leaves.read();
  return leaves;
}
