import type { Log, Metrics } from '@tenantscope/runtime';
import type { SnapshotRow } from '@tenantscope/store';
import type { Occasion } from './take-snapshot.ts';

/** What happens, told to the log and counted. */
export type Observed = ReturnType<typeof observe>;

const sameTroubleMs = 60_000;

export function observe(log: Log, metrics: Metrics) {
  const taken = metrics.counter('snapshots_taken_total', 'Snapshots taken.', ['trigger', 'late']);
  const failures = metrics.counter('snapshot_failures_total', 'Attempts to take a snapshot that failed.', ['trigger']);
  const duration = metrics.histogram('snapshot_duration_seconds', 'Evaluating and writing one snapshot.', ['trigger']);
  const overdue = metrics.gauge('snapshots_overdue', 'Scheduled snapshots that are due and not taken.');
  const overdueFor = metrics.gauge(
    'snapshot_overdue_seconds',
    'For how long the longest of them is due, seen by this process.',
  );
  const direct = metrics.counter(
    'snapshot_direct_total',
    'Work done without the queue, which had not brought it about in time.',
  );
  const queueReady = metrics.gauge('queue_ready', 'Whether Redis takes work: 1 or 0.');
  const evicts = metrics.gauge('queue_store_evicts', 'Whether Redis may evict what it was given: 1 or 0.');
  const told = new Map<string, number>();

  /** The same trouble again within a minute is counted, not told. */
  const isNew = (trouble: string): boolean => {
    const now = performance.now();
    const before = told.get(trouble);
    if (before !== undefined && now - before < sameTroubleMs) return false;
    told.set(trouble, now);
    return true;
  };

  return {
    taken(
      tenantId: string,
      { id, trigger, period, late, takenAt, takenBy, sha256, signature }: SnapshotRow,
      tookMs: number,
    ) {
      taken.inc({ trigger, late: String(late) });
      duration.observe({ trigger }, tookMs / 1_000);
      // The digest stands here too, so that a chain can be held against a log that nobody who changes the database can change.
      log.info(
        { tenantId, snapshotId: id, trigger, period, late, takenAt, takenBy, sha256, signature },
        'snapshot taken',
      );
    },
    failed(tenantId: string, occasion: Occasion, error: unknown) {
      failures.inc({ trigger: occasion.kind === 'period' ? 'scheduled' : 'manual' });
      log.error({ tenantId, occasion, err: error }, 'a snapshot could not be taken');
    },
    overdue(count: number, longestMs: number) {
      overdue.set(count);
      overdueFor.set(longestMs / 1_000);
    },
    direct(what: Record<string, unknown>) {
      direct.inc();
      log.warn(what, 'done without the queue, which did not bring it about in time');
    },
    queueReady(ready: boolean) {
      queueReady.set(ready ? 1 : 0);
    },
    evicts(policy: string | null) {
      evicts.set(policy === null ? 0 : 1);
      if (policy !== null) log.error({ policy }, evictionWords(policy));
    },
    trouble(what: string, error: unknown) {
      if (isNew(`${what}: ${(error as Error | null)?.message}`)) log.warn({ err: error }, what);
    },
  };
}

export const evictionWords = (policy: string): string =>
  `Redis may evict work (maxmemory-policy ${policy}). Set maxmemory-policy to noeviction, or name another Redis by TENANTSCOPE_REDIS_URL.`;
