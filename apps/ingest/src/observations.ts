import type { Log, Metrics } from '@tenantscope/runtime';
import type { LaneStanding } from '@tenantscope/store';
import type { Rejected } from './prepare.ts';

export interface BatchFigures {
  records: number;
  rows: number;
  duplicates: number;
  /** Alerts that log records brought. */
  alerts?: number;
  rejected: readonly Rejected[];
  durationMs: number;
}

/** What ingestion tells about itself: metrics, few lines of log, and when it last moved. */
export interface Observations {
  batch(lane: LaneStanding, figures: BatchFigures): void;
  waiting(error: unknown, pauseMs: number): void;
  behind(topic: string, partition: number, records: number): void;
  settledLag(feed: string, lagMs: number): void;
  partitionsAhead(days: number): void;
  laneState(topic: string, partition: number, running: boolean): void;
  /** What was written since this was last asked: rows by topic, and alerts that came with log rows. */
  takeWritten(): Written;
  /** Something moved: a fetch, a batch, an attempt. */
  moved(): void;
  /** Milliseconds since something moved. */
  stillMs(): number;
}

export interface Written {
  readonly rows: ReadonlyMap<string, number>;
  readonly alerts: number;
}

const repeatMs = 60_000;

export function observe(log: Log, metrics: Metrics): Observations {
  const records = metrics.counter('ingest_records_total', 'Records read from Kafka.', ['topic']);
  const rows = metrics.counter('ingest_rows_total', 'Rows written to the read models.', ['topic']);
  const duplicates = metrics.counter('ingest_duplicates_total', 'Records whose row existed already.', ['topic']);
  const letters = metrics.counter('dead_letters_total', 'Records set aside.', ['topic', 'reason']);
  const batchRecords = metrics.histogram(
    'ingest_batch_records',
    'Records of one lane transaction.',
    ['topic'],
    [1, 5, 10, 50, 100, 250, 500, 1_000],
  );
  const batchSeconds = metrics.histogram('ingest_batch_duration_seconds', 'Time of one lane transaction.', ['topic']);
  const laneLag = metrics.gauge('ingest_lane_lag_records', 'Records of a partition that are not yet rows.', [
    'topic',
    'partition',
  ]);
  const laneRunning = metrics.gauge('ingest_lane_running', '0: the lane stands still and needs somebody.', [
    'topic',
    'partition',
  ]);
  const settled = metrics.gauge(
    'settled_lag_seconds',
    'How far the settled watermark of a feed lies behind the clock.',
    ['feed'],
  );
  const ahead = metrics.gauge('log_partitions_ahead_days', 'Days of log partitions that lie ahead.');
  const retries = metrics.counter('ingest_store_retries_total', 'Attempts repeated because a store did not take part.');
  let movedAt = performance.now();
  let saidAt = Number.NEGATIVE_INFINITY;
  let written = { rows: new Map<string, number>(), alerts: 0 };
  const moved = () => {
    movedAt = performance.now();
  };
  return {
    moved,
    stillMs: () => performance.now() - movedAt,
    batch({ topic }, figures) {
      moved();
      records.inc({ topic }, figures.records);
      rows.inc({ topic }, figures.rows);
      written.rows.set(topic, (written.rows.get(topic) ?? 0) + figures.rows);
      written.alerts += figures.alerts ?? 0;
      duplicates.inc({ topic }, figures.duplicates);
      for (const { reason } of figures.rejected) letters.inc({ topic, reason });
      batchRecords.observe({ topic }, figures.records);
      batchSeconds.observe({ topic }, figures.durationMs / 1_000);
      log.debug({ topic, ...figures, rejected: figures.rejected.length }, 'batch written');
    },
    waiting(error, pauseMs) {
      moved();
      retries.inc();
      // One line a minute, not one an attempt.
      if (performance.now() - saidAt < repeatMs) return;
      saidAt = performance.now();
      log.warn({ err: error, pauseMs: Math.round(pauseMs) }, 'a store does not take part; trying again until it does');
    },
    behind: (topic, partition, count) => laneLag.set({ topic, partition }, count),
    settledLag: (feed, lagMs) => settled.set({ feed }, lagMs / 1_000),
    partitionsAhead: (days) => ahead.set(days),
    laneState: (topic, partition, running) => laneRunning.set({ topic, partition }, running ? 1 : 0),
    takeWritten() {
      const taken = written;
      written = { rows: new Map(), alerts: 0 };
      return taken;
    },
  };
}
