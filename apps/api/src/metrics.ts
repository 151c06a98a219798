import type { Metrics } from '@tenantscope/runtime';

const requestSecondsHelp =
  'Duration of HTTP requests in seconds, without the time that they wait for rows because of Prefer: wait.';

/** All metrics of the API. No label holds a tenant, a key or an id. */
export function registerMetrics(metrics: Metrics) {
  return {
    requests: metrics.counter('tenantscope_http_requests_total', 'HTTP requests.', ['operation', 'method', 'status']),
    seconds: metrics.histogram('tenantscope_http_request_duration_seconds', requestSecondsHelp, ['operation']),
    authFailures: metrics.counter('tenantscope_auth_failures_total', 'Requests without a valid key.'),
    droppedConnections: metrics.counter('tenantscope_dropped_connections_total', 'Connections above the limit.'),
    rateLimited: metrics.counter(
      'tenantscope_rate_limited_requests_total',
      'Requests rejected by the rate limit of their key.',
    ),
    limiterDegraded: metrics.gauge(
      'tenantscope_rate_limiter_degraded',
      '1 while the rate limiter counts in this process only because Redis is unavailable.',
    ),
    limiterInstances: metrics.gauge(
      'tenantscope_rate_limiter_instances',
      'Processes of the API that count requests in the same Redis. While it is unavailable each accepts its share of a limit.',
    ),
    poolRunning: metrics.gauge(
      'tenantscope_pool_running_requests',
      'Requests that are running on the connections of a pool.',
      ['cell', 'pool'],
    ),
    poolQueueDepth: metrics.gauge('tenantscope_pool_waiting_requests', 'Requests that wait for their turn on a pool.', [
      'cell',
      'pool',
    ]),
    poolWait: metrics.histogram(
      'tenantscope_pool_wait_seconds',
      'Wait of admitted requests for their turn on a pool in seconds.',
      ['cell', 'pool'],
    ),
    poolRefused: metrics.counter(
      'tenantscope_pool_refused_requests_total',
      'Requests refused by the concurrency limits of a pool.',
      ['cell', 'pool', 'reason'],
    ),
    saturated: metrics.gauge(
      'tenantscope_database_saturated',
      '1 while round trips to the database show saturated processors: then tenants have smaller time budgets.',
      ['cell'],
    ),
    cellAvailable: metrics.gauge(
      'tenantscope_cell_available',
      '1 while the databases of the cell respond, 0 while its tenants get 503.',
      ['cell'],
    ),
    statusCache: metrics.counter(
      'tenantscope_status_cache_lookups_total',
      'Lookups of a compliance status for unchanged facts.',
      ['result'],
    ),
    settledLag: metrics.gauge(
      'tenantscope_settled_lag_seconds',
      'Lag of the settled watermark behind the database clock in seconds.',
      ['cell', 'feed'],
    ),
    epoch: metrics.gauge(
      'tenantscope_epoch_number',
      'Number of the epoch of the server that requests are read from: each promotion opens one.',
      ['cell'],
    ),
    failoverProtected: metrics.gauge(
      'tenantscope_failover_protected',
      '1 while every standby that may be promoted has what was served, 0 while a promotion or the loss of the primary would change served windows. Always 1 without standbys.',
      ['cell'],
    ),
    standbyBounding: metrics.gauge(
      'tenantscope_standby_bounding',
      '1 while the standby may be promoted and so bounds the watermark.',
      ['cell', 'standby'],
    ),
    standbyLag: metrics.gauge(
      'tenantscope_standby_settled_lag_seconds',
      'Lag of the settled watermark of a standby that may be promoted behind the clock of the primary in seconds.',
      ['cell', 'standby'],
    ),
    replicaLag: metrics.gauge(
      'tenantscope_replica_settled_lag_seconds',
      'Lag of the settled watermark of a replica behind the clock of the primary in seconds.',
      ['cell', 'replica'],
    ),
    replicaUsed: metrics.gauge(
      'tenantscope_replica_used',
      '1 while requests are read from the replica, 0 while it is left out.',
      ['cell', 'replica'],
    ),
    replicaRequests: metrics.counter(
      'tenantscope_replica_requests_total',
      'Requests that a replica served, or that were repeated on the primary because it could not.',
      ['cell', 'replica', 'result'],
    ),
    signingKeyConfigured: metrics.gauge(
      'tenantscope_signing_key_configured',
      '1 if evidence packs or snapshots are signed, 0 if no signing key is configured.',
    ),
  };
}

export type ApiMetrics = ReturnType<typeof registerMetrics>;
