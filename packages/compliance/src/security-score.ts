import { type ComplianceStatus, type SecurityScore, showTime } from '@tenantscope/contract';
import type { PastScore, VendorScores } from '@tenantscope/store';
import { applicableCount, countStatuses, percentOf } from './framework-status.ts';
import { decimalPercent } from './ratio.ts';
import { scoreCategories, scoreControls } from './score-controls.ts';

const dayMs = 86_400_000;

/** The vendor keeps about so many days. */
export const scoreHistoryDays = 90;

/** The vendor's score as it was told, and beside it, never added, what this service measures. Pure. */
export function securityScoreOf({ newest, past }: VendorScores, status: ComplianceStatus): SecurityScore {
  const asOfMs = past.at(-1)?.atMs ?? null;
  const controls = newest ? scoreControls(newest) : [];
  const percent = newest && decimalPercent(newest.currentScore, newest.maxScore);
  const { vendor = null, provider = null } = newest?.vendorInformation ?? {};
  return {
    asOf: asOfMs === null ? null : showTime(asOfMs),
    vendor: newest && { name: vendor, provider },
    currentScore: newest?.currentScore ?? null,
    maxScore: newest?.maxScore ?? null,
    percent,
    delta7d: asOfMs === null ? null : deltaSince(past, percent, asOfMs - 7 * dayMs),
    delta30d: asOfMs === null ? null : deltaSince(past, percent, asOfMs - 30 * dayMs),
    licensedUserCount: newest?.licensedUserCount ?? null,
    activeUserCount: newest?.activeUserCount ?? null,
    enabledServices: [...(newest?.enabledServices ?? [])],
    comparatives: (newest?.averageComparativeScores ?? []).map(({ basis, averageScore }) => ({ basis, averageScore })),
    categories: scoreCategories(controls),
    controls,
    history: asOfMs === null ? [] : dailyScores(past.filter(({ atMs }) => atMs > asOfMs - scoreHistoryDays * dayMs)),
    service: serviceBlock(status),
  };
}

/** Against the newest score that is at least so old, in points of the percentages as they are printed. */
function deltaSince(past: readonly PastScore[], percent: number | null, untilMs: number): number | null {
  const before = past.findLast(({ atMs }) => atMs <= untilMs);
  const percentBefore = before ? decimalPercent(before.currentScore, before.maxScore) : null;
  return percent === null || percentBefore === null ? null : Math.round((percent - percentBefore) * 10) / 10;
}

/** The last score of each day. */
function dailyScores(past: readonly PastScore[]): SecurityScore['history'] {
  const byDay = new Map(past.map((score) => [showTime(score.atMs).slice(0, '2026-11-21'.length), score]));
  return [...byDay].slice(-scoreHistoryDays).map(([date, { currentScore, maxScore }]) => ({
    date,
    currentScore,
    maxScore,
    percent: decimalPercent(currentScore, maxScore),
  }));
}

function serviceBlock({ requirements }: ComplianceStatus): SecurityScore['service'] {
  const measured = requirements.filter(({ thresholds }) => thresholds !== null);
  const all = countStatuses(measured);
  return {
    percent: percentOf(all.metCount, applicableCount(all)),
    byArea: [...Map.groupBy(measured, ({ area }) => area)].map(([area, some]) => {
      const { metCount, atRiskCount, notMetCount, notEvaluatedCount } = countStatuses(some);
      return { area, met: metCount, atRisk: atRiskCount, notMet: notMetCount, notEvaluated: notEvaluatedCount };
    }),
  };
}
