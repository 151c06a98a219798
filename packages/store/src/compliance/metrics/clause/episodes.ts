import { daysAgo } from './days-ago.ts';

/**
 * `episode`: detections that are not informational, of the last 60 days but the last three. One text for all rules about them, which are
 * therefore counted by one statement.
 */
export const episodesCte = `
  with episode as materialized (
    select id, severity, status, level, entity_type, entity_id, action_group, opened_at, resolved_at
      from models.incident_fact
     where tenant_id = $1 and kind = 'detection' and level is distinct from 'informational'
       and opened_at between ${daysAgo(60)} and ${daysAgo(3)}
  )`;

/** Those that were opened a week ago or earlier. */
export const overWeekOld = `opened_at <= ${daysAgo(7)}`;
