import { deadLetterReasons } from '@tenantscope/intake';
import type { Log, Metrics } from '@tenantscope/runtime';
import type { LanePosition } from '@tenantscope/store/ingest';
import { type LaneStatus, registerLaneMetrics } from '@tenantscope/store/lane';
import type { RejectedElement } from './activity/prepare-slice.ts';

export interface BatchCounts {
  records: number;
  rows: number;
  duplicates: number;
  /** States of providers that lost to another one of their version. */
  conflicts?: number;
  /** Alerts that log records contained. */
  alerts?: number;
  rejected: readonly RejectedElement[];
  durationMs: number;
}

type LaneLabels = Readonly<Record<'cluster' | 'topic', string> & Record<'partition', number>>;

/** Metrics of ingestion, with the log lines that belong to them, and when it last made progress. */
export interface IngestMetrics {
  recordBatch(lane: LanePosition, counts: BatchCounts): void;
  recordRetry(error: unknown, pauseMs: number): void;
  setLaneLag(lane: LaneLabels, records: number): void;
  setSettledLag(feed: string, lagMs: number): void;
  setPartitionsAhead(days: number): void;
  setRetentionPaused(isPaused: boolean): void;
  setRowsWithoutBlock(rows: number): void;
  /** Of rows, by which a partition was sealed. */
  countSealedRows(rows: number): void;
  /** How long ago the oldest partition that is not sealed could have been. */
  setSealLag(seconds: number): void;
  setLaneRunning(lane: LaneLabels, running: boolean): void;
  /** Ends the series of a lane that this process no longer reads: another one has them. */
  removeLane(lane: LaneLabels): void;
  /** Of all lanes, whichever process reads them. */
  setLanes(statuses: readonly LaneStatus[]): void;
  /** Undecided dead letters by reason. */
  setPendingDeadLetters(counts: ReadonlyMap<string, number>): void;
  setLedger(state: { readonly oldestSeconds: number; readonly hasOpenEpoch: boolean }): void;
  /** Tenants of the cell that get no new rows because of an unfinished move. */
  setFencedTenants(fenced: { readonly count: number; readonly oldestSeconds: number }): void;
  /** A batch that cannot be decoded stopped its lane. */
  recordUndecodableBatch(topic: string, codec: string): void;
  /** What was written since the last call: rows by source, and alerts that came with log rows. */
  takeWrittenCounts(): WrittenCounts;
  /** Progress is a fetch, a batch or a retry. */
  markProgress(): void;
  msSinceProgress(): number;
  /** Retries because the database is unavailable. */
  msSinceRetry(): number;
  /** Work is a batch, or a retry because the database is unavailable. */
  msSinceWork(): number;
}

export interface WrittenCounts {
  readonly rows: ReadonlyMap<string, number>;
  readonly alerts: number;
}

const retryLogIntervalMs = 60_000;
const secondsPerDay = 86_400;

/** The same metrics with the progress of one consumer alone: that another one reads must not hide that it hangs. */
export function withOwnProgress(metrics: IngestMetrics): IngestMetrics {
  let progressAtMs = performance.now();
  return {
    ...metrics,
    markProgress() {
      progressAtMs = performance.now();
      metrics.markProgress();
    },
    msSinceProgress: () => Math.min(performance.now() - progressAtMs, metrics.msSinceRetry()),
  };
}

