import { wholeMessage } from '@tenantscope/intake';
import { withConnection } from '@tenantscope/store/connection';
import {
  type ImportedLogs,
  type Ledger,
  type LogMerging,
  type PartitionCache,
  type PreparedRows,
  writeLogBatch,
} from '@tenantscope/store/ingest';
import { collectSettledReplays, createDeadLetter, isStored } from '../dead-letter/dead-letter.ts';
import { readImportHeader } from '../dead-letter/import-header.ts';
import { readReplayedElement } from '../dead-letter/replay-headers.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { bisectSlice, writeHalves } from '../lane/bisect-slice.ts';
import { type BreakerStart, createBreaker } from '../lane/breaker.ts';
import type { LaneProcessor, Slice } from '../lane/lane-pipeline.ts';
import { repeatWrite, SliceTimedOut, type WriteOutcome } from '../lane/lane-write.ts';
import { isDataError } from '../retry.ts';
import type { TenantCache } from '../tenant/tenant-cache.ts';
import { prepareAfterMove, prepareWithTenantRefresh, type WithMoves } from '../tenant/tenant-refresh.ts';
import { createEmptySlice, type PreparedSlice } from './prepare-slice.ts';
import type { PrincipalLoader } from './principal-loader.ts';

export interface ActivityProcessorOptions {
  ledger: Ledger;
  partitions: PartitionCache;
  merging: LogMerging;
  principals: PrincipalLoader;
  tenants: TenantCache;
  metrics: IngestMetrics;
}

/** Processes lanes of raw activity: provider records become log rows or dead letters. */
export function createActivityProcessor(
  options: ActivityProcessorOptions,
  start: BreakerStart,
): LaneProcessor<WithMoves<PreparedSlice>> {
  const breaker = createBreaker(start);
  return {
    evaluateBreaker: (prepared) => breaker.evaluate(prepared.outcomes, prepared.rejected),
    prepare: (records) => prepareWithTenantRefresh(options, options.principals.prepare, records),
    write: (slice, isActive) => writeSlice(options, slice, isActive),
  };
}

async function writeSlice(
  options: ActivityProcessorOptions,
  slice: Slice<WithMoves<PreparedSlice>>,
  isActive: () => boolean,
): Promise<WriteOutcome> {
  const { ledger, partitions, merging, metrics } = options;
  const { prepared, records, lane } = slice;
  const prepare = (some: readonly KafkaRecord[]) => prepareWithTenantRefresh(options, options.principals.prepare, some);
  const write = (half: Slice<WithMoves<PreparedSlice>>) => writeSlice(options, half, isActive);
  if (prepared.isTooLarge) return writeHalves(slice, { prepare, write });
  const batch = {
    lane,
    fromOffset: slice.fromOffset,
    toOffset: slice.toOffset,
    rows: prepared.rows,
    alerts: prepared.alerts,
    deadLetters: prepared.rejected
      .filter(isStored)
      .map((rejected) => createDeadLetter(lane, records[rejected.record] as KafkaRecord, rejected)),
    settledReplays: collectSettledReplays(records, prepared.rejected),
    imported: collectImported(records, prepared),
    movesVersion: prepared.movesVersion,
  };
  const startedAtMs = performance.now();
  try {
    const outcome = await repeatWrite(
      lane.partition,
      { metrics, isDivisible: records.length > 1, isActive },
      async () => {
        const result = await withConnection(ledger.pool, (client) =>
          writeLogBatch(client, ledger, partitions, merging, batch),
        );
        return result.kind === 'again' ? 'again' : result;
      },
    );
    if (outcome === null) return 'abandoned';
    if (outcome.kind === 'fenced') return 'fenced';
    if (outcome.kind === 'moved') {
      const again = await prepareAfterMove(options, () => prepare(records), isActive);
      return write({ ...slice, prepared: again });
    }
    metrics.recordBatch(lane, {
      records: records.length,
      rows: outcome.inserted,
      duplicates: outcome.duplicates,
      alerts: outcome.alerts,
      rejected: prepared.rejected,
      durationMs: performance.now() - startedAtMs,
    });
    return 'written';
  } catch (error) {
    if (error instanceof SliceTimedOut) return writeHalves(slice, { prepare, write });
    // Without rows it is a dead letter that the server rejected: there is nothing smaller to store.
    if (!isDataError(error) || prepared.rows.ordinals.length === 0) throw error;
    return bisectSlice(slice, {
      prepare,
      write,
      reject: (single) => rejectRecord(single, error),
    });
  }
}

/** The messages of imports, with the rows and dead letters of each. Nearly all slices have none. */
function collectImported(records: readonly KafkaRecord[], { recordOfRow, rejected }: PreparedSlice): ImportedLogs[] {
  const found = new Map<number, ImportedLogs>();
  records.forEach((record, index) => {
    const header = readImportHeader(record);
    if (header !== null) found.set(index, { ...header, ordinals: [], deadLetters: [] });
  });
  if (found.size === 0) return [];
  recordOfRow.forEach((record, ordinal) => {
    found.get(record)?.ordinals.push(ordinal);
  });
  for (const { record, reason } of rejected) found.get(record)?.deadLetters.push(reason);
  return [...found.values()];
}

/** Dead-letters the whole message with all its rows: which of them the server rejected is unknown. */
function rejectRecord(slice: Slice<WithMoves<PreparedSlice>>, error: unknown): WithMoves<PreparedSlice> {
  const code = (error as { code?: string }).code ?? 'unknown';
  const rejected = {
    record: 0,
    element: readReplayedElement(slice.records[0] as KafkaRecord) ?? wholeMessage,
    tenantId: readFirstTenantId(slice.prepared.rows),
    reason: 'PROJECTION_REJECTED',
    stage: 'project',
    detail: `the database rejected the projected row: SQLSTATE ${code}`,
    format: slice.prepared.rejected[0]?.format ?? null,
  };
  const { movesVersion } = slice.prepared;
  return { ...createEmptySlice(), rejected: [rejected], outcomes: Uint8Array.of(0), movesVersion };
}

/** One message has one tenant. */
const readFirstTenantId = ({ sources }: PreparedRows): string | null => sources[0]?.tenantId ?? null;
