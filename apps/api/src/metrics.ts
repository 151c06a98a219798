import type { Metrics } from '@tenantscope/runtime';

/** All metrics of the API. No label holds a tenant, a key or an id. */
export function registerMetrics(metrics: Metrics) {
  return {
    requests: metrics.counter('http_requests_total', 'Total HTTP requests.', ['operation', 'method', 'status']),
    seconds: metrics.histogram('http_request_duration_seconds', 'HTTP request duration in seconds.', ['operation']),
    authFailures: metrics.counter('auth_failures_total', 'Total requests without a valid key.'),
    rateLimited: metrics.counter('rate_limited_total', 'Total requests rejected by the rate limit of their key.'),
    limiterDegraded: metrics.gauge(
      'rate_limiter_degraded',
      '1 while the rate limiter counts in this process only because Redis is unavailable.',
    ),
    readsInFlight: metrics.gauge('http_reads_in_flight', 'Reads that are running or queued.'),
    settledLag: metrics.gauge(
      'settled_lag_seconds',
      'Lag of the settled watermark behind the database clock in seconds.',
      ['feed'],
    ),
  };
}

export type ApiMetrics = ReturnType<typeof registerMetrics>;
