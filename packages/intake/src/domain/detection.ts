import { detectionLevels, detectionStatuses, severities } from '@tenantscope/contract';
import { z } from 'zod';
import { bounded, makeVisible } from '../field/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Arrival, DomainKind, Said } from './domain-record.ts';
import { broken, conform, count, instantOf, recordId, shown, statefulPayload, text, time } from './payload.ts';
import { projected } from './projection.ts';

const amount = z.number();
const score = z.number().min(0).max(100);

const episode = statefulPayload.extend({
  kind: text.min(1),
  severity: z.enum(severities),
  status: z.enum(detectionStatuses),
  stateful: z.boolean(),
  openedAt: time,
  lastSeenAt: time,
  resolvedAt: time.nullish(),
  summary: text,
  detector: z.object({ id: recordId, name: text }),
  entity: z.object({ type: text, id: text, name: text.nullish() }).nullish(),
});

const anomalyDetails = z.object({
  level: z.enum(detectionLevels),
  current: amount.min(0),
  peakCurrent: amount.min(0),
  baseline: amount.min(0),
  score,
  peakScore: score,
  diffPercent: amount,
  actionGroup: text,
  activityLabel: text,
  activityDescription: text,
  episodeCount: count.min(1),
});
const ofAnomaly = z.object({ details: anomalyDetails });

/** Kinds to come have details of their own, which pass as they are. */
export const detectionPayload = z.union([
  episode.extend({ kind: z.literal('anomaly'), ...ofAnomaly.shape }),
  episode.extend({ details: z.unknown().optional() }),
]);

export const detection: DomainKind = {
  name: 'detection',
  isDeletable: false,
  isImmutable: false,
  rowOf: (tenantId, id) => ({ table: 'detection', tenantId, id }),
  read,
};

function read(arrival: Arrival): Said | Rejection {
  const state = conform(episode, arrival.plain);
  if (isRejection(state)) return state;
  const anomaly = state.kind === 'anomaly' ? anomalyOf(arrival) : null;
  if (isRejection(anomaly)) return anomaly;
  const details = anomaly ?? arrival.payload.details ?? null;
  const fault = lifeFault(state);
  if (fault !== null) return fault;
  const { kind, severity, status, stateful, openedAt, lastSeenAt, resolvedAt, detector } = state;
  const entity = state.entity
    ? { type: state.entity.type, id: state.entity.id, name: state.entity.name ?? null }
    : null;
  const told = isObject(details) ? details : {};
  return projected('detection', arrival, {
    columns: {
      status,
      severity,
      kind,
      level: wordOf(told.level),
      detector_id: detector.id,
      entity_type: entity?.type ?? null,
      entity_id: entity?.id ?? null,
      action_group: wordOf(told.actionGroup),
    },
    times: { opened_at: instantOf(openedAt) },
    members: {
      kind,
      severity,
      status,
      stateful,
      openedAt: shown(openedAt),
      lastSeenAt: shown(lastSeenAt),
      resolvedAt: shown(resolvedAt),
      summary: bounded(makeVisible(state.summary), longestSummary),
      detector: { id: detector.id, name: detector.name },
      entity,
      details,
    },
    detail: {},
  });
}

function lifeFault({ status, openedAt, lastSeenAt, resolvedAt }: z.infer<typeof episode>): Rejection | null {
  if ((status === 'open') !== (resolvedAt == null)) {
    return broken('resolvedAt', 'expected null while the status is open, and a time otherwise');
  }
  if (instantOf(lastSeenAt) < instantOf(openedAt)) return broken('lastSeenAt', 'expected a time not before openedAt');
  if (resolvedAt == null || instantOf(resolvedAt) >= instantOf(lastSeenAt)) return null;
  return broken('resolvedAt', 'expected a time not before lastSeenAt');
}

/** In the contract's order, whatever else was sent beside them left out. */
function anomalyOf(arrival: Arrival): JsonObject | Rejection {
  const state = conform(ofAnomaly, arrival.plain);
  if (isRejection(state)) return state;
  const { level, current, peakCurrent, baseline, score, peakScore, diffPercent } = state.details;
  const { actionGroup, activityLabel, activityDescription, episodeCount } = state.details;
  if (peakCurrent < current) return broken('details.peakCurrent', 'expected at least current');
  if (peakScore < score) return broken('details.peakScore', 'expected at least score');
  const measured = { level, current, peakCurrent, baseline, score, peakScore, diffPercent };
  return { ...measured, actionGroup, activityLabel, activityDescription, episodeCount };
}

const wordOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A sentence that fits an incident's title. */
const longestSummary = 240;
