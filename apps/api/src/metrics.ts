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
    poolRunning: metrics.gauge('pool_running', 'Requests that are running on the connections of a pool.', ['pool']),
    poolQueueDepth: metrics.gauge('pool_queue_depth', 'Requests that wait for their turn on a pool.', ['pool']),
    poolWait: metrics.histogram('pool_wait_seconds', 'Wait of admitted requests for their turn on a pool in seconds.', [
      'pool',
    ]),
    poolRefused: metrics.counter('pool_refused_total', 'Total requests refused by the concurrency limits of a pool.', [
      'pool',
      'reason',
    ]),
    saturated: metrics.gauge(
      'saturated',
      '1 while round trips to the database show saturated processors: then tenants have smaller time budgets.',
    ),
    statusCache: metrics.counter('status_cache_total', 'Total lookups of a compliance status for unchanged facts.', [
      'result',
    ]),
    settledLag: metrics.gauge(
      'settled_lag_seconds',
      'Lag of the settled watermark behind the database clock in seconds.',
      ['feed'],
    ),
  };
}

export type ApiMetrics = ReturnType<typeof registerMetrics>;