export function createIngestMetrics(log: Log, metrics: Metrics): IngestMetrics {
  const registered = registerMetrics(metrics);
  const setPendingDeadLetters = registerPendingDeadLetters(metrics);
  registered.epochOpen.set(1);
  // Unknown until they were read: 0 would be an alert while a process waits for the database.
  registered.partitionsAhead.set(Number.NaN);
  let progressAtMs = performance.now();
  let workAtMs = performance.now();
  let retryAtMs = Number.NEGATIVE_INFINITY;
  let retryLoggedAtMs = Number.NEGATIVE_INFINITY;
  let written = { rows: new Map<string, number>(), alerts: 0 };
  const markProgress = () => {
    progressAtMs = performance.now();
  };
  const markWork = () => {
    markProgress();
    workAtMs = performance.now();
  };
  return {
    markProgress,
    msSinceProgress: () => performance.now() - progressAtMs,
    msSinceRetry: () => performance.now() - retryAtMs,
    msSinceWork: () => performance.now() - workAtMs,
    recordBatch({ topic, source }, counts) {
      markWork();
      registered.records.inc({ topic }, counts.records);
      registered.rows.inc({ topic }, counts.rows);
      written.rows.set(source, (written.rows.get(source) ?? 0) + counts.rows);
      written.alerts += counts.alerts ?? 0;
      registered.duplicates.inc({ topic }, counts.duplicates);
      registered.conflicts.inc({ topic }, counts.conflicts ?? 0);
      for (const { reason } of counts.rejected) {
        if (reason === 'TENANT_CLOSED') registered.dropped.inc({ topic });
        else registered.deadLetters.inc({ topic, reason });
      }
      registered.batchRecords.observe({ topic }, counts.records);
      registered.batchSeconds.observe({ topic }, counts.durationMs / 1_000);
      log.debug({ topic, ...counts, rejected: counts.rejected.length }, 'batch written');
    },
    recordRetry(error, pauseMs) {
      markWork();
      retryAtMs = performance.now();
      registered.retries.inc();
      // One line a minute, not one a retry.
      if (performance.now() - retryLoggedAtMs < retryLogIntervalMs) return;
      retryLoggedAtMs = performance.now();
      log.warn({ err: error, pauseMs: Math.round(pauseMs) }, 'database unavailable; retrying');
    },
    setLaneLag: (lane, count) => registered.laneLag.set(lane, count),
    setSettledLag: (feed, lagMs) => registered.settledLag.set({ feed }, lagMs / 1_000),
    setPartitionsAhead: (days) => registered.partitionsAhead.set(days * secondsPerDay),
    setRetentionPaused: (isPaused) => registered.retentionPaused.set(isPaused ? 1 : 0),
    setRowsWithoutBlock: (count) => registered.rowsWithoutBlock.set(count),
    countSealedRows: (rows) => registered.sealedRows.inc(rows),
    setSealLag: (seconds) => registered.sealLag.set(seconds),
    recordUndecodableBatch: (topic, codec) => registered.undecodableBatches.inc({ topic, codec }),
    setLanes: registerLaneMetrics(metrics),
    setPendingDeadLetters,
    setLedger({ oldestSeconds, hasOpenEpoch }) {
      registered.ledgerOldest.set(oldestSeconds);
      registered.epochOpen.set(hasOpenEpoch ? 1 : 0);
    },
    setFencedTenants({ count, oldestSeconds }) {
      registered.fencedTenants.set(count);
      registered.fencedSeconds.set(oldestSeconds);
    },
    setLaneRunning: (lane, running) => registered.laneRunning.set(lane, running ? 1 : 0),
    removeLane({ cluster, topic, partition }) {
      for (const gauge of [registered.laneLag, registered.laneRunning]) gauge.remove({ cluster, topic, partition });
    },
    takeWrittenCounts() {
      const taken = written;
      written = { rows: new Map(), alerts: 0 };
      return taken;
    },
  };
}

/** From the first count on every reason has a series: the first dead letter of a reason is an increase, and those before the process started are none. */
function registerPendingDeadLetters(metrics: Metrics): (counts: ReadonlyMap<string, number>) => void {
  const pending = metrics.gauge('tenantscope_dead_letters_pending', 'Dead letters without a decision.', ['reason']);
  return (counts) => {
    for (const reason of new Set([...deadLetterReasons, ...counts.keys()]))
      pending.set({ reason }, counts.get(reason) ?? 0);
  };
}

