import type { Metrics } from '@tenantscope/runtime';

/** Counts requests by status. A path is no label: it may be anything. */
export interface ConsoleMetrics {
  countResponse(method: string, status: number): void;
}

export function createConsoleMetrics(metrics: Metrics): ConsoleMetrics {
  const requests = metrics.counter('tenantscope_console_requests_total', 'HTTP requests to the console.', [
    'method',
    'status',
  ]);
  return { countResponse: (method, status) => requests.inc({ method, status }) };
}
