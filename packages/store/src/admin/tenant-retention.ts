import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const retention = z.object({
  /** Of the tenant alone; null: that of the installation applies. */
  ownDays: z.number().nullable(),
  installationDays: z.number(),
  /** Rows of the tenant that were discovered earlier are not served any more; null while there are none. */
  droppedBefore: z.string().nullable(),
});

export type TenantRetention = z.infer<typeof retention>;

/** For how many days the log of a tenant is stored. */
export async function readTenantRetention(models: DatabasePool, tenantId: string): Promise<TenantRetention> {
  return models.one(sql.type(retention)`
    select own.retention_days as "ownDays", r.retention_days as "installationDays", greatest(r.dropped_before, own.dropped_before) as "droppedBefore"
      from models.retention r left join models.tenant_retention own on own.tenant_id = ${tenantId} where r.feed = 'logs'`);
}

/** Ingest applies it within a minute. Rows that are deleted already do not come back. */
export async function setTenantRetention(models: DatabasePool, tenantId: string, days: number | null): Promise<void> {
  await models.query(sql.unsafe`
    insert into models.tenant_retention (tenant_id, retention_days) values (${tenantId}, ${days})
      on conflict (tenant_id) do update set retention_days = excluded.retention_days`);
}
