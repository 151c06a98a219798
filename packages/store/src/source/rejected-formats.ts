import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const count = z.object({ tenantId: z.string(), format: z.string().nullable(), rejected: z.number() });

/** Records of one format of a tenant that are no rows: pending, replayed and discarded dead letters. */
export interface RejectedCount {
  readonly tenantId: string;
  /** Null where the message names no format of its topic. */
  readonly format: string | null;
  readonly rejected: number;
}

export interface RejectedFormat extends RejectedCount {
  /** Of everything that arrived for the tenant, from 0 to 1: rows are not counted by format. */
  readonly share: number;
}

const idArray = (tenantIds: readonly string[] | null) =>
  tenantIds === null ? sql.fragment`null::uuid[]` : sql.array([...tenantIds], 'uuid');

/** @param tenantIds null: of all tenants */
export async function countRejected(
  models: DatabasePool,
  tenantIds: readonly string[] | null,
): Promise<readonly RejectedFormat[]> {
  const tenants = idArray(tenantIds);
  const counts = await models.any(sql.type(count)`
    select tenant_id as "tenantId", format, count(*) as rejected from models.dead_letter
     where state <> 'settled' and tenant_id is not null and (${tenants} is null or tenant_id = any(${tenants}))
     group by 1, 2`);
  return addShares(models, tenantIds, counts);
}

/**
 * The most frequent first. Rows of a feed of the logs are rows of the logs too, so that only whole read models are counted.
 *
 * @param tenantIds null: of all tenants
 */
export async function addShares(
  models: DatabasePool,
  tenantIds: readonly string[] | null,
  counts: readonly RejectedCount[],
): Promise<readonly RejectedFormat[]> {
  const tenants = idArray(tenantIds);
  const arrived = new Map(
    (
      await models.any(sql.type(z.object({ tenantId: z.string(), rows: z.number() }))`
        select tenant_id as "tenantId", sum(row_count)::bigint as rows from models.source_status
         where position('/' in source) = 0 and (${tenants} is null or tenant_id = any(${tenants})) group by 1`)
    ).map(({ tenantId, rows }) => [tenantId, rows]),
  );
  for (const { tenantId, rejected } of counts) arrived.set(tenantId, (arrived.get(tenantId) ?? 0) + rejected);
  return counts
    .map((one) => ({ ...one, share: one.rejected / (arrived.get(one.tenantId) ?? one.rejected) }))
    .toSorted(mostFrequentFirst);
}

const mostFrequentFirst = (one: RejectedCount, other: RejectedCount): number =>
  other.rejected - one.rejected ||
  one.tenantId.localeCompare(other.tenantId) ||
  (one.format ?? '\uffff').localeCompare(other.format ?? '\uffff');
