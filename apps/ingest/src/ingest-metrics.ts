import type { Log, Metrics } from '@tenantscope/runtime';
import type { LanePosition } from '@tenantscope/store/ingest';
import type { RejectedElement } from './activity/prepare-slice.ts';

export interface BatchCounts {
  records: number;
  rows: number;
  duplicates: number;
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
  setRowsWithoutBlock(rows: number): void;
  setLaneRunning(lane: LaneLabels, running: boolean): void;
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
  const records = metrics.counter('ingest_records_total', 'Records read from Kafka.', ['topic']);
  const rows = metrics.counter('ingest_rows_total', 'Rows written to the read models.', ['topic']);
  const duplicates = metrics.counter('ingest_duplicates_total', 'Records whose row already existed.', ['topic']);
  const deadLetters = metrics.counter('ingest_dead_letters_total', 'Dead letters written.', ['topic', 'reason']);
  const batchRecords = metrics.histogram(
    'ingest_batch_records',
    'Records per lane transaction.',
    ['topic'],
    [1, 5, 10, 50, 100, 250, 500, 1_000],
  );
  const batchSeconds = metrics.histogram('ingest_batch_duration_seconds', 'Duration of a lane transaction.', ['topic']);
  const laneLabels = ['cluster', 'topic', 'partition'] as const;
  const laneLag = metrics.gauge('ingest_lane_lag_records', 'Records of a partition that are not yet read.', laneLabels);
  const laneRunning = metrics.gauge('ingest_lane_running', '1 while a lane runs, 0 while it is stalled.', laneLabels);
  const undecodableBatches = metrics.counter(
    'ingest_undecodable_batches_total',
    'Batches that could not be decoded; each stopped its lane.',
    ['topic', 'codec'],
  );
  const settledLag = metrics.gauge('settled_lag_seconds', 'Lag of the settled watermark of a feed.', ['feed']);
  const partitionsAhead = metrics.gauge('ingest_log_partitions_ahead_days', 'Days ahead with log partitions.');
  const rowsWithoutBlock = metrics.gauge(
    'ingest_log_rows_without_block',
    'Rows of the log that fill blocks not yet written: filters read them one by one.',
  );
  const retries = metrics.counter('ingest_database_retries_total', 'Retries because a database was unavailable.');
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
      records.inc({ topic }, counts.records);
      rows.inc({ topic }, counts.rows);
      written.rows.set(source, (written.rows.get(source) ?? 0) + counts.rows);
      written.alerts += counts.alerts ?? 0;
      duplicates.inc({ topic }, counts.duplicates);
      for (const { reason } of counts.rejected) deadLetters.inc({ topic, reason });
      batchRecords.observe({ topic }, counts.records);
      batchSeconds.observe({ topic }, counts.durationMs / 1_000);
      log.debug({ topic, ...counts, rejected: counts.rejected.length }, 'batch written');
    },
    recordRetry(error, pauseMs) {
      markWork();
      retryAtMs = performance.now();
      retries.inc();
      // One line a minute, not one a retry.
      if (performance.now() - retryLoggedAtMs < retryLogIntervalMs) return;
      retryLoggedAtMs = performance.now();
      log.warn({ err: error, pauseMs: Math.round(pauseMs) }, 'database unavailable; retrying');
    },
    setLaneLag: (lane, count) => laneLag.set(lane, count),
    setSettledLag: (feed, lagMs) => settledLag.set({ feed }, lagMs / 1_000),
    setPartitionsAhead: (days) => partitionsAhead.set(days),
    setRowsWithoutBlock: (count) => rowsWithoutBlock.set(count),
    recordUndecodableBatch: (topic, codec) => undecodableBatches.inc({ topic, codec }),
    setLaneRunning: (lane, running) => laneRunning.set(lane, running ? 1 : 0),
    takeWrittenCounts() {
      const taken = written;
      written = { rows: new Map(), alerts: 0 };
      return taken;
    },
  };
}
