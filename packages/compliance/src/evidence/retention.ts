import type { LogHistory } from '@tenantscope/store';
import { retentionFrameworks } from '../catalogue/evidence.ts';
import { idsOfFramework } from './legend.ts';
import { toldTime } from './told-value.ts';

const dayMs = 86_400_000;

/** What asks for logs asks for six months. */
export const retentionTargetDays = 183;

/**
 * How long the tenant's log has been kept, by the time this service wrote its rows: history imported today is not retention. A young tenant reports
 * the target as not met though nothing was lost; `tenantConnectedAt` tells the two apart.
 */
export function retentionOf(
  history: LogHistory,
  framework: string | null,
  { connectedAtMs, generatedAtMs }: { readonly connectedAtMs: number | null; readonly generatedAtMs: number },
) {
  const keptMs = history.oldestMs === null ? null : generatedAtMs - history.oldestMs;
  return {
    frameworks: idsOfFramework(retentionFrameworks, framework),
    retentionTargetDays,
    retentionTargetMet: keptMs !== null && keptMs >= retentionTargetDays * dayMs,
    logHistoryDays: keptMs === null ? null : Math.max(0, Math.floor(keptMs / dayMs)),
    oldestLogAt: toldTime(history.oldestMs),
    newestLogAt: toldTime(history.newestMs),
    tenantConnectedAt: toldTime(connectedAtMs),
  };
}
