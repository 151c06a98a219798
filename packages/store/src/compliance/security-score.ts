import type pg from 'pg';

/** A vendor's score as reported: Graph's secureScore, with its control profiles next to it. */
export interface ReportedScore {
  readonly createdDateTime: string;
  readonly currentScore: number;
  readonly maxScore: number;
  readonly licensedUserCount?: number | null;
  readonly activeUserCount?: number | null;
  readonly enabledServices?: readonly string[] | null;
  readonly vendorInformation?: { readonly vendor?: string | null; readonly provider?: string | null } | null;
  readonly averageComparativeScores?: readonly { readonly basis: string; readonly averageScore: number }[] | null;
  readonly controlScores?: readonly ReportedControlScore[] | null;
  readonly controlProfiles?: readonly ReportedControlProfile[] | null;
}

export interface ReportedControlScore {
  readonly controlName: string;
  readonly controlCategory?: string | null;
  readonly score?: number | null;
}

/** Members beyond id are taken as far as they are of the type that the vendor documents. */
export interface ReportedControlProfile {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** One score of the past, without its controls. */
export interface ScoreHistoryPoint {
  readonly atMs: number;
  readonly currentScore: number;
  readonly maxScore: number;
}

export interface VendorScores {
  readonly newest: ReportedScore | null;
  /** Oldest first, the newest among them. */
  readonly past: readonly ScoreHistoryPoint[];
}

/** The vendor's scores up to now: the newest one, and those since `sinceMs`. A score dated ahead of now is left out. */
export async function readVendorScores(
  client: pg.ClientBase,
  { tenantId, nowMs, sinceMs }: { readonly tenantId: string; readonly nowMs: number; readonly sinceMs: number },
): Promise<VendorScores> {
  const values = [tenantId, new Date(nowMs).toISOString()];
  const newest = await client.query<{ facts: ReportedScore }>(
    `${scores} select facts from score order by at desc, version desc, digest desc limit 1`,
    values,
  );
  const past = await client.query<{ at_ms: number; current: number; max: number }>(
    `${scores} select (extract(epoch from at) * 1000)::float8 as at_ms, current, max from score where at >= $3 order by at, version, digest`,
    [...values, new Date(sinceMs).toISOString()],
  );
  return {
    newest: newest.rows[0]?.facts ?? null,
    past: past.rows.map(({ at_ms, current, max }) => ({ atMs: at_ms, currentScore: current, maxScore: max })),
  };
}

const scores = `
  with score as (
    select r.facts, r.version, r.digest, (r.facts ->> 'createdDateTime')::timestamptz as at,
           (r.facts ->> 'currentScore')::float8 as current, (r.facts ->> 'maxScore')::float8 as max
      from models.compliance_record r
     where r.tenant_id = $1 and r.kind = 'securityScore' and (r.facts ->> 'createdDateTime')::timestamptz <= $2
  )`;
