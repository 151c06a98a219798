import { ApiError, filtersTextMax, userNamesMax } from '@tenantscope/contract';
import { type LogsPageQuery, readLogsPage, readPrincipalNames } from '@tenantscope/store/read';
import { examinedRowsMax } from '../limits.ts';
import type { ListSource } from './list.ts';
import { unboundedWindow } from './list-query.ts';

/** Reads log pages on their own, optimized path. */
export const logSource: ListSource = {
  feed: 'logs',
  hasRetention: true,
  async resolveFilters(models, { tenantId, filters, timeoutMs, signal }) {
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
  },
  read(models, { tenantId, ascending, windows, filters, after, limit, timeoutMs, signal, runStatement }) {
    const discovered = windows.discoveredAt ?? unboundedWindow;
    if (discovered.toMs === null) throw new TypeError('the log window must have an upper bound');
    return readLogsPage(models, {
      tenantId,
      sort: ascending ? 'discoveredAtAsc' : 'discoveredAtDesc',
      discovered: { fromMs: discovered.fromMs, toMs: discovered.toMs },
      occurred: windows.occurredAt ?? unboundedWindow,
      filters: filters as LogsPageQuery['filters'],
      after,
      limit,
      examinedRowsMax,
      timeoutMs,
      signal,
      runStatement,
    });
  },
};

/** The set is part of the statement of every page and of its cursor, which must fit into a URL. */
function tooManyNames(): ApiError {
  const reason = `has users with more than ${userNamesMax} aliases or ${filtersTextMax} characters together`;
  return new ApiError('INVALID_PARAMETER', `The parameter user ${reason}. Request fewer users at once.`, [
    { parameter: 'user', reason },
  ]);
}
