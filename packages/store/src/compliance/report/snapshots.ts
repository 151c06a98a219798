import type { EvidenceQuery } from '../evidence/ordered.ts';
import { bounds, epochMilliseconds } from '../evidence/section-rows.ts';
import type { SnapshotSummary } from '../records.ts';

export interface ReadinessPoint {
  readonly takenAtMs: number;
  /** Backfilled after its week. */
  readonly late: boolean;
  readonly percent: number | null;
  /** Of the catalogue and of the evaluation rules. */
  readonly versions: string;
}

/** The last snapshot at or before a time; null when there is none. */
export async function readSnapshotBefore({
  client,
  tenantId,
  toMs,
}: Pick<EvidenceQuery, 'client' | 'tenantId' | 'toMs'>): Promise<SnapshotSummary | null> {
  const { rows } = await client.query<SnapshotSummary>(
    `select s.id, (extract(epoch from s.taken_at) * 1000)::float8 as "takenAtMs", s.trigger, s.period, s.late, s.catalogue_version as "catalogueVersion", s.document
       from models.compliance_snapshot s where s.tenant_id = $1 and s.taken_at <= $2 order by s.taken_at desc, s.id desc limit 1`,
    [tenantId, new Date(toMs).toISOString()],
  );
  return rows[0] ?? null;
}

/** Readiness for a framework in the newest snapshots of the window, oldest first. */
export async function readReadinessTrend(
  reading: EvidenceQuery,
  framework: string,
  limit: number,
): Promise<readonly ReadinessPoint[]> {
  const { tenant, from, to } = bounds(reading);
  const { rows } = await reading.client.query<ReadinessPoint>(
    `select ${epochMilliseconds('s.taken_at')} as "takenAtMs", s.late, concat_ws(' ', s.catalogue_version, s.status ->> 'evaluatorVersion') as versions,
            (select max((one ->> 'readinessPercent')::float8)
               from json_array_elements(case when json_typeof(s.status -> 'frameworks') = 'array' then s.status -> 'frameworks' else '[]' end) one where one ->> 'key' = $1) as percent
       from (select taken_at, late, catalogue_version, document::json -> 'status' as status from models.compliance_snapshot
              where tenant_id = ${tenant} and taken_at between ${from} and ${to} order by taken_at desc, id desc limit $2) s
      order by s.taken_at`,
    [framework, limit],
  );
  return rows;
}
