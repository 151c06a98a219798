import { daysAgo } from './days-ago.ts';

const isEpisode = `tenant_id = $1 and kind = 'detection' and level is distinct from 'informational' and opened_at between ${daysAgo(60)} and ${daysAgo(3)}`;

/** What rules decide by. What was resolved in time is resolved by now: rules count episodes that are older than that time. */
const features = `
  entity_type, case when entity_type = 'app' then entity_id end as app_id, action_group, opened_at <= ${daysAgo(7)} as is_week_old,
  resolved_at - opened_at <= interval '7 days' as took_up_to_7d, resolved_at - opened_at <= interval '72 hours' as took_up_to_72h`;

/** `episode`: detections that are not informational, of the last 60 days but the last three; those of detectors other than of anomalies may have no level. One text for all rules about them. */
export const episodesCte = `
  with episode as (
    select id, severity, status, opened_at, ${features} from models.incident_fact where ${isEpisode}
  )`;

/**
 * What the rules about them count instead, in one statement: `episodes` of them have the same features. Three scans of 127,000 rows, and a lookup of apps
 * in one of them, took 2.5 times as long.
 */
export const countedEpisodes = (from: string) => ({
  with: `
  with episode as materialized (
    select ${features}, count(*) as episodes from models.incident_fact where ${isEpisode} group by 1, 2, 3, 4, 5, 6
  )`,
  from,
  units: 'e.episodes',
});