function registerMetrics(metrics: Metrics) {
  const laneLabels = ['cluster', 'topic', 'partition'] as const;
  return {
    records: metrics.counter('tenantscope_ingest_records_total', 'Records read from Kafka.', ['topic']),
    rows: metrics.counter('tenantscope_ingest_rows_total', 'Rows written to the read models.', ['topic']),
    duplicates: metrics.counter('tenantscope_ingest_duplicates_total', 'Records whose row already existed.', ['topic']),
    conflicts: metrics.counter(
      'tenantscope_ingest_conflicts_total',
      'Records of providers that were not stored because the stored one has their version, other content and the greater digest.',
      ['topic'],
    ),
    dropped: metrics.counter(
      'tenantscope_ingest_dropped_records_total',
      'Records of closed tenants, which are not stored.',
      ['topic'],
    ),
    deadLetters: metrics.counter('tenantscope_ingest_dead_letters_total', 'Dead letters written.', ['topic', 'reason']),
    batchRecords: metrics.histogram(
      'tenantscope_ingest_batch_records',
      'Records per lane transaction.',
      ['topic'],
      [1, 5, 10, 50, 100, 250, 500, 1_000],
    ),
    batchSeconds: metrics.histogram('tenantscope_ingest_batch_duration_seconds', 'Duration of a lane transaction.', [
      'topic',
    ]),
    laneLag: metrics.gauge(
      'tenantscope_ingest_lane_lag_records',
      'Records of a partition that are not yet read, by the process that reads it.',
      laneLabels,
    ),
    laneRunning: metrics.gauge(
      'tenantscope_ingest_lane_running',
      '1 while a lane runs, 0 while it is stopped or tripped, by the process that reads it.',
      laneLabels,
    ),
    undecodableBatches: metrics.counter(
      'tenantscope_ingest_undecodable_batches_total',
      'Batches that could not be decoded; each stopped its lane.',
      ['topic', 'codec'],
    ),
    settledLag: metrics.gauge(
      'tenantscope_settled_lag_seconds',
      'Lag of the settled watermark behind the database clock in seconds.',
      ['feed'],
    ),
    partitionsAhead: metrics.gauge(
      'tenantscope_ingest_log_partitions_ahead_seconds',
      'Time ahead of now for which log partitions exist, in whole days.',
    ),
    retentionPaused: metrics.gauge(
      'tenantscope_ingest_retention_paused',
      '1 while no row expires, since the clock of the database jumped by more than a day and has not run on for a day, else 0.',
    ),
    rowsWithoutBlock: metrics.gauge(
      'tenantscope_ingest_log_rows_without_block',
      'Rows of the log that fill blocks not yet written: filters read them one by one.',
    ),
    sealedRows: metrics.counter(
      'tenantscope_ingest_log_sealed_rows_total',
      'Rows of the log that this process sealed.',
    ),
    sealLag: metrics.gauge(
      'tenantscope_ingest_log_seal_lag_seconds',
      'Time since the oldest partition of the log that is not sealed could be sealed, 0 without one.',
    ),
    ledgerOldest: metrics.gauge(
      'tenantscope_ledger_oldest_seconds',
      'Age of the oldest entry of the ledger that is not in Kafka yet, 0 without one.',
    ),
    epochOpen: metrics.gauge(
      'tenantscope_epoch_open',
      '0 after a restore that was not finished, and for about a second after a promotion: nothing is served or written.',
    ),
    fencedTenants: metrics.gauge(
      'tenantscope_fenced_tenants',
      'Tenants of the cell that get no new rows until their moves to another cell are completed or cancelled.',
    ),
    fencedSeconds: metrics.gauge(
      'tenantscope_tenant_fenced_seconds',
      'How long a tenant of the cell has got no new rows because of an unfinished move, 0 without one.',
    ),
    retries: metrics.counter(
      'tenantscope_ingest_database_retries_total',
      'Retries because a database was unavailable.',
    ),
  };
}
