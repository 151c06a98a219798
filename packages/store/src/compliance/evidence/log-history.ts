import type { PoolClient } from 'pg';

/** The ends of the log that is kept for a tenant, by discovery, epoch ms; null without rows. */
export interface LogHistory {
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
}

/** By the index of the pages, partition by partition from either end. */
export async function readLogHistory(
  client: Pick<PoolClient, 'query'>,
  tenantId: string,
  throughMs: number,
): Promise<LogHistory> {
  const { rows } = await client.query<LogHistory>(
    `select (${logEnd('asc')}) as "oldestMs", (${logEnd('desc')}) as "newestMs"`,
    [tenantId, new Date(throughMs).toISOString()],
  );
  return rows[0] ?? { oldestMs: null, newestMs: null };
}

const logEnd = (direction: 'asc' | 'desc') =>
  `select (extract(epoch from discovered_at) * 1000)::float8 from models.audit_log
    where tenant_id = $1 and discovered_at <= $2 order by discovered_at ${direction} limit 1`;
