import type pg from 'pg';
import { daysAgo } from '../clause/days-ago.ts';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from '../figures.ts';

/** What the vendor's own score and this service's own snapshots say. */
export async function readScoreMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return {
    ...(await readFigures(client, score, [tenantId, toIsoTime(nowMs)])),
    ...(await readFigures(client, snapshots, [tenantId, toIsoTime(nowMs)])),
  };
}

// Cut down to one decimal: a gain never looks larger than it is, nor a loss smaller.
const score = `
  with score as (
    select f."createdDateTime" as at, f."currentScore" as current, f."maxScore" as max, r.version, r.digest
      from models.compliance_record r
     cross join lateral jsonb_to_record(r.facts) as f ("createdDateTime" timestamptz, "currentScore" numeric, "maxScore" numeric)
     where r.tenant_id = $1 and r.kind = 'securityScore' and f."createdDateTime" <= $2
  ), newest as (
    select * from score order by at desc, version desc, digest desc limit 1
  ), before as (
    select * from score where at <= ${daysAgo(30)} order by at desc, version desc, digest desc limit 1
  )
  select n.current as "ops.posture.secure_score/currentScore",
         n.max as "ops.posture.secure_score/maxScore",
         floor(1000 * (n.current / nullif(n.max, 0) - b.current / nullif(b.max, 0))) / 10 as "ops.posture.secure_score/deltaPct30d"
    from (values (1)) always left join newest n on true left join before b on true`;

// Days are counted up: on the ninth it is no longer the eighth.
const snapshots = `
  select count(*) filter (where taken_at >= ${daysAgo(90)}) as "ops.evidence.snapshots/snapshots",
         ceil(extract(epoch from $2::timestamptz - max(least(taken_at, $2))) / 86400) as "ops.evidence.snapshots/daysSinceLast"
    from models.compliance_snapshot
   where tenant_id = $1`;
