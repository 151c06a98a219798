import type { PreparedStatement } from '../../connection/prepared-rows.ts';
import { formatTimestamp } from '../record-page.ts';
import { documentColumns } from './log-document.ts';
import { isAscending, type LogsPageQuery, lowerMs, upperMs } from './log-page-statement.ts';

const lowestId = '00000000-0000-0000-0000-000000000000';
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** As `logSettings`, and one plan for all values, which follows the order of the index with every login. */
const settings =
  "select set_config('tenantscope.tenant', $1, true), set_config('statement_timeout', $2, true)," +
  " set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_sort', 'off', true), models.lock_sealed_before() as sealed_ms";

const selectWindow = (beyond: '>' | '<', direction: 'asc' | 'desc'): string =>
  `select ${documentColumns.replace(/\w+/g, 'log.$&')} from models.audit_log log where log.tenant_id = $1` +
  ` and log.discovered_at >= $2 and log.discovered_at <= $3 and (log.discovered_at, log.id) ${beyond} ($4, $5)` +
  ` order by log.discovered_at ${direction}, log.id ${direction} limit $6`;

const ascendingWindow = selectWindow('>', 'asc');
const descendingWindow = selectWindow('<', 'desc');

/** The rows of a page without conditions on them, as two statements of one transaction. There are two texts, so that each connection has two plans. */
export function logWindowStatements(query: LogsPageQuery): readonly [PreparedStatement, PreparedStatement] {
  const { tenantId, timeoutMs, limit } = query;
  const ascending = isAscending(query);
  const [from, to] = [lowerMs(query) ?? Number.NEGATIVE_INFINITY, upperMs(query)];
  const values = [
    tenantId,
    formatTimestamp(from),
    formatTimestamp(to),
    ...startOf(query, from, to),
    String(Math.trunc(limit) + 1),
  ];
  return [
    { name: 'log settings', text: settings, values: [tenantId, String(Math.ceil(timeoutMs))] },
    ascending
      ? { name: 'log ascending', text: ascendingWindow, values }
      : { name: 'log descending', text: descendingWindow, values },
  ];
}

/** The position before the first row: PostgreSQL descends the index to it and filters by the bounds, so it is never outside of them. */
function startOf(query: LogsPageQuery, from: number, to: number): [string, string] {
  const { after } = query;
  if (isAscending(query)) {
    if (after === null || after.atMs < from) return [formatTimestamp(from - 1), highestId];
    return [formatTimestamp(after.atMs), after.id ?? highestId];
  }
  if (after === null || after.atMs > to) return [formatTimestamp(to + 1), lowestId];
  return [formatTimestamp(after.atMs), after.id ?? lowestId];
}
