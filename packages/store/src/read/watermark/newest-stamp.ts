import type { PoolClient } from 'pg';
import { entityTables } from '../../resource/entity/tables.ts';
import { recordTables } from '../../resource/record-tables.ts';

/** Every table with rows of a tenant's feeds, next to the log. Each has an index on (tenant_id, updated_at). */
const stampedTables = [...Object.values(recordTables), ...Object.values(entityTables)].map(({ name }) => name);

/** All sealed rows are in blocks. */
const newestBlockEnd = `(select b.last_at from models.log_block b where b.tenant_id = $1 and b.last_at <= $2 order by b.first_at desc, b.first_id desc limit 1)`;

/**
 * The newest stamp of our write clock at or before `throughMs` among all its rows, epoch ms; null without rows. No row
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
    newestBlockEnd,
    ...stampedTables.map((table) => newestOf(table, 'updated_at')),
  ];
  const { rows } = await client.query<{ newestMs: number | null }>(
    `select (extract(epoch from greatest(${stamps.join(', ')})) * 1000)::float8 as "newestMs"`,
    [tenantId, new Date(throughMs).toISOString()],
  );
  return rows[0]?.newestMs ?? null;
}
