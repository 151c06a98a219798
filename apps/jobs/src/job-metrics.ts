import type { Log, Metrics } from '@tenantscope/runtime';
import { registerLaneMetrics } from '@tenantscope/store/lane';
import type { SnapshotRow } from '@tenantscope/store/snapshots';
import { registerCanaryMetrics } from './canary/canary-metrics.ts';
import type { SnapshotTrigger } from './take-snapshot.ts';

/** Metrics of the jobs process, with the log lines that belong to them. */
export type JobMetrics = ReturnType<typeof createJobMetrics>;

const warningIntervalMs = 60_000;

export function createJobMetrics(log: Log, metrics: Metrics) {
  const taken = metrics.counter('tenantscope_jobs_snapshots_taken_total', 'Snapshots taken.', ['trigger', 'late']);
  const failures = metrics.counter('tenantscope_jobs_snapshot_failures_total', 'Failed attempts to take a snapshot.', [
    'trigger',
  ]);
  const duration = metrics.histogram(
    'tenantscope_jobs_snapshot_duration_seconds',
    'Time to evaluate and write a snapshot.',
    ['trigger'],
  );
  const overdue = metrics.gauge(
    'tenantscope_jobs_snapshots_overdue',
    'Scheduled snapshots that are due and not taken.',
  );
  const maxOverdue = metrics.gauge(
    'tenantscope_jobs_snapshot_overdue_max_seconds',
    'Time since the oldest overdue snapshot was due, as seen by this process.',
  );
  const inline = metrics.counter(
    'tenantscope_jobs_inline_executions_total',
    'Jobs executed inline because the queue was overdue.',
  );
  const receipts = metrics.counter('tenantscope_jobs_log_receipts_total', 'Receipts of the log written.');
  const receiptDue = metrics.gauge(
    'tenantscope_jobs_log_receipt_due_timestamp_seconds',
    'End of the oldest complete day without a receipt, as Unix time; 0 if every such day has one.',
  );
  const queueConnected = metrics.gauge('tenantscope_jobs_queue_connected', '1 while connected to Redis, else 0.');
  const redisEvicts = metrics.gauge(
    'tenantscope_jobs_redis_evicts',
    '1 if Redis may evict jobs (maxmemory-policy), else 0.',
  );
  const signingKeyConfigured = metrics.gauge(
    'tenantscope_signing_key_configured',
    '1 if evidence packs or snapshots are signed, 0 if no signing key is configured.',
  );
  const canary = registerCanaryMetrics(metrics);
  for (const trigger of ['scheduled', 'manual']) failures.inc({ trigger }, 0);
  const warnedAtMs = new Map<string, number>();

  /** False if the same warning was logged within the last minute. */
  const isWarningDue = (warning: string): boolean => {
    const now = performance.now();
    const before = warnedAtMs.get(warning);
    if (before !== undefined && now - before < warningIntervalMs) return false;
    warnedAtMs.set(warning, now);
    return true;
  };

  return {
    canary,
    recordSnapshot(tenantId: string, snapshot: SnapshotRow, durationMs: number) {
      const { id, trigger, period, late, takenAt, takenBy, sha256, signature } = snapshot;
      taken.inc({ trigger, late: String(late) });
      duration.observe({ trigger }, durationMs / 1_000);
      // With its digest: a chain can be compared with a log that no user of the database can change.
      log.info(
        { tenantId, snapshotId: id, trigger, period, late, takenAt, takenBy, sha256, signature },
        'snapshot taken',
      );
    },
    recordFailure(tenantId: string, trigger: SnapshotTrigger, error: unknown) {
      failures.inc({ trigger: trigger.kind === 'period' ? 'scheduled' : 'manual' });
      log.error({ tenantId, trigger, err: error }, 'taking a snapshot failed');
    },
    recordReceipt: () => receipts.inc(),
    setReceiptDue: (dayEndMs: number | null) => receiptDue.set((dayEndMs ?? 0) / 1_000),
    setOverdue(count: number, maxOverdueMs: number) {
      overdue.set(count);
      maxOverdue.set(maxOverdueMs / 1_000);
    },
    recordInlineExecution(fields: Record<string, unknown>) {
      inline.inc();
      log.warn(fields, 'queue overdue; executing inline');
    },
    /** Of all lanes, where this process measures them. */
    setLanes: registerLaneMetrics(metrics),
    setSigningKeyConfigured: (configured: boolean) => signingKeyConfigured.set(configured ? 1 : 0),
    setQueueConnected(connected: boolean) {
      queueConnected.set(connected ? 1 : 0);
    },
    setEvictionPolicy(policy: string | null) {
      redisEvicts.set(policy === null ? 0 : 1);
      if (policy !== null) log.error({ policy }, formatEvictionError(policy));
    },
    /** Logs a warning at most once a minute. */
    warn(message: string, error: unknown, reason?: string) {
      if (!isWarningDue(`${message}: ${(error as Error | null)?.message}`)) return;
      log.warn({ err: error, ...(reason === undefined ? {} : { reason }) }, message);
    },
  };
}

export const formatEvictionError = (policy: string): string =>
  `Redis may evict jobs (maxmemory-policy ${policy}). Set maxmemory-policy to noeviction, or set TENANTSCOPE_REDIS_URL to another Redis.`;
