import { type ComplianceStatus, dayMs, formatTime, type SecurityScore } from '@tenantscope/contract';
import type { ScoreHistoryPoint, VendorScores } from '@tenantscope/store/compliance';
import { toDecimalPercent } from '../evaluation/ratio.ts';
import { countApplicable, countStatuses, toWholePercent } from '../status/framework-status.ts';
import { buildCategories, buildControls } from './score-controls.ts';

/** The vendor retains about this many days. */
export const scoreHistoryDays = 90;

/** The vendor's score as reported and, separately and never added, the service's own measurements. Pure. */
export function buildSecurityScore({ newest, past }: VendorScores, status: ComplianceStatus): SecurityScore {
  const asOfMs = past.at(-1)?.atMs ?? null;
  const controls = newest ? buildControls(newest) : [];
  const percent = newest && toDecimalPercent(newest.currentScore, newest.maxScore);
  const { vendor = null, provider = null } = newest?.vendorInformation ?? {};
  return {
    asOf: asOfMs === null ? null : formatTime(asOfMs),
    vendor: newest && { name: vendor, provider },
    currentScore: newest?.currentScore ?? null,
    maxScore: newest?.maxScore ?? null,
    percent,
    delta7d: asOfMs === null ? null : computeDelta(past, percent, asOfMs - 7 * dayMs),
    delta30d: asOfMs === null ? null : computeDelta(past, percent, asOfMs - 30 * dayMs),
    licensedUserCount: newest?.licensedUserCount ?? null,
    activeUserCount: newest?.activeUserCount ?? null,
    enabledServices: [...(newest?.enabledServices ?? [])],
    comparatives: (newest?.averageComparativeScores ?? []).map(({ basis, averageScore }) => ({ basis, averageScore })),
    categories: buildCategories(controls),
    controls,
    history:
      asOfMs === null ? [] : listDailyScores(past.filter(({ atMs }) => atMs > asOfMs - scoreHistoryDays * dayMs)),
    service: buildServiceScore(status),
  };
}

/** The difference to the newest score of at least that age, in points of the displayed percentages. */
function computeDelta(past: readonly ScoreHistoryPoint[], percent: number | null, untilMs: number): number | null {
  const before = past.findLast(({ atMs }) => atMs <= untilMs);
  const percentBefore = before ? toDecimalPercent(before.currentScore, before.maxScore) : null;
  return percent === null || percentBefore === null ? null : Math.round((percent - percentBefore) * 10) / 10;
}

/** The last score of each day. */
function listDailyScores(past: readonly ScoreHistoryPoint[]): SecurityScore['history'] {
  const byDay = new Map(past.map((score) => [formatTime(score.atMs).slice(0, '2026-11-21'.length), score]));
  return [...byDay].slice(-scoreHistoryDays).map(([date, { currentScore, maxScore }]) => ({
    date,
    currentScore,
    maxScore,
    percent: toDecimalPercent(currentScore, maxScore),
  }));
}

function buildServiceScore({
  requirements,
  catalogueVersion,
  evaluatorVersion,
}: ComplianceStatus): SecurityScore['service'] {
  const measured = requirements.filter(({ thresholds }) => thresholds !== null);
  const all = countStatuses(measured);
  return {
    catalogueVersion,
    evaluatorVersion,
    percent: toWholePercent(all.metCount, countApplicable(all)),
    percentWithoutExceptions: toWholePercent(all.metCount - all.metWithExceptionsCount, countApplicable(all)),
    byArea: [...Map.groupBy(measured, ({ area }) => area)].map(([area, some]) => {
      const { metCount, metWithExceptionsCount, atRiskCount, notMetCount, notEvaluatedCount } = countStatuses(some);
      return {
        area,
        met: metCount,
        metWithExceptions: metWithExceptionsCount,
        atRisk: atRiskCount,
        notMet: notMetCount,
        notEvaluated: notEvaluatedCount,
      };
    }),
  };
}
