import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const count = z.object({ tenantId: z.string(), format: z.string().nullable(), rejected: z.number() });

/** Records of one format of a tenant that are no rows: pending, replayed and discarded dead letters. */
export interface RejectedFormat {
  readonly tenantId: string;
  /** Null where the message names no format of its topic. */
  readonly format: string | null;
  readonly rejected: number;
  /** Of everything that arrived for the tenant, from 0 to 1: rows are not counted by format. */
  readonly share: number;
}

/**
 * The most frequent first. Rows of a feed of the logs are rows of the logs too, so that only whole read models are counted.
 *
 * @param tenantIds null: of all tenants
 */
export async function countRejected(
  models: DatabasePool,
  tenantIds: readonly string[] | null,
): Promise<readonly RejectedFormat[]> {
  const tenants = tenantIds === null ? sql.fragment`null::uuid[]` : sql.array([...tenantIds], 'uuid');
  const [counts, sources] = await Promise.all([
    models.any(sql.type(count)`
      select tenant_id as "tenantId", format, sum(amount)::bigint as rejected from models.dead_letter_count
       where state <> 'settled' and tenant_id is not null and (${tenants} is null or tenant_id = any(${tenants}))
       group by 1, 2 having sum(amount) > 0`),
    models.any(sql.type(z.object({ tenantId: z.string(), rows: z.number() }))`
      select tenant_id as "tenantId", sum(row_count)::bigint as rows from models.source_status
       where position('/' in source) = 0 and (${tenants} is null or tenant_id = any(${tenants})) group by 1`),
  ]);
  const arrived = new Map(sources.map(({ tenantId, rows }) => [tenantId, rows]));
  for (const { tenantId, rejected } of counts) arrived.set(tenantId, (arrived.get(tenantId) ?? 0) + rejected);
  return counts
    .map((one) => ({ ...one, share: one.rejected / (arrived.get(one.tenantId) ?? one.rejected) }))
    .toSorted(mostFrequentFirst);
}

const mostFrequentFirst = (one: RejectedFormat, other: RejectedFormat): number =>
  other.rejected - one.rejected ||
  one.tenantId.localeCompare(other.tenantId) ||
  (one.format ?? '\uffff').localeCompare(other.format ?? '\uffff');
