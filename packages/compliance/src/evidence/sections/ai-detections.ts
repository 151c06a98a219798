import type { JsonObject } from '@tenantscope/proof';
import { type AiDetection, readAiDetections } from '@tenantscope/store/compliance';
import type { SectionReader } from '../section-reader.ts';
import { countHours } from '../values/duration.ts';
import { severities } from '../values/enums.ts';
import { toEnumValue, toIsoTime, toJsonValue, toText } from '../values/reported-value.ts';

export const aiDetections: SectionReader = {
  key: 'ai_detections',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAiDetections(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: null };
  },
};

function toRow({ detectionId, openedMs, listed }: AiDetection): JsonObject {
  const { kind, status, severity, detector, entity, lastSeenAt, resolvedAt, summary } = listed;
  const details = (listed.details ?? {}) as Readonly<Record<string, unknown>>;
  return {
    detectionId,
    kind: toText(kind),
    detector: toJsonValue(detector),
    entity: toJsonValue(entity),
    severity: toEnumValue(severity, severities, null),
    status: toEnumValue(status, ['open', 'resolved', 'dismissed'], null),
    level: toEnumValue(details.level, ['alerted', 'informational'], null),
    openedAt: toIsoTime(openedMs),
    lastSeenAt: toIsoTime(lastSeenAt),
    resolvedAt: toIsoTime(resolvedAt),
    baseline: toAmount(details.baseline),
    current: toAmount(details.current),
    peak: toAmount(details.peakCurrent),
    score: toAmount(details.score),
    diffPercent: toAmount(details.diffPercent),
    summary: toText(summary),
    timeToResolveHours: countHours(openedMs, resolvedAt),
  };
}

/** Null for kinds without this amount. */
const toAmount = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null;
