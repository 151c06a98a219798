import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';

/** The statement_timeout of ingest. While COPY waits for rows the server applies no time limit: it reads them with cancellation held off. */
const longestPauseSeconds = 15;

/**
 * Ends connections of this login that have begun COPY and sent nothing since: their process hangs, and holds the locks of a lane, with which
 * no record of the lane can be written and no watermark passes it. Returns how many it ended. A process that only was slow repeats its batch.
 */
export async function endHungCopies(pool: pg.Pool): Promise<number> {
  const { rowCount } = await withConnection(pool, (client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = current_user and state = 'active' and wait_event = 'ClientRead'
          and query_start < clock_timestamp() - make_interval(secs => $1)`,
      [longestPauseSeconds],
    ),
  );
  return rowCount ?? 0;
}
