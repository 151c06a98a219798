import { sourceByRecordName } from '@tenantscope/contract';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const gap = z.object({ from: z.string(), to: z.string(), reason: z.string().nullable().default(null) });
const source = z.object({
  tenantId: z.string(),
  /** A read model, such as users; of logs also `logs/<the provider's feed>`. */
  source: z.string(),
  rows: z.number(),
  /** The provider's time of its newest row. */
  lastOccurredAt: z.string().nullable(),
  /** Our time of its newest row; null: a collector reports the source, and it has no row. */
  lastDiscoveredAt: z.string().nullable(),
  /** Since then, by the clock of the database. */
  silentMs: z.number().nullable(),
  /** Whether it is a category or table that the product does not list. */
  isUnlisted: z.boolean(),
  /** Whether a collector of it is enabled; null where none reports. */
  isEnabled: z.boolean().nullable(),
  /** When its producer last imported all of it, which counts like a row. */
  importedAt: z.string().nullable(),
  /** What its collectors report as missing; null where none reports. */
  gaps: z.array(gap).nullable(),
});

/** How far one source of a tenant has come. */
export type SourceState = z.infer<typeof source>;

/**
 * Every source that has rows or that a collector reports. Collectors name some sources otherwise than the read model, and several may report one: as for requirements, it
 * is enabled if one says so, is as old as the oldest enabled one, and has the gaps of all.
 *
 * @param tenantIds null: of all tenants
 */
export function listSourceStates(
  models: DatabasePool,
  tenantIds: readonly string[] | null,
): Promise<readonly SourceState[]> {
  const [names, readModels] = [Object.keys(sourceByRecordName), Object.values(sourceByRecordName)];
  const tenants = tenantIds === null ? sql.fragment`null::uuid[]` : sql.array([...tenantIds], 'uuid');
  return models.any(sql.type(source)`
    with named as (
      select * from unnest(${sql.array(names, 'text')}, ${sql.array(readModels, 'text')}) as named (name, read_model)
    ), reported as (
      select r.tenant_id, coalesce(n.read_model, f.source) as source, bool_or(f.enabled) as enabled,
             coalesce(min(imported.at) filter (where f.enabled), max(imported.at)) as imported_at,
             jsonb_path_query_array(jsonb_agg(f.gaps) filter (where f.gaps is not null), '$[*][*]') as gaps
        from models.compliance_record r
       cross join lateral jsonb_to_record(r.facts) as f (source text, enabled boolean, "lastCompleteImportAt" timestamptz(3), gaps jsonb)
       cross join lateral (select case when f."lastCompleteImportAt" <= clock_timestamp() + interval '1 hour' then f."lastCompleteImportAt" end as at) imported
        left join named n on n.name = f.source
       where r.kind = 'sourceStatus' and (${tenants} is null or r.tenant_id = any(${tenants}))
       group by 1, 2
    ), written as (
      select s.*, coalesce(n.read_model, s.source) as name from models.source_status s left join named n on n.name = s.source
       where ${tenants} is null or s.tenant_id = any(${tenants})
    )
    select coalesce(s.tenant_id, r.tenant_id) as "tenantId", coalesce(s.source, r.source) as source, coalesce(s.row_count, 0) as rows,
           s.last_occurred_at as "lastOccurredAt", s.last_discovered_at as "lastDiscoveredAt", coalesce(s.is_unlisted, false) as "isUnlisted",
           case when s.tenant_id is not null then
             greatest(0, round(extract(epoch from clock_timestamp() - s.last_discovered_at) * 1000))::bigint end as "silentMs",
           r.enabled as "isEnabled", r.imported_at as "importedAt", r.gaps
      from written s full join reported r on r.tenant_id = s.tenant_id and r.source = s.name
     order by 1, 2`);
}
