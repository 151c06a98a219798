import type { Dashboard, Panel, PanelUnit } from './dashboard.ts';

const panel = (title: string, unit: PanelUnit, ...lines: Panel['lines']): Panel => ({ title, unit, lines });

/** A quantile of a histogram over five minutes, by a label or of all series. */
const quantile = (q: number, histogram: string, by = ''): string =>
  `histogram_quantile(${q}, sum by (${['le', ...(by === '' ? [] : [by])].join(', ')}) (rate(${histogram}_bucket[5m])))`;
const rateBy = (counter: string, by: string): string => `sum by (${by}) (rate(${counter}[5m]))`;
const requests = 'tenantscope_http_requests_total';

const notReady = panel('Processes that are not ready', 'bool', [
  '{{process}} {{instance}}',
  '1 - min by (process, instance) (tenantscope_ready)',
]);
const watermarkLag = panel('Watermark lag', 's', [
  '{{cell}} {{feed}}',
  'max by (cell, feed) (tenantscope_settled_lag_seconds)',
]);
const unreadAge = panel('Age of the oldest unread record', 's', [
  '{{cluster}} {{topic}}',
  'max by (cluster, topic) (tenantscope_lane_unread_seconds)',
]);
const requestRate = panel('Requests', 'reqps', ['{{status}}', rateBy(requests, 'status')]);
const errorShare = panel('Share of server errors', 'percentunit', [
  '5xx',
  `sum(rate(${requests}{status=~"5.."}[5m])) / sum(rate(${requests}[5m]))`,
]);
const deadLetters = panel('Dead letters without a decision', 'short', [
  '{{cell}} {{reason}}',
  'max by (cell, reason) (tenantscope_dead_letters_pending) > 0',
]);
const snapshotsOverdue = panel('Overdue snapshots', 'short', [
  '{{cell}}',
  'max by (cell) (tenantscope_jobs_snapshots_overdue)',
]);

const overview: Dashboard = {
  name: 'overview',
  title: 'overview',
  panels: [
    notReady,
    watermarkLag,
    unreadAge,
    requestRate,
    errorShare,
    deadLetters,
    snapshotsOverdue,
    panel('Memory', 'bytes', ['{{job}} {{instance}}', 'sum by (job, instance) (process_resident_memory_bytes)']),
    panel('Event loop delay, 99th percentile', 's', [
      '{{job}} {{instance}}',
      'max by (job, instance) (nodejs_eventloop_lag_p99_seconds)',
    ]),
  ],
};

const ingest: Dashboard = {
  name: 'ingest',
  title: 'ingestion',
  panels: [
    panel('Records read', 'short', ['{{topic}}', rateBy('tenantscope_ingest_records_total', 'topic')]),
    panel('Rows written', 'short', ['{{topic}}', rateBy('tenantscope_ingest_rows_total', 'topic')]),
    panel(
      'Duplicates and conflicts',
      'short',
      ['{{topic}}', rateBy('tenantscope_ingest_duplicates_total', 'topic')],
      ['{{topic}} conflicts', rateBy('tenantscope_ingest_conflicts_total', 'topic')],
    ),
    panel('Unread records', 'short', [
      '{{cluster}} {{topic}}',
      'sum by (cluster, topic) (max by (cluster, topic, partition) (tenantscope_lane_unread_records))',
    ]),
    unreadAge,
    watermarkLag,
    panel('Lanes that are stalled, stopped or tripped', 'short', [
      '{{cluster}} {{topic}}',
      'sum by (cluster, topic) (max by (cluster, topic, partition) (tenantscope_lane_stalled))',
    ]),
    panel(
      'Dead letters written, records of closed tenants dropped',
      'short',
      ['{{topic}} {{reason}}', rateBy('tenantscope_ingest_dead_letters_total', 'topic, reason')],
      ['{{topic}} dropped', rateBy('tenantscope_ingest_dropped_records_total', 'topic')],
    ),
    deadLetters,
    panel('Tenants that an unfinished move has fenced', 'short', [
      '{{cell}}',
      'max by (cell) (tenantscope_fenced_tenants)',
    ]),
    panel(
      'Duration of a lane transaction',
      's',
      ['median', quantile(0.5, 'tenantscope_ingest_batch_duration_seconds')],
      ['99th percentile', quantile(0.99, 'tenantscope_ingest_batch_duration_seconds')],
    ),
    panel('Records per lane transaction', 'short', ['median', quantile(0.5, 'tenantscope_ingest_batch_records')]),
    panel('Runs of collectors', 'short', [
      '{{provider}} {{outcome}}',
      rateBy('tenantscope_collect_runs_total', 'provider, outcome'),
    ]),
    panel('Records of collectors', 'short', ['{{provider}}', rateBy('tenantscope_collect_records_total', 'provider')]),
  ],
};

