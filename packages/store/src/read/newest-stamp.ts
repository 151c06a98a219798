import type { PoolClient } from 'pg';

/** The tables that evidence is read from, next to the log. Each has an index on updated_at. */
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
 * The newest stamp of our write clock at or before `throughMs` among the rows that evidence is read from, epoch ms; null without rows. No row
 * lies between the stamp and `throughMs`, so both describe the same rows, but the stamp does not change while nothing is written.
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
