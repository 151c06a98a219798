import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const rejection = z.object({
  tenantId: z.string(),
  format: z.string().nullable(),
  rejected: z.number(),
  share: z.number(),
});

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
 * Rows of a feed of the logs are rows of the logs too, so that only whole read models are counted.
 *
 * @param tenantIds null: of all tenants
 */
export function countRejected(
  models: DatabasePool,
  tenantIds: readonly string[] | null,
): Promise<readonly RejectedFormat[]> {
  const tenants = tenantIds === null ? sql.fragment`null::uuid[]` : sql.array([...tenantIds], 'uuid');
  return models.any(sql.type(rejection)`
    with rejected as (
      select tenant_id, format, count(*) as count from models.dead_letter
       where state <> 'settled' and tenant_id is not null and (${tenants} is null or tenant_id = any(${tenants}))
       group by tenant_id, format
    ), accepted as (
      select tenant_id, sum(row_count) as count from models.source_status where position('/' in source) = 0 group by tenant_id
    )
    select r.tenant_id as "tenantId", r.format, r.count as rejected,
           (r.count / (coalesce(a.count, 0) + sum(r.count) over (partition by r.tenant_id)))::float8 as share
      from rejected r left join accepted a on a.tenant_id = r.tenant_id
     order by r.count desc, r.tenant_id, r.format`);
}
