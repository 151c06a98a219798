import type pg from 'pg';
import { assertLeastPrivilege, withConnection } from '../../connection/pool.ts';
import type { ReadModels } from '../read-models.ts';

/**
 * Checks that a database may be read in place of the primary: it has the primary's first epoch, so that it is a copy of the same database, and
 * row-level security binds its login. Null if so, otherwise why not. Throws StoreUnavailable when one of them does not answer.
 */
export async function findReplicaProblem(primary: ReadModels, replica: ReadModels): Promise<string | null> {
  await Promise.all(replica.pools().map(assertLeastPrivilege));
  const [expected, found] = await Promise.all([readFirstEpoch(primary), readFirstEpoch(replica)]);
  if (expected === null || found === null) return 'ingestion has not opened an epoch yet';
  return expected === found ? null : `not a replica of the database: its first epoch is ${found}, not ${expected}`;
}

/** System identifier and timeline of the server on which ingestion wrote first, and when. */
async function readFirstEpoch(models: ReadModels): Promise<string | null> {
  const [pool] = models.pools();
  if (pool === undefined) return null;
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ epoch: string }>(
      `select timeline || ' of ' || to_char(opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as epoch
         from models.ingest_epoch order by opened_at, timeline limit 1`,
    ),
  );
  return rows[0]?.epoch ?? null;
}

/** When the server of a connection started, in epoch ms, as `Watermark.serverStartedMs` has it. */
export async function readServerStart(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ started_ms: number }>(
    'select (extract(epoch from pg_postmaster_start_time()) * 1000)::float8 as started_ms',
  );
  return rows[0]?.started_ms ?? Number.NaN;
}
