import { type FeedName, findFeedByTopic } from '@tenantscope/contract';
import type { Log } from '@tenantscope/runtime';
import {
  computeFeedLags,
  deleteOldFeedMinutes,
  type FeedSample,
  type Ledger,
  recordFeedMinute,
  type SourceLag,
} from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';

const flushIntervalMs = 10_000;
const pruneIntervalMs = 3_600_000;

/** Stores the lag and the written rows of each feed by the minute, for the console. */
export interface FeedMetricsRecorder {
  /** Adds a sample of the sources and flushes every ten seconds, without delaying the caller. */
  record(sources: readonly SourceLag[]): void;
  flush(): Promise<void>;
}

interface RecorderOptions {
  readonly models: Ledger;
  readonly metrics: Pick<IngestMetrics, 'takeWrittenCounts'>;
  readonly log: Log;
}

/** Samples that cannot be written are merged with later ones and written with them. */
export function createFeedMetricsRecorder({ models, metrics, log }: RecorderOptions): FeedMetricsRecorder {
  let lags = new Map<FeedName, number>();
  let rows = new Map<FeedName, number>();
  // The first sample is written at once: it has the lag that had built up before this process started.
  let flushedAtMs = Number.NEGATIVE_INFINITY;
  let prunedAtMs = Number.NEGATIVE_INFINITY;
  let flushing: Promise<void> | null = null;

  const addRows = (feed: FeedName | null, count: number) => {
    if (feed !== null && count > 0) rows.set(feed, (rows.get(feed) ?? 0) + count);
  };
  const addLags = (samples: ReadonlyMap<FeedName, number>) => {
    for (const [feed, lagMs] of samples) lags.set(feed, Math.max(lags.get(feed) ?? 0, lagMs));
  };
  const write = async () => {
    const written = metrics.takeWrittenCounts();
    for (const [source, count] of written.rows) addRows(findFeedByTopic(source), count);
    addRows('securityAlerts', written.alerts);
    const [lagsNow, rowsNow] = [lags, rows];
    [lags, rows] = [new Map(), new Map()];
    const feeds = [...new Set([...lagsNow.keys(), ...rowsNow.keys()])];
    try {
      await recordFeedMinute(
        models,
        feeds.map((feed): FeedSample => ({ feed, lagMs: lagsNow.get(feed) ?? 0, rows: rowsNow.get(feed) ?? 0 })),
      );
    } catch (error) {
      addLags(lagsNow);
      for (const [feed, count] of rowsNow) addRows(feed, count);
      log.debug({ err: error }, 'writing feed_minute failed; retrying with the next sample');
    }
  };
  const prune = () => {
    if (performance.now() - prunedAtMs < pruneIntervalMs) return;
    prunedAtMs = performance.now();
    deleteOldFeedMinutes(models).catch((error: unknown) =>
      log.debug({ err: error }, 'pruning feed_minute failed; retrying in an hour'),
    );
  };
  const flush = async () => {
    flushing ??= write().finally(() => {
      flushing = null;
    });
    await flushing;
  };
  return {
    flush,
    record(sources) {
      addLags(computeFeedLags(new Map(sources.map(({ source, lagMs }) => [source, lagMs]))));
      if (performance.now() - flushedAtMs < flushIntervalMs) return;
      flushedAtMs = performance.now();
      void flush();
      prune();
    },
  };
}
