import { dayMs } from '@tenantscope/contract';
import type { LogHistory } from '@tenantscope/store/compliance';
import { retentionFrameworks } from '../catalogue/evidence.ts';
import { filterByFramework } from './legend.ts';
import { toIsoTime } from './values/reported-value.ts';

/** The legend entries that require logs require six months. */
export const retentionTargetDays = 183;

/**
 * How long the tenant's log had been retained at the end of the period, by the time this service wrote its rows: history imported
 * today is not retention. A new tenant reports the target as not met though nothing was lost; `tenantConnectedAt` shows the difference.
 */
export function buildRetention(
  history: LogHistory,
  framework: string | null,
  { connectedAtMs, toMs }: { readonly connectedAtMs: number | null; readonly toMs: number },
) {
  const retainedMs = history.oldestMs === null || history.oldestMs > toMs ? null : toMs - history.oldestMs;
  return {
    frameworks: filterByFramework(retentionFrameworks, framework),
    retentionTargetDays,
    retentionTargetMet: retainedMs !== null && retainedMs >= retentionTargetDays * dayMs,
    logHistoryDays: retainedMs === null ? null : Math.floor(retainedMs / dayMs),
    oldestLogAt: toIsoTime(history.oldestMs),
    newestLogAt: toIsoTime(history.newestMs),
    tenantConnectedAt: toIsoTime(connectedAtMs),
  };
}
