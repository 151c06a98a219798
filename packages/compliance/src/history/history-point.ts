import {
  dayMs,
  type FrameworkHistoryPoint,
  type FrameworkStatus,
  formatTime,
  type RequirementHistoryPoint,
  type RequirementStatus,
} from '@tenantscope/contract';
import type { SnapshotPart } from '@tenantscope/store/compliance';
import { countApplicable, type StatusCounts, toWholePercent } from '../status/framework-status.ts';

/** Snapshots outlive versions of their format: every member may be missing. */
type Stored<Part> = { readonly [Name in keyof Part]?: Part[Name] | null } | null;

type SnapshotMembers = Pick<
  RequirementHistoryPoint & FrameworkHistoryPoint,
  'takenAt' | 'snapshot' | 'missedWeeks' | 'comparable'
>;

/** A requirement in a snapshot. `before` is the snapshot taken before it; null for the first. */
export function toRequirementPoint(snapshot: SnapshotPart, before: SnapshotPart | null): RequirementHistoryPoint {
  const stored = snapshot.part as Stored<RequirementStatus>;
  const name = stored?.thresholds?.primaryMetric;
  const metrics = stored?.metricsJson ?? {};
  const status = stored?.status ?? null;
  return {
    ...describeSnapshot(snapshot, before),
    status,
    evaluation: stored?.evaluation ?? null,
    reason: stored?.reason ?? null,
    metric: name === undefined ? null : { name, value: metrics[name] ?? null },
    unknownCount: metrics.unknown ?? null,
    exceptedCount: metrics.excepted ?? null,
    statusWithoutExceptions: stored?.exceptions?.statusWithout ?? status,
  };
}

const noCounts = {
  metCount: null,
  metWithExceptionsCount: null,
  atRiskCount: null,
  notMetCount: null,
  notEvaluatedCount: null,
  notApplicableCount: null,
};

/** A framework in a snapshot. */
export function toFrameworkPoint(snapshot: SnapshotPart, before: SnapshotPart | null): FrameworkHistoryPoint {
  const stored = snapshot.part as Stored<FrameworkStatus>;
  const counts = readCounts(stored);
  return {
    ...describeSnapshot(snapshot, before),
    selected: stored?.selected ?? null,
    readinessPercent: stored?.readinessPercent ?? null,
    readinessPercentWithoutExceptions: counts && computeReadinessWithoutExceptions(counts),
    coveragePercent: stored?.coveragePercent ?? null,
    ...(counts ?? noCounts),
  };
}

/** Null unless the snapshot has all of them. */
function readCounts(stored: Stored<FrameworkStatus>): StatusCounts | null {
  const counts = Object.keys(noCounts).map((name) => [name, stored?.[name as keyof StatusCounts]] as const);
  return counts.every(([, value]) => typeof value === 'number') ? (Object.fromEntries(counts) as StatusCounts) : null;
}

const computeReadinessWithoutExceptions = (counts: StatusCounts): number | null =>
  toWholePercent(counts.metCount - counts.metWithExceptionsCount, countApplicable(counts));

function describeSnapshot(snapshot: SnapshotPart, before: SnapshotPart | null): SnapshotMembers {
  const { id, takenAtMs, trigger, period, late, catalogueVersion, evaluatorVersion, earlierPeriod } = snapshot;
  return {
    takenAt: formatTime(takenAtMs),
    snapshot: { id, trigger, period, late, catalogueVersion, evaluatorVersion },
    missedWeeks: period === null || earlierPeriod === null ? null : countWeeks(earlierPeriod, period) - 1,
    comparable: before && before.catalogueVersion === catalogueVersion && before.evaluatorVersion === evaluatorVersion,
  };
}

const weekMs = 7 * dayMs;

/** ISO weeks from one to another. */
const countWeeks = (from: string, to: string): number => Math.round((findMonday(to) - findMonday(from)) / weekMs);

/** The Monday of a week such as 2026-W47: 4 January is in the first week of every year. */
function findMonday(period: string): number {
  const [year, week] = period.split('-W').map(Number);
  const fourth = Date.UTC(year ?? 0, 0, 4);
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth - weekday * dayMs + ((week ?? 1) - 1) * weekMs;
}
