import type { SourceState } from '@tenantscope/store/compliance';
import { toIsoTime, toText } from './values/reported-value.ts';

/**
 * How complete a source is. `complete` requires a collector's report: rows alone do not show what is missing between them,
 * which is `unproven`.
 */
export type Coverage = 'complete' | 'unproven' | 'partial' | 'missing' | 'notLicensed' | 'disabled';

export type SourceCoverage = ReturnType<typeof assessCoverage>;

export function assessCoverage(source: string, state: SourceState | undefined) {
  return {
    source,
    connectedAt: toIsoTime(state?.connectedAtMs),
    lastCompleteImportAt: toIsoTime(state?.lastCompleteImportMs),
    coverage: rateCoverage(state),
    gaps: (state?.gaps ?? []).map(({ fromMs, toMs, reason }) => ({
      from: toIsoTime(fromMs),
      to: toIsoTime(toMs),
      reason: toText(reason),
    })),
  };
}

function rateCoverage(state: SourceState | undefined): Coverage {
  if (state?.licensed === false) return 'notLicensed';
  if (state?.enabled === false) return 'disabled';
  if (state === undefined || (state.newestMs === null && state.lastCompleteImportMs === null)) return 'missing';
  if (state.gaps.length > 0) return 'partial';
  return state.lastCompleteImportMs === null ? 'unproven' : 'complete';
}
