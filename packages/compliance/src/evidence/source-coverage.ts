import { hourMs } from '@tenantscope/contract';
import type { SourceState } from '@tenantscope/store/compliance';
import { toIsoTime, toText } from './values/reported-value.ts';

/**
 * How complete a source is. `complete` requires a collector's report that is not older than three days: rows alone do not
 * show what is missing between them, which is `unproven`.
 */
export type Coverage = 'complete' | 'unproven' | 'stale' | 'partial' | 'missing' | 'notLicensed' | 'disabled';

export type SourceCoverage = ReturnType<typeof assessCoverage>;

/** The greatest age at which most rules use a source, too. */
const maxAgeHours = 72;

/** The coverage of a source as of a time. */
export function assessCoverage(source: string, state: SourceState | undefined, nowMs: number) {
  const reachesMs = state?.lastCompleteImportMs ?? state?.newestMs ?? null;
  const ageMs = reachesMs === null ? null : Math.max(0, nowMs - reachesMs);
  return {
    source,
    connectedAt: toIsoTime(state?.connectedAtMs),
    lastCompleteImportAt: toIsoTime(state?.lastCompleteImportMs),
    newestAt: toIsoTime(state?.newestMs),
    ageHours: ageMs === null ? null : Math.floor(ageMs / hourMs),
    coverage: rateCoverage(state, ageMs),
    gaps: (state?.gaps ?? []).map(({ fromMs, toMs, reason }) => ({
      from: toIsoTime(fromMs),
      to: toIsoTime(toMs),
      reason: toText(reason),
    })),
  };
}

function rateCoverage(state: SourceState | undefined, ageMs: number | null): Coverage {
  if (state?.licensed === false) return 'notLicensed';
  if (state?.enabled === false) return 'disabled';
  if (state === undefined || ageMs === null) return 'missing';
  if (ageMs > maxAgeHours * hourMs) return 'stale';
  if (state.gaps.length > 0) return 'partial';
  return state.lastCompleteImportMs === null ? 'unproven' : 'complete';
}
