import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { translateErrors } from '../admin/database.ts';

const lastEvent = z.object({ source: z.string(), lastOccurredAt: z.string() });
/** The provider's time of the newest row of a source, of all these tenants. */
export type LastEvent = z.infer<typeof lastEvent>;

export function listLastEvents(models: DatabasePool, tenantIds: readonly string[]): Promise<readonly LastEvent[]> {
  return translateErrors(
    models.any(sql.type(lastEvent)`
      select source, max(last_occurred_at) as "lastOccurredAt" from models.source_status
       where tenant_id = any(${sql.array([...tenantIds], 'uuid')}) group by source having max(last_occurred_at) is not null`),
  );
}

const silentTenant = z.object({ tenantId: z.string(), silent: z.number() });
/** How many sources of a tenant have had no row for longer than their number of hours. */
export type SilentTenant = z.infer<typeof silentTenant>;

/** Tenants that have sources, those with the most silent ones first, at most `limit` of them. */
export function listSilentTenants(
  models: DatabasePool,
  tenantIds: readonly string[],
  { silentAfterHours, limit }: { readonly silentAfterHours: ReadonlyMap<string, number>; readonly limit: number },
): Promise<readonly SilentTenant[]> {
  const [sources, hours] = [[...silentAfterHours.keys()], [...silentAfterHours.values()]];
  return translateErrors(
    models.any(sql.type(silentTenant)`
      select s.tenant_id as "tenantId", count(*) filter (where s.last_discovered_at < clock_timestamp() - make_interval(hours => expected.hours)) as silent
        from models.source_status s
        left join unnest(${sql.array(sources, 'text')}, ${sql.array(hours, 'int4')}) as expected (source, hours) using (source)
       where s.tenant_id = any(${sql.array([...tenantIds], 'uuid')}) group by s.tenant_id
       order by silent desc, s.tenant_id limit ${limit}`),
  );
}
