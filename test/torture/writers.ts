import { openPool, tickLanes } from '@tenantscope/store';
import type pg from 'pg';
import { logRow, writtenLanes } from '../product/lanes.ts';
import type { TestDatabase } from '../services/database.ts';
import type { Lots } from './lots.ts';
import { sleep } from './pollers.ts';

export interface Written {
  rows: number;
  batches: number;
  killed: number;
}

const writers = 8;
const longestDelayMs = 120;
const tickIntervalMs = 100;

/**
 * Eight writers, a lane each, whose commits come 0–120 ms late, while somebody ends their connections at random.
 * A writer that fails looks where its lane stands and goes on with other rows: only what was committed counts.
 */
export async function writeUnderTorture(
  database: TestDatabase,
  superuser: pg.Client,
  options: { tenantId: string; lots: Lots; forMs: number; began?: () => void },
): Promise<Written> {
  const { tenantId, lots, forMs } = options;
  const name = `torture ${tenantId.slice(0, 8)}`;
  const written: Written = { rows: 0, batches: 0, killed: 0 };
  await using lanes = await writtenLanes(database, { partitions: writers, name });
  options.began?.();
  const endsAt = performance.now() + forMs;
  const running = () => performance.now() < endsAt;

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

/** Moves the watermark as every ingest process does, until it is disposed of. */
export function keepTicking(database: TestDatabase): AsyncDisposable {
  const pool = openPool(database.roles.ingest, { name: 'torture ticker', maxConnections: 1 });
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
