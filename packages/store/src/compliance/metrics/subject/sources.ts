import { sourceByRecordName } from '@tenantscope/contract';
import type pg from 'pg';
import type { MetricsQuery } from '../figures.ts';

/** How far a source has come, by what it wrote and what it says of itself. Times are epoch ms. */
export interface SourceState {
  /** Newest stamp of the tenant's rows of it, by our clock. */
  readonly newestMs: number | null;
  /** When the producer last imported all of it; of several that are enabled, the earliest. */
  readonly lastCompleteImportMs: number | null;
  /** Null where not reported. */
  readonly licensed: boolean | null;
  readonly enabled: boolean | null;
  readonly connectedAtMs: number | null;
  /** Times of which the producer knows that it missed something. */
  readonly gaps: readonly SourceGap[];
}

export interface SourceGap {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: string | null;
}

/** Every source that rows or records tell of, by its name: a read model such as `users`, a feed such as `logs/Audit.Exchange`, or a producer's own. */
export type SourceStates = Readonly<Record<string, SourceState>>;

interface Row {
  readonly source: string;
  readonly newest_ms: number | null;
  readonly last_complete_import_ms: number | null;
  readonly licensed: boolean | null;
  readonly enabled: boolean | null;
  readonly connected_at_ms: number | null;
  readonly gaps: readonly { readonly from: string; readonly to: string; readonly reason?: string | null }[] | null;
}

export async function readSourceStates(
  client: pg.ClientBase,
  { tenantId, nowMs }: Pick<MetricsQuery, 'tenantId' | 'nowMs'>,
): Promise<SourceStates> {
  const { rows } = await client.query<Row>(states, [
    tenantId,
    new Date(nowMs).toISOString(),
    Object.keys(sourceByRecordName),
    Object.values(sourceByRecordName),
  ]);
  return Object.fromEntries(rows.map((row) => [row.source, stateOf(row)]));
}

const stateOf = (row: Row): SourceState => ({
  newestMs: row.newest_ms,
  lastCompleteImportMs: row.last_complete_import_ms,
  licensed: row.licensed,
  enabled: row.enabled,
  connectedAtMs: row.connected_at_ms,
  gaps: (row.gaps ?? []).map(({ from, to, reason }) => ({
    fromMs: Date.parse(from),
    toMs: Date.parse(to),
    reason: reason ?? null,
  })),
});

/** SQL for the end of an import as of `$2`. Clocks differ: what is a little ahead of now is of now, and an import that claims more proves nothing. */
export const importedAt = (reported: string): string =>
  `case when ${reported} <= $2::timestamptz + interval '1 hour' then least(${reported}, $2::timestamptz) end`;

/**
 * Where several records report one
 * source, it is licensed and enabled if one says so, and is as old as the oldest enabled one: a disabled or unlicensed one says nothing about the
 * others. What a disabled one missed is still missing; of what is not licensed nothing is. Without a licence is a source whose every enabled record reports that.
 */
const states = `
  with named as (
    select * from unnest($3::text[], $4::text[]) as named (name, read_model)
  ), written as (
    select coalesce(read_model, source) as source, max(least(last_discovered_at, $2)) as newest_at
      from models.source_status left join named on name = source
     where tenant_id = $1
     group by 1
  ), reported as (
    select coalesce(read_model, f.source) as source,
           case when bool_or(f.licensed) then true when not bool_or(f.enabled is not false and f.licensed is null) then bool_or(f.licensed) end as licensed,
           bool_or(f.enabled) as enabled, min(f."connectedAt") as connected_at,
           coalesce(min(imported.at) filter (where f.enabled and f.licensed is distinct from false), max(imported.at)) as imported_at,
           jsonb_path_query_array(jsonb_agg(f.gaps) filter (where f.gaps is not null and f.licensed is distinct from false), '$[*][*]') as gaps
      from models.compliance_record r
     cross join lateral jsonb_to_record(r.facts) as f (
             source text, licensed boolean, enabled boolean, "connectedAt" timestamptz, "lastCompleteImportAt" timestamptz, gaps jsonb)
     cross join lateral (select ${importedAt('f."lastCompleteImportAt"')} as at) imported
      left join named on name = f.source
     where r.tenant_id = $1 and r.kind = 'sourceStatus'
     group by 1
  )
  select source, (extract(epoch from w.newest_at) * 1000)::float8 as newest_ms, (extract(epoch from t.imported_at) * 1000)::float8 as last_complete_import_ms,
         t.licensed, t.enabled, (extract(epoch from t.connected_at) * 1000)::float8 as connected_at_ms, t.gaps
    from written w full join reported t using (source)
   order by source`;
