import { detectionLevels, detectionStatuses, severities } from '@tenantscope/contract';
import { z } from 'zod';
import { makeVisible, truncateText } from '../field/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { isRejection, type Rejection } from '../message/rejection.ts';
import type { DomainKind, DomainOutcome, ValidatedRecord } from './domain-record.ts';
import {
  count,
  formatInstant,
  parseInstant,
  parsePayload,
  recordId,
  rejectMember,
  statefulPayload,
  text,
  time,
} from './payload.ts';
import { toStateOutcome } from './projection.ts';

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
const anomalyPayload = z.object({ details: anomalyDetails });

/** Future kinds have details of their own, which are passed through. */
export const detectionPayload = z.union([
  episode.extend({ kind: z.literal('anomaly'), ...anomalyPayload.shape }),
  episode.extend({ details: z.unknown().optional() }),
]);

export const detection: DomainKind = {
  name: 'detection',
  isDeletable: false,
  isImmutable: false,
  toRow: (tenantId, id) => ({ table: 'detection', tenantId, id }),
  read,
};

function read(record: ValidatedRecord): DomainOutcome | Rejection {
  const state = parsePayload(episode, record.plain);
  if (isRejection(state)) return state;
  const anomaly = state.kind === 'anomaly' ? readAnomaly(record) : null;
  if (isRejection(anomaly)) return anomaly;
  const details = anomaly ?? record.payload.details ?? null;
  const fault = checkLifetime(state);
  if (fault !== null) return fault;
  const { kind, severity, status, stateful, openedAt, lastSeenAt, resolvedAt, detector } = state;
  const entity = state.entity
    ? { type: state.entity.type, id: state.entity.id, name: state.entity.name ?? null }
    : null;
  const listed = isObject(details) ? details : {};
  return toStateOutcome('detection', record, {
    columns: {
      status,
      severity,
      kind,
      level: toText(listed.level),
      detector_id: detector.id,
      entity_type: entity?.type ?? null,
      entity_id: entity?.id ?? null,
      action_group: toText(listed.actionGroup),
    },
    times: { opened_at: parseInstant(openedAt) },
    members: {
      kind,
      severity,
      status,
      stateful,
      openedAt: formatInstant(openedAt),
      lastSeenAt: formatInstant(lastSeenAt),
      resolvedAt: formatInstant(resolvedAt),
      summary: truncateText(makeVisible(state.summary), maxSummaryLength),
      detector: { id: detector.id, name: detector.name },
      entity,
      details,
    },
    detail: {},
  });
}

function checkLifetime({ status, openedAt, lastSeenAt, resolvedAt }: z.infer<typeof episode>): Rejection | null {
  if ((status === 'open') !== (resolvedAt == null)) {
    return rejectMember('resolvedAt', 'expected null while the status is open, and a time otherwise');
  }
  if (parseInstant(lastSeenAt) < parseInstant(openedAt))
    return rejectMember('lastSeenAt', 'expected a time not before openedAt');
  if (resolvedAt == null || parseInstant(resolvedAt) >= parseInstant(lastSeenAt)) return null;
  return rejectMember('resolvedAt', 'expected a time not before lastSeenAt');
}

/** In the contract's order; other members are left out. */
function readAnomaly(record: ValidatedRecord): JsonObject | Rejection {
  const state = parsePayload(anomalyPayload, record.plain);
  if (isRejection(state)) return state;
  const { level, current, peakCurrent, baseline, score, peakScore, diffPercent } = state.details;
  const { actionGroup, activityLabel, activityDescription, episodeCount } = state.details;
  if (peakCurrent < current) return rejectMember('details.peakCurrent', 'expected at least current');
  if (peakScore < score) return rejectMember('details.peakScore', 'expected at least score');
  const measured = { level, current, peakCurrent, baseline, score, peakScore, diffPercent };
  return { ...measured, actionGroup, activityLabel, activityDescription, episodeCount };
}

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Fits the title of an incident. */
const maxSummaryLength = 240;
