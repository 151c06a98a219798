import { ApiError, type AuditLogEvent, filtersTextMax, pageMaxBytes, userNamesMax } from '@tenantscope/contract';
import { toEcsLog, toOcsfLog } from '@tenantscope/mapping';
import {
  type LogsFilterValues,
  type LogsPage,
  type LogsPageQuery,
  type ReadModels,
  readLogsPage,
  readPrincipalNames,
} from '@tenantscope/store/read';
import { examinedRowsMax } from '../limits.ts';
import type { ListSource, PageQuery } from './list.ts';
import { unboundedWindow } from './list-query.ts';
import type { RowViews } from './row-view.ts';

/** An event of the log in other schemas. */
export const logViews: RowViews<AuditLogEvent> = { ocsf: toOcsfLog, ecs: toEcsLog };

/** Reads log pages on their own, optimized path. */
export const logSource: ListSource = {
  feed: 'logs',
  hasRetention: true,
  views: logViews,
  resolveFilters: resolveUser,
  read: (models, query) => readLogs(models, query, query.filters as LogsFilterValues),
};

/** Replaces the names of the filter `user` by all ids and aliases of these users. */
export async function resolveUser(
  models: ReadModels,
  { tenantId, filters, timeoutMs, signal }: Pick<PageQuery, 'tenantId' | 'filters' | 'timeoutMs' | 'signal'>,
): Promise<PageQuery['filters']> {
  const { user } = filters as LogsPageQuery['filters'];
  if (user === undefined) return filters;
  const names = await readPrincipalNames(models, {
    tenantId,
    names: user,
    limit: userNamesMax + 1,
    timeoutMs,
    signal,
  });
  const text = Object.values({ ...filters, user: names }).reduce((sum, values) => sum + values.join().length, 0);
  if (names.length > userNamesMax || text > filtersTextMax) throw tooManyNames();
  return { ...filters, user: names };
}

/** @param anyOf filters of which one must match as well */
export function readLogs(
  models: ReadModels,
  { tenantId, ascending, windows, after, limit, timeoutMs, signal, runStatement }: PageQuery,
  filters: LogsFilterValues,
  anyOf: LogsFilterValues = {},
): Promise<LogsPage> {
  const discovered = windows.discoveredAt ?? unboundedWindow;
  if (discovered.toMs === null) throw new TypeError('the log window must have an upper bound');
  return readLogsPage(models, {
    tenantId,
    sort: ascending ? 'discoveredAtAsc' : 'discoveredAtDesc',
    discovered: { fromMs: discovered.fromMs, toMs: discovered.toMs },
    occurred: windows.occurredAt ?? unboundedWindow,
    filters,
    anyOf,
    after,
    limit,
    maxBytes: pageMaxBytes,
    examinedRowsMax,
    timeoutMs,
    signal,
    runStatement,
  });
}

/** The set is part of the statement of every page and of its cursor, which must fit into a URL. */
function tooManyNames(): ApiError {
  const reason = `has users with more than ${userNamesMax} aliases or ${filtersTextMax} characters together`;
  return new ApiError('INVALID_PARAMETER', `The parameter user ${reason}. Request fewer users at once.`, [
    { parameter: 'user', reason },
  ]);
}
