import type { Metrics } from '@tenantscope/runtime';

/** Everything the api measures, by name. No label holds a tenant, a key or an id. */
export function observe(metrics: Metrics) {
  return {
    requests: metrics.counter('http_requests_total', 'Requests answered.', ['operation', 'method', 'status']),
    seconds: metrics.histogram('http_request_duration_seconds', 'Time from request to answer.', ['operation']),
    authFailures: metrics.counter('auth_failures_total', 'Requests without a valid key.'),
    rateLimited: metrics.counter('rate_limited_total', 'Requests over the budget of their key.'),
    limiterDegraded: metrics.gauge('rate_limiter_degraded', '1 while requests are counted in this process alone.'),
    readsInFlight: metrics.gauge('http_reads_in_flight', 'Reads running or waiting their turn.'),
    settledLag: metrics.gauge('settled_lag_seconds', 'How far the settled watermark is behind the database clock.', [
      'feed',
    ]),
  };
}

export type Observations = ReturnType<typeof observe>;
