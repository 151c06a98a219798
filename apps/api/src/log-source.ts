import { type LogsPageQuery, readLogsPage } from '@tenantscope/store';
import type { ListSource } from './list.ts';
import { openWindow } from './reading.ts';

/** The log's pages come by a path of their own, the hot one. */
export const logSource: ListSource = {
  feed: 'logs',
  ages: true,
  read(models, { tenantId, ascending, windows, filters, after, limit, timeoutMs }) {
    const discovered = windows.discoveredAt ?? openWindow;
    if (discovered.toMs === null) throw new TypeError('a window of the log is bounded before it is read');
    return readLogsPage(models, {
      tenantId,
      sort: ascending ? 'discoveredAtAsc' : 'discoveredAtDesc',
      discovered: { fromMs: discovered.fromMs, toMs: discovered.toMs },
      occurred: windows.occurredAt ?? openWindow,
      filters: filters as LogsPageQuery['filters'],
      after,
      limit,
      timeoutMs,
    });
  },
};
