import type { Metrics } from '@tenantscope/runtime';
import { canaryPollers } from './comparison.ts';

export type CanaryMetrics = ReturnType<typeof registerCanaryMetrics>;

/** Registered whether a canary runs or not, as every metric of the process. */
export function registerCanaryMetrics(metrics: Metrics) {
  const registered = {
    enabled: metrics.gauge(
      'tenantscope_canary_enabled',
      '1 if this process writes and polls the canary tenant, else 0.',
    ),
    missed: metrics.counter(
      'tenantscope_canary_missed_total',
      'Rows of the canary tenant that a poller should have received and did not.',
      ['poller'],
    ),
    repeated: metrics.counter(
      'tenantscope_canary_repeated_total',
      'Rows of the canary tenant that a cursor returned more than once.',
    ),
    windowChanged: metrics.counter(
      'tenantscope_canary_window_changed_total',
      'Closed windows of the canary tenant whose rows were others when they were read again.',
    ),
    rows: metrics.counter('tenantscope_canary_rows_total', 'Rows of the canary tenant that the cursor returned.'),
    visible: metrics.histogram(
      'tenantscope_canary_visible_seconds',
      'Time from sending a record of the canary to its row in a response.',
      [],
      [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    ),
    failures: metrics.counter(
      'tenantscope_canary_failures_total',
      'Failed attempts to write or to poll, which are repeated.',
      ['step'],
    ),
  };
  for (const poller of canaryPollers) registered.missed.inc({ poller }, 0);
  return registered;
}
