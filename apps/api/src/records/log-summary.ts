import {
  ApiError,
  formatTime,
  getLogSummary,
  type LogSummary,
  limitDefault,
  listLogs,
  type OperationInput,
  type SummaryKey,
  summaryKeysMax,
  summaryRowsMax,
} from '@tenantscope/contract';
import { type LogSummaryQuery, type LogsFilterValues, readLogSummary } from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import { listTimeoutMs } from '../limits.ts';
import { formatInstant, formatWindow, type ReadDependencies } from './list.ts';
import { logSource, resolveUser } from './log-source.ts';
import { explainPage } from './page-note.ts';
import { settleUpperBound, windowUnsettled } from './settled-bound.ts';
import { omitExpired } from './stored-window.ts';
import { findUnknownValues, newestFirst } from './unknown-values.ts';

type Input = OperationInput<typeof getLogSummary>;

/** Counts the rows that /logs returns for the same window and filters. Only settled rows are counted. */
export async function readSummary(
  { models, readLimiter, watermark }: ReadDependencies,
  caller: Caller,
  { by: keys, limit = limitDefault, discoveredFrom, discoveredTo, occurredFrom, occurredTo, ...filters }: Input,
): Promise<LogSummary> {
  const by = readKeys(keys);
  const tenantId = requireTenantId(caller);
  const history = watermark.history('logs', tenantId);
  const requested = { toMs: discoveredTo ?? null, firstPage: true };
  const { boundMs, settled } = await settleUpperBound(watermark, 'logs', tenantId, requested);
  if (boundMs > settled.throughMs) throw windowUnsettled();
  const discovered = { fromMs: discoveredFrom ?? null, toMs: boundMs };
  const signal = caller.disconnectSignal();
  const { counts, unknown } = await readLimiter.run(requireSlotOwner(caller), signal, async (runStatement) => {
    const shared = { tenantId, timeoutMs: listTimeoutMs, signal };
    const resolved = await resolveUser(models, { ...shared, filters });
    const query: LogSummaryQuery = {
      ...shared,
      runStatement,
      by,
      discovered: omitExpired(discovered, history),
      occurred: { fromMs: occurredFrom ?? null, toMs: occurredTo ?? null },
      filters: resolved as LogsFilterValues,
      groupsMax: limit,
      rowsMax: summaryRowsMax,
    };
    const counts = await readLogSummary(models, query);
    const newest = { ...shared, runStatement, ...newestFirst('discoveredAt', settled.throughMs, history) };
    const unknown =
      counts.kind === 'counted' && counts.rowCount === 0
        ? await findUnknownValues(listLogs, resolved, (rows) => logSource.read(models, { ...newest, ...rows }))
        : [];
    return { counts, unknown };
  });
  if (counts.kind === 'tooLarge') throw windowTooLarge(counts.fitsFromMs, boundMs);
  const { groups, rowCount, groupCount } = counts;
  return {
    tenantId,
    by: [...by],
    rowCount,
    groupCount,
    groups: groups.map(({ values, rowCount }) => ({ values: { ...values }, rowCount })),
    otherRowCount: groups.reduce((rest, group) => rest - group.rowCount, rowCount),
    window: { ...formatWindow(discovered), to: formatTime(boundMs) },
    completeThrough: formatTime(settled.throughMs),
    unreadSince: formatInstant(watermark.unreadSince('logs')),
    retainedFrom: formatInstant(history?.retainedFromMs),
    note: explainPage({
      rowCount,
      window: discovered,
      nowMs: settled.databaseNowMs,
      retainedFromMs: history?.retainedFromMs ?? null,
      ignored: [],
      unknown,
      missingFlags: [],
    }),
  };
}

function readKeys(keys: readonly SummaryKey[] = ['action']): readonly SummaryKey[] {
  if (keys.length <= summaryKeysMax) return keys;
  const reason = `has more than ${summaryKeysMax} keys`;
  const { allowed, example } = getLogSummary.parameters.by;
  throw new ApiError('INVALID_PARAMETER', `The parameter by ${reason}. Request fewer.`, [
    { parameter: 'by', reason, allowed, example },
  ]);
}

/** What was before can be counted by further requests: counts of adjacent windows add up. */
function windowTooLarge(fitsFromMs: number, toMs: number): ApiError {
  const example = formatTime(fitsFromMs);
  const reason = `is followed by more than ${summaryRowsMax} events that may match`;
  return new ApiError(
    'INVALID_PARAMETER',
    `The parameter discoveredFrom ${reason}. Count from ${example} to ${formatTime(toMs)} and add the windows before it, or use more filters.`,
    [{ parameter: 'discoveredFrom', reason, allowed: [`${example} or later`], example }],
  );
}
