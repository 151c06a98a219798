import { daysAgo } from '../clause/days-ago.ts';
import { countedEpisodes, episodesCte } from '../clause/episodes.ts';
import type { Relation } from '../relation.ts';

// Only the last run is stored, and it may be a little ahead of our clock.
const detectors: Relation = {
  with: `
  with detector as (
    select record_id as id, (facts ->> 'lastRunAt')::timestamptz as last_run_at from models.compliance_record
     where tenant_id = $1 and kind = 'detector' and (facts ->> 'enabled')::boolean
  )`,
  from: 'detector d',
  subject: { type: 'detector', id: 'd.id' },
  rules: {
    'ops.detectors.running': {
      population: ['detectors', 'true'],
      good: [
        'ran24h',
        "last_run_at between $2::timestamptz - interval '24 hours' and $2::timestamptz + interval '1 hour'",
      ],
      reason: 'no_run_within_24h',
      since: 'last_run_at',
    },
  },
};

const oldEpisodes = '(select * from episode where is_week_old) e';

const episodes: Relation = {
  with: episodesCte,
  from: oldEpisodes,
  counted: countedEpisodes(oldEpisodes),
  subject: { type: 'detection', id: 'e.id' },
  rules: {
    'ops.detections.resolution': {
      population: ['episodes', 'true'],
      good: ['resolved', 'took_up_to_7d'],
      reason: 'not_resolved_within_7d',
      since: 'opened_at',
      detail: { severity: 'severity', status: 'status' },
    },
  },
};

// An episode always says when it opened, and was noticed at the latest when it was written down; of an alert the provider may leave out either.
const timelines: Relation = {
  with: `
  with finding as (
    select kind as type, id, opened_at as at, is_complete from models.incident_fact
     where tenant_id = $1 and level is distinct from 'informational' and opened_at between ${daysAgo(90)} and $2
  )`,
  from: 'finding f',
  subject: {
    type: { sql: 'f.type', among: ['detection', 'securityAlert'] },
    id: 'f.id',
    order: [
      { sql: 'f.id', type: 'text' },
      { sql: 'f.type', type: 'text' },
    ],
  },
  rules: {
    'ops.incident.timeline_recorded': {
      population: ['findings', 'true'],
      good: ['complete', 'is_complete'],
      reason: 'timeline_incomplete',
      since: 'at',
    },
  },
};

/** Detectors that run, episodes that are closed, and findings that report when they happened and when they were noticed. */
export const detectionRelations: readonly Relation[] = [detectors, episodes, timelines];
