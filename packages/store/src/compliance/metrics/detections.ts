import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';

/** Detectors that run, episodes that are closed, and findings that tell when they happened and when they were noticed. */
export async function readDetectionMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return {
    ...(await readFigures(client, detectors, [tenantId, toIsoTime(nowMs)])),
    ...(await readFigures(client, episodes, [tenantId, toIsoTime(nowMs)])),
    ...(await readFigures(client, timelines, [tenantId, toIsoTime(nowMs)])),
  };
}

// Only the last run is known, and it may be a little ahead of our clock.
const detectors = `
  select count(*) as "ops.detectors.running/detectors",
         count(*) filter (where (facts ->> 'lastRunAt')::timestamptz between $2::timestamptz - interval '24 hours' and $2::timestamptz + interval '1 hour')
           as "ops.detectors.running/ran24h"
    from models.compliance_record
   where tenant_id = $1 and kind = 'detector' and (facts ->> 'enabled')::boolean`;

const episodes = `
  select count(*) as "ops.detections.resolution/episodes",
         count(*) filter (where (document::json ->> 'resolvedAt')::timestamptz - opened_at <= interval '7 days')
           as "ops.detections.resolution/resolved"
    from models.detection
   where tenant_id = $1 and level is distinct from 'informational'
     and opened_at between $2::timestamptz - interval '60 days' and $2::timestamptz - interval '7 days'`;

// An episode always says when it opened, and was noticed at the latest when it was written down; of an alert the provider may leave out either.
const timelines = `
  with finding as (
    select kind <> '' as is_complete from models.detection
     where tenant_id = $1 and level is distinct from 'informational' and opened_at between $2::timestamptz - interval '90 days' and $2
     union all
    select coalesce(a.category <> '' and f."firstActivityDateTime" <> '' and f."createdDateTime" <> '', false)
      from models.security_alert a
     cross join lateral json_to_record(a.document::json) as f ("firstActivityDateTime" text, "createdDateTime" text)
     where a.tenant_id = $1 and a.created_at between $2::timestamptz - interval '90 days' and $2
  )
  select count(*) as "ops.incident.timeline_recorded/findings",
         count(*) filter (where is_complete) as "ops.incident.timeline_recorded/complete"
    from finding`;
