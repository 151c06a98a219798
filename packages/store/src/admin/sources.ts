import { sourceByRecordName } from '@tenantscope/contract';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { countRejected, type RejectedFormat } from '../source/rejected-formats.ts';

const gap = z.object({ from: z.string(), to: z.string(), reason: z.string().nullish() });
const source = z.object({
  tenantId: z.string(),
  source: z.string(),
  rows: z.number(),
  lastOccurredAt: z.string().nullable(),
  lastDiscoveredAt: z.string().nullable(),
  silentMs: z.number().nullable(),
  isUnlisted: z.boolean(),
  isEnabled: z.boolean().nullable(),
  importedAt: z.string().nullable(),
  gaps: z.array(gap).nullable(),
});

/** How far one source of a tenant has come. */
export interface SourceState {
  readonly tenantId: string;
  /** A read model, such as users; of logs also `logs/<the provider's feed>`. */
  readonly source: string;
  readonly rows: number;
  /** The provider's time of its newest row. */
  readonly lastOccurredAt: string | null;
  /** Our time of its newest row; null: a collector reports the source, and it has no row. */
  readonly lastDiscoveredAt: string | null;
  /** Since then, by the clock of the database. */
  readonly silentMs: number | null;
  /** Whether it is a category or table that the product does not list. */
  readonly isUnlisted: boolean;
  /** What the collector reports in `sourceStatus` records; null where it reports nothing. */
  readonly isEnabled: boolean | null;
  readonly importedAt: string | null;
  readonly gaps: readonly z.infer<typeof gap>[] | null;
}

export interface Sources {
  readonly sources: readonly SourceState[];
  readonly rejected: readonly RejectedFormat[];
}

/** @param tenantId null: of all tenants */
export async function readSources(models: DatabasePool, tenantId: string | null): Promise<Sources> {
  const [sources, rejected] = await Promise.all([
    listSources(models, tenantId),
    countRejected(models, tenantId === null ? null : [tenantId]),
  ]);
  return { sources, rejected };
}

/** Collectors name some sources otherwise than the read model; the newest report of a collector counts, also of a source without rows. */
function listSources(models: DatabasePool, tenantId: string | null): Promise<readonly SourceState[]> {
  const [names, readModels] = [Object.keys(sourceByRecordName), Object.values(sourceByRecordName)];
  return models.any(sql.type(source)`
    with named as (
      select * from unnest(${sql.array(names, 'text')}, ${sql.array(readModels, 'text')}) as named (name, read_model)
    ), reported as (
      select distinct on (r.tenant_id, source) r.tenant_id, coalesce(n.read_model, f.source) as source, f.enabled,
             f."lastCompleteImportAt" as imported_at, nullif(f.gaps, 'null'::jsonb) as gaps
        from models.compliance_record r
       cross join lateral jsonb_to_record(r.facts) as f (source text, enabled boolean, "lastCompleteImportAt" timestamptz(3), gaps jsonb)
        left join named n on n.name = f.source
       where r.kind = 'sourceStatus' and (${tenantId}::uuid is null or r.tenant_id = ${tenantId}::uuid)
       order by r.tenant_id, source, r.version desc
    ), written as (
      select s.*, coalesce(n.read_model, s.source) as name from models.source_status s left join named n on n.name = s.source
       where ${tenantId}::uuid is null or s.tenant_id = ${tenantId}::uuid
    )
    select coalesce(s.tenant_id, r.tenant_id) as "tenantId", coalesce(s.source, r.source) as source, coalesce(s.row_count, 0) as rows,
           s.last_occurred_at as "lastOccurredAt", s.last_discovered_at as "lastDiscoveredAt", coalesce(s.is_unlisted, false) as "isUnlisted",
           case when s.tenant_id is not null then
             greatest(0, round(extract(epoch from clock_timestamp() - s.last_discovered_at) * 1000))::bigint end as "silentMs",
           r.enabled as "isEnabled", r.imported_at as "importedAt", r.gaps
      from written s full join reported r on r.tenant_id = s.tenant_id and r.source = s.name
     order by 1, 2`);
}
