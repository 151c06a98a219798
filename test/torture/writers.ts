import { tickLanes } from '@tenantscope/store/ingest';
import type pg from 'pg';
import { logRow, openLaneWriter } from '../installation/lane-writer.ts';
import type { TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { sleep } from './pollers.ts';
import type { Random } from './random.ts';

export interface Written {
  rows: number;
  batches: number;
  killed: number;
}

const writers = 8;
const longestDelayMs = 120;
const leastBatches = 80;
const tickIntervalMs = 100;

/**
 * Eight writers with one lane each commit 0–120 ms late while their connections are terminated at random. A writer that
 * fails reads the position of its lane and continues with other rows: only committed rows count.
 */
export async function writeWithFailures(
  database: TestDatabase,
  superuser: pg.Client,
  options: { tenantId: string; lots: Random; forMs: number; began?: () => void },
): Promise<Written> {
  const { tenantId, lots, forMs } = options;
  const name = `torture ${tenantId.slice(0, 8)}`;
  const written: Written = { rows: 0, batches: 0, killed: 0 };
  await using lanes = await openLaneWriter(database, { partitions: writers, name });
  options.began?.();
  const endsAt = performance.now() + forMs;
  // On a slow machine until the batches have some 1,600 rows.
  const running = () => performance.now() < endsAt || written.batches < leastBatches;

  const write = async (partition: number) => {
    while (running()) {
      const rows = Array.from({ length: lots.between(1, 40) }, () => logRow(tenantId));
      const delayMs = lots.between(0, longestDelayMs);
      const outcome = await lanes
        .write(partition, rows, { beforeCommit: () => sleep(delayMs) })
        .catch(() => ({ kind: 'failed' as const }));
      if (outcome.kind === 'written') written.batches += 1;
    }
  };
  const kill = async () => {
    while (running()) {
      await sleep(lots.between(100, 500));
      const { rows } = await superuser.query<{ killed: boolean }>(
        `select pg_terminate_backend(pid) as killed from pg_stat_activity where application_name = $1 and datname = $2
          order by state = 'idle in transaction' desc, pid limit 1 offset $3`,
        [name, database.name, lots.between(0, 3)],
      );
      written.killed += rows.length;
    }
  };

  await Promise.all([...Array.from({ length: writers }, (_, partition) => write(partition)), kill()]);
  const { rows } = await superuser.query('select count(*)::int as rows from models.audit_log where tenant_id = $1', [
    tenantId,
  ]);
  written.rows = rows[0].rows;
  return written;
}

/** Moves the watermark as every ingest process does, until it is disposed. */
export function startTicker(database: TestDatabase): AsyncDisposable {
  const pool = openTestPool(database.roles.ingest, { max: 1 });
  let stopped = false;
  const tick = async () => {
    while (!stopped) {
      await tickLanes({ pool, schema: 'models' });
      await sleep(tickIntervalMs);
    }
  };
  const ticking = tick();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      await ticking;
      await pool.end();
    },
  };
}
