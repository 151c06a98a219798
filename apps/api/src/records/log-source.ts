import { type LogsPageQuery, readLogsPage } from '@tenantscope/store/read';
import type { ListSource } from './list.ts';
import { unboundedWindow } from './list-query.ts';

/** Reads log pages on their own, optimized path. */
export const logSource: ListSource = {
  feed: 'logs',
  hasRetention: true,
  read(models, { tenantId, ascending, windows, filters, after, limit, timeoutMs }) {
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
      timeoutMs,
    });
  },
};
