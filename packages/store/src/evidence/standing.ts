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

/** What evidence is made of, beside the log. Each has an index on the write clock. */
const evidenceTables = [
  'agent_evidence',
  'detection',
  'policy_scan',
  'action',
  'security_alert',
  'entity_agent',
  'entity_app',
  'entity_user',
  'entity_file',
  'entity_sensitive_info_type',
];

/**
 * The newest stamp of our write clock at or before a moment among the tenant's facts, epoch ms; null when nothing is known. Between it and the moment
 * there is nothing, so that what is known through the one is known through the other, and it stands still while the clock runs.
 */
export async function readNewestStamp(
  client: Pick<PoolClient, 'query'>,
  tenantId: string,
  throughMs: number,
): Promise<number | null> {
  const newestOf = (table: string, column: string) =>
    `(select max(${column}) from models.${table} where tenant_id = $1 and ${column} <= $2)`;
  const stamps = [
    newestOf('audit_log', 'discovered_at'),
    newestOf('compliance_record', 'updated_at'),
    ...evidenceTables.map((table) => newestOf(table, 'updated_at')),
  ];
  const { rows } = await client.query<{ newestMs: number | null }>(
    `select (extract(epoch from greatest(${stamps.join(', ')})) * 1000)::float8 as "newestMs"`,
    [tenantId, new Date(throughMs).toISOString()],
  );
  return rows[0]?.newestMs ?? null;
}
