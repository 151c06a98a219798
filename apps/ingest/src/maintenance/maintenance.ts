import { setTimeout as sleep } from 'node:timers/promises';
import { feedNames } from '@tenantscope/contract';
import type { Log } from '@tenantscope/runtime';
import {
  endHungCopies,
  type Ledger,
  openEpoch,
  type PartitionCache,
  readLedgerPosition,
  readSourceLags,
  tickLanes,
  type Watermark,
} from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { FeedMetricsRecorder } from './feed-metrics.ts';

const busyTickMs = 100;
const idleTickMs = 1_000;
const partitionsIntervalMs = 60_000;
const hungCopiesIntervalMs = 5_000;
const unreadyAfterMs = 3_000;

export interface MaintenanceOptions {
  ledgers: readonly Ledger[];
  partitions: PartitionCache;
  watermark: Watermark;
  metrics: IngestMetrics;
  feedMetrics: FeedMetricsRecorder;
  /** Whether the database has the whole ledger: only then a server without an epoch is a promoted one, and not a restored one. */
  isLedgerComplete(): Promise<boolean>;
  log: Log;
}

export interface Maintenance extends AsyncDisposable {
  /** Null while lanes are ticked. */
  unreadyReason(): string | null;
}

/**
 * Advances settled time, whether Kafka responds or not: ticks the lanes, opens the epoch of a promoted server, creates partitions ahead, ends
 * connections of processes that hang. Runs in every ingest process; any number of them share the work by skipping locked lanes.
 */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { ledgers, partitions, watermark, metrics, feedMetrics, isLedgerComplete, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let tickedAtMs = performance.now();
  const reportFailure = createFailureLog(log);

  /** What is done once a second: epochs are opened, lags are read before the tick. */
  const prepareTick = async () => {
    for (const ledger of ledgers) {
      if ((await readLedgerPosition(ledger)).needsEpoch && (await isLedgerComplete()) && (await openEpoch(ledger)))
        log.info({ schema: ledger.schema }, 'epoch opened; after a promotion lanes continue above all served stamps');
      if (ledger.schema === 'models') feedMetrics.record(await readSourceLags(ledger));
    }
  };
  const reportLag = () => {
    for (const feed of feedNames) {
      const settled = watermark.settled(feed);
      if (settled) metrics.setSettledLag(feed, settled.databaseNowMs - settled.throughMs);
    }
  };
  const tickUntilStopped = async () => {
    let isWritten = false;
    let preparedAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      try {
        const isDue = performance.now() - preparedAtMs >= idleTickMs;
        if (isDue) {
          preparedAtMs = performance.now();
          await prepareTick();
        }
        // Only what is read by feeds ticks more often than once a second.
        const ticked = ledgers.filter(({ schema }) => isDue || schema === 'models');
        const written = await Promise.all(ticked.map(tickLanes));
        isWritten = written.some(Boolean);
        reportLag();
        tickedAtMs = performance.now();
        reportFailure(null);
      } catch (error) {
        reportFailure(error);
      }
      await sleep(isWritten ? busyTickMs : idleTickMs, undefined, { signal }).catch(() => {});
    }
  };
  const reportPartitions = () => {
    metrics.setPartitionsAhead(partitions.aheadDays());
    metrics.setRetentionPaused(partitions.isRetentionPaused());
  };
  const partitionTimer = setInterval(() => {
    partitions
      .refresh()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'creating partitions or deleting expired rows failed; retrying in 60 s'),
      )
      .finally(reportPartitions);
  }, partitionsIntervalMs);
  const hungCopiesTimer = setInterval(() => {
    for (const pool of new Set(ledgers.map((ledger) => ledger.pool)))
      endHungCopies(pool).then(
        (ended) => {
          if (ended > 0) log.warn({ connections: ended }, 'ended connections of a hung process');
        },
        (error: unknown) => log.debug({ err: error }, 'looking for hung connections failed; retrying in 5 s'),
      );
  }, hungCopiesIntervalMs);
  reportPartitions();
  const ticking = tickUntilStopped();
  const unreadyReason = () => {
    const sinceMs = performance.now() - tickedAtMs;
    return sinceMs < unreadyAfterMs ? null : `database unavailable for ${Math.round(sinceMs / 1_000)} s`;
  };
  return {
    unreadyReason,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      clearInterval(partitionTimer);
      clearInterval(hungCopiesTimer);
      await ticking;
      if (unreadyReason() === null) await feedMetrics.flush();
    },
  };
}

/** Logs one line when failures begin and one when they end. */
function createFailureLog(log: Log): (error: unknown) => void {
  let isFailing = false;
  return (error) => {
    if (error !== null && !isFailing) log.warn({ err: error }, 'ticking lanes failed; retrying every second');
    if (error === null && isFailing) log.info('ticking lanes resumed');
    isFailing = error !== null;
  };
}
