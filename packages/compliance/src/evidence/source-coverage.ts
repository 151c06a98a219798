import type { SourceState } from '@tenantscope/store';
import { toldText, toldTime } from './told-value.ts';

/**
 * How completely a source stands behind the pack. `complete` needs a collector that said so: rows alone do not tell what is missing between them, that
 * is `unproven`.
 */
export type Coverage = 'complete' | 'unproven' | 'partial' | 'missing' | 'notLicensed' | 'disabled';

export type SourceCoverage = ReturnType<typeof coverageOf>;

export function coverageOf(source: string, state: SourceState | undefined) {
  return {
    source,
    connectedAt: toldTime(state?.connectedAtMs),
    lastCompleteImportAt: toldTime(state?.lastCompleteImportMs),
    coverage: judge(state),
    gaps: (state?.gaps ?? []).map(({ fromMs, toMs, reason }) => ({
      from: toldTime(fromMs),
      to: toldTime(toMs),
      reason: toldText(reason),
    })),
  };
}

function judge(state: SourceState | undefined): Coverage {
  if (state?.licensed === false) return 'notLicensed';
  if (state?.enabled === false) return 'disabled';
  if (state === undefined || (state.newestMs === null && state.lastCompleteImportMs === null)) return 'missing';
  if (state.gaps.length > 0) return 'partial';
  return state.lastCompleteImportMs === null ? 'unproven' : 'complete';
}
