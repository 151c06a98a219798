import type { PoolClient } from 'pg';
import { oldestArrival } from '../metrics/clause/log-tally.ts';
import { epochMilliseconds } from './section-rows.ts';

/** The ends of the log that is kept for a tenant, by discovery, epoch ms; null without rows. */
export interface LogHistory {
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
}

/**
 * From the hours in which rows were discovered. Where the newest of them has later rows too, the row before the instant is looked up in the log: such
 * an instant is the newest stamp at the watermark, or minutes old.
 */
export async function readLogHistory(
  client: Pick<PoolClient, 'query'>,
  tenantId: string,
  throughMs: number,
): Promise<LogHistory> {
  const { rows } = await client.query<LogHistory>(
    `select ${epochMilliseconds('case when ends.oldest_at <= $2 then ends.oldest_at end')} as "oldestMs", ${epochMilliseconds('ends.newest_at')} as "newestMs"
       from (select ${oldestArrival('$1')} as oldest_at, (${newestArrival}) as newest_at) ends`,
    [tenantId, new Date(throughMs).toISOString()],
  );
  return rows[0] ?? { oldestMs: null, newestMs: null };
}

const newestArrival = `
  select case when max(t.last_at) <= $2 then max(t.last_at)
              else coalesce((select l.discovered_at from models.audit_log l
                              where l.tenant_id = $1 and l.discovered_at >= min(t.at) and l.discovered_at <= $2
                              order by l.discovered_at desc limit 1),
                            (select max(s.discovered_at) from models.sealed_log_rows($1, min(t.at), $2) s)) end
    from models.log_tally t
   where t.tenant_id = $1 and t.tally = 'arrival'
     and t.at = (select newest.at from models.log_tally newest
                  where newest.tenant_id = $1 and newest.tally = 'arrival' and newest.at <= $2 and newest.first_at <= $2
                  order by newest.at desc limit 1)`;