const api: Dashboard = {
  name: 'api',
  title: 'API and console',
  panels: [
    requestRate,
    errorShare,
    panel('Requests by operation', 'reqps', ['{{operation}}', rateBy(requests, 'operation')]),
    panel(
      'Duration of requests',
      's',
      ['median', quantile(0.5, 'tenantscope_http_request_duration_seconds')],
      ['95th percentile', quantile(0.95, 'tenantscope_http_request_duration_seconds')],
      ['99th percentile', quantile(0.99, 'tenantscope_http_request_duration_seconds')],
    ),
    panel('Duration by operation, 99th percentile', 's', [
      '{{operation}}',
      quantile(0.99, 'tenantscope_http_request_duration_seconds', 'operation'),
    ]),
    panel(
      'Refused requests',
      'reqps',
      ['{{pool}} {{reason}}', rateBy('tenantscope_pool_refused_requests_total', 'pool, reason')],
      ['rate limit', 'sum(rate(tenantscope_rate_limited_requests_total[5m]))'],
      ['no valid key', 'sum(rate(tenantscope_auth_failures_total[5m]))'],
      ['too many connections', 'sum(rate(tenantscope_dropped_connections_total[5m]))'],
    ),
    panel(
      'Running and waiting requests',
      'short',
      ['{{pool}} running', 'sum by (pool) (tenantscope_pool_running_requests)'],
      ['{{pool}} waiting', 'sum by (pool) (tenantscope_pool_waiting_requests)'],
    ),
    panel('Wait for a connection, 99th percentile', 's', [
      '{{pool}}',
      quantile(0.99, 'tenantscope_pool_wait_seconds', 'pool'),
    ]),
    panel('Requests to the console', 'reqps', ['{{status}}', rateBy('tenantscope_console_requests_total', 'status')]),
    panel('Cache of the compliance status', 'reqps', [
      '{{result}}',
      rateBy('tenantscope_status_cache_lookups_total', 'result'),
    ]),
    panel('Requests of read replicas', 'reqps', [
      '{{replica}} {{result}}',
      rateBy('tenantscope_replica_requests_total', 'replica, result'),
    ]),
    panel('Lag of read replicas', 's', ['{{replica}}', 'max by (replica) (tenantscope_replica_settled_lag_seconds)']),
    panel('Available cells', 'short', ['{{cell}}', 'max by (cell) (tenantscope_cell_available)']),
    panel('Lag of standbys that may be promoted', 's', [
      '{{standby}}',
      'max by (standby) (tenantscope_standby_settled_lag_seconds * tenantscope_standby_bounding)',
    ]),
    panel(
      'Failover',
      'short',
      ['{{cell}} protected', 'min by (cell) (tenantscope_failover_protected)'],
      ['{{cell}} epoch', 'max by (cell) (tenantscope_epoch_number)'],
    ),
  ],
};

const canary: Dashboard = {
  name: 'canary',
  title: 'canary',
  panels: [
    panel('Processes with a canary', 'short', ['{{instance}}', 'max by (instance) (tenantscope_canary_enabled)']),
    panel('Rows missed', 'short', ['{{poller}}', 'sum by (poller) (increase(tenantscope_canary_missed_total[1h]))']),
    panel('Rows repeated', 'short', ['rows', 'sum(increase(tenantscope_canary_repeated_total[1h]))']),
    panel('Windows changed', 'short', ['windows', 'sum(increase(tenantscope_canary_window_changed_total[1h]))']),
    panel('Rows returned', 'reqps', ['{{instance}}', rateBy('tenantscope_canary_rows_total', 'instance')]),
    panel(
      'Time until a record is visible',
      's',
      ['median', quantile(0.5, 'tenantscope_canary_visible_seconds')],
      ['99th percentile', quantile(0.99, 'tenantscope_canary_visible_seconds')],
    ),
    panel('Failed steps', 'short', ['{{step}}', rateBy('tenantscope_canary_failures_total', 'step')]),
  ],
};

const stores: Dashboard = {
  name: 'stores',
  title: 'stores',
  panels: [
    panel('Retries because a database was unavailable', 'short', [
      '{{instance}}',
      rateBy('tenantscope_ingest_database_retries_total', 'instance'),
    ]),
    panel('Age of the oldest change that is not in the ledger', 's', [
      '{{cell}}',
      'max by (cell) (tenantscope_ledger_oldest_seconds)',
    ]),
    panel('Restore that is not finished', 'bool', ['{{cell}}', '1 - min by (cell) (tenantscope_epoch_open)']),
    panel('Saturated database', 'bool', ['{{cell}}', 'max by (cell) (tenantscope_database_saturated)']),
    panel('Log partitions ahead', 's', ['{{cell}}', 'min by (cell) (tenantscope_ingest_log_partitions_ahead_seconds)']),
    panel('Log rows without a block', 'short', [
      '{{cell}}',
      'max by (cell) (tenantscope_ingest_log_rows_without_block)',
    ]),
    panel('Log rows sealed per second', 'short', [
      '{{cell}}',
      rateBy('tenantscope_ingest_log_sealed_rows_total', 'cell'),
    ]),
    panel('Log partition that waits to be sealed', 's', [
      '{{cell}}',
      'max by (cell) (tenantscope_ingest_log_seal_lag_seconds)',
    ]),
    panel('Rate limiter without Redis', 'bool', [
      '{{instance}}',
      'max by (instance) (tenantscope_rate_limiter_degraded)',
    ]),
    panel('Processes that share the rate limits', 'short', [
      '{{instance}}',
      'max by (instance) (tenantscope_rate_limiter_instances)',
    ]),
    panel('Job queue without Redis', 'bool', [
      '{{instance}}',
      '1 - max by (instance) (tenantscope_jobs_queue_connected)',
    ]),
    panel('Jobs executed without the queue', 'short', [
      '{{instance}}',
      rateBy('tenantscope_jobs_inline_executions_total', 'instance'),
    ]),
    snapshotsOverdue,
    panel('Duration of a snapshot, 99th percentile', 's', [
      '{{trigger}}',
      quantile(0.99, 'tenantscope_jobs_snapshot_duration_seconds', 'trigger'),
    ]),
  ],
};

export const dashboards: readonly Dashboard[] = [overview, ingest, api, stores, canary];
