import type { JsonObject } from '@tenantscope/proof';
import { type AiDetection, readAiDetections } from '@tenantscope/store';
import { severities } from './closed-values.ts';
import { hoursBetween } from './duration.ts';
import type { SectionReader } from './section.ts';
import { toldText, toldTime, toldValue, toldWord } from './told-value.ts';

export const aiDetections: SectionReader = {
  key: 'ai_detections',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAiDetections(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: null };
  },
};

function rowOf({ detectionId, openedMs, listed }: AiDetection): JsonObject {
  const { kind, status, severity, detector, entity, lastSeenAt, resolvedAt, summary } = listed;
  const details = (listed.details ?? {}) as Readonly<Record<string, unknown>>;
  return {
    detectionId,
    kind: toldText(kind),
    detector: toldValue(detector),
    entity: toldValue(entity),
    severity: toldWord(severity, severities, null),
    status: toldWord(status, ['open', 'resolved', 'dismissed'], null),
    level: toldWord(details.level, ['alerted', 'informational'], null),
    openedAt: toldTime(openedMs),
    lastSeenAt: toldTime(lastSeenAt),
    resolvedAt: toldTime(resolvedAt),
    baseline: amountOf(details.baseline),
    current: amountOf(details.current),
    peak: amountOf(details.peakCurrent),
    score: amountOf(details.score),
    diffPercent: amountOf(details.diffPercent),
    summary: toldText(summary),
    timeToResolveHours: hoursBetween(openedMs, resolvedAt),
  };
}

/** Kinds without a measure leave it out. */
const amountOf = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null;
