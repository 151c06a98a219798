import type { RecordTopicName } from '@tenantscope/contract';
import { findProviderTenant, readRecords, wholeMessage } from '@tenantscope/intake';
import {
  countImported,
  type Ledger,
  type PartCache,
  type StateOutcome,
  spreadStamps,
  sumProgress,
  writeProgress,
} from '@tenantscope/store/ingest';
import type { RejectedElement } from '../activity/prepare-slice.ts';
import { collectSettledReplays, createDeadLetter, isStored } from '../dead-letter/dead-letter.ts';
import { collectImported, type ElementOutcome } from '../dead-letter/import-header.ts';
import { readReplayedElement } from '../dead-letter/replay-headers.ts';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { toMessage } from '../kafka/packed-records.ts';
import { bisectSlice, writeHalves } from '../lane/bisect-slice.ts';
import { type BreakerStart, createBreaker } from '../lane/breaker.ts';
import type { LaneProcessor, Slice } from '../lane/lane-pipeline.ts';
import { SliceTimedOut, type WriteOutcome, writeStep } from '../lane/lane-write.ts';
import { decompressedBytesMax, elementsMax } from '../lane/slice-size.ts';
import { isDataError } from '../retry.ts';
import type { TenantCache } from '../tenant/tenant-cache.ts';
import { prepareAfterMove, prepareWithTenantRefresh, type WithMoves } from '../tenant/tenant-refresh.ts';
import { type AppliedChanges, applyChanges, type Change, readTenantId } from './apply-changes.ts';

export interface RecordProcessorOptions {
  topic: RecordTopicName;
  /** Whether a record that conflicts with the stored version is dead-lettered, as on first-party topics, or only stale, as on providers'. */
  deadLetterConflicts: boolean;
  /** One of the process: several lanes may bring parts of one entity. */
  parts: PartCache;
  ledger: Ledger;
  tenants: TenantCache;
  metrics: IngestMetrics;
  maxRecordBytes: number;
}

export interface PreparedChanges {
  changes: Change[];
  rejected: RejectedElement[];
  /** Every outcome in the order of the log: 1 is a change, 0 was rejected. */
  outcomes: Uint8Array;
  /** Its records are longer than a slice's may be when decompressed, or have more elements: nothing was prepared. */
  isTooLarge: boolean;
}

/** Processes lanes of mutable records: states that newer versions replace, deletions, and dead letters. */
export function createRecordProcessor(
  options: RecordProcessorOptions,
  start: BreakerStart,
): LaneProcessor<WithMoves<PreparedChanges>> {
  const breaker = createBreaker(start);
  const prepare = (records: readonly KafkaRecord[]) =>
    prepareWithTenantRefresh(options, async (some) => readChanges(options, some), records);
  const write = async (slice: Slice<WithMoves<PreparedChanges>>, isActive: () => boolean): Promise<WriteOutcome> => {
    const writeHalf = (half: Slice<WithMoves<PreparedChanges>>) => write(half, isActive);
    if (slice.prepared.isTooLarge) return writeHalves(slice, { prepare, write: writeHalf });
    try {
      const outcome = await writeChanges(options, slice, isActive);
      if (outcome !== 'moved') return outcome;
      const prepared = await prepareAfterMove(options, () => prepare(slice.records), isActive);
      return await write({ ...slice, prepared }, isActive);
    } catch (error) {
      if (error instanceof SliceTimedOut) return writeHalves(slice, { prepare, write: writeHalf });
      if (!isDataError(error) || slice.prepared.changes.length === 0) throw error;
      return bisectSlice(slice, {
        prepare,
        write: writeHalf,
        reject: (single) => rejectRecord(single, error),
      });
    }
  };
  return { prepare, write, evaluateBreaker: ({ outcomes, rejected }) => breaker.evaluate(outcomes, rejected) };
}

function readChanges(
  { topic, tenants, maxRecordBytes }: RecordProcessorOptions,
  records: readonly KafkaRecord[],
): PreparedChanges {
  const current = tenants.current();
  const prepared: PreparedChanges = { changes: [], rejected: [], outcomes: new Uint8Array(0), isTooLarge: false };
  const outcomes: number[] = [];
  let bytes = 0;
  const countBytes = (more: number) => {
    bytes += more;
  };
  for (const [record, message] of records.entries()) {
    if (bytes > decompressedBytesMax || outcomes.length > elementsMax)
      return { changes: [], rejected: [], outcomes: new Uint8Array(0), isTooLarge: true };
    const context = {
      findTenant: (tenantId: string) => current.get(tenantId),
      findProviderTenant: (providerId: string) => findProviderTenant(current, providerId),
      nowMs: Date.now(),
      maxValueBytes: maxRecordBytes,
      onlyElement: readReplayedElement(message),
      producedAtMs: message.producedAtMs,
      countBytes,
    };
    for (const outcome of readRecords(topic, toMessage(message), context)) {
      outcomes.push(outcome.kind === 'rejected' ? 0 : 1);
      if (outcome.kind === 'rejected') prepared.rejected.push({ ...outcome, record });
      else prepared.changes.push({ ...outcome, record });
    }
  }
  return { ...prepared, outcomes: Uint8Array.from(outcomes) };
}

async function writeChanges(
  { ledger, metrics, deadLetterConflicts, parts }: RecordProcessorOptions,
  slice: Slice<WithMoves<PreparedChanges>>,
  isActive: () => boolean,
): Promise<WriteOutcome | 'moved'> {
  const { lane, fromOffset, toOffset, records, prepared } = slice;
  const { changes } = prepared;
  const startedAtMs = performance.now();
  let outcomes: StateOutcome[] = [];
  let rejected: RejectedElement[] = [];
  const settledReplays = collectSettledReplays(records, prepared.rejected);
  const outcome = await writeStep(
    ledger,
    { metrics, isDivisible: records.length > 1, isActive },
    { lane, fromOffset, toOffset, settledReplays, movesVersion: prepared.movesVersion },
    async (client, advance) => {
      const stampMs = spreadStamps(changes.length, advance);
      const stampAt = (index: number) => new Date(stampMs(index)).toISOString();
      const applied = await applyChanges(client, changes, { deadLetterConflicts, parts, stampAt });
      await writeProgress(client, lane, sumProgress(applied.progress));
      outcomes = applied.outcomes;
      rejected = [...prepared.rejected, ...applied.rejected];
      await countImported(client, lane, collectImported(records, listOutcomes(changes, applied), rejected));
      return rejected.filter(isStored).map((each) => createDeadLetter(lane, records[each.record] as KafkaRecord, each));
    },
  );
  if (outcome !== 'written') return outcome;
  metrics.recordBatch(lane, {
    records: records.length,
    rows: outcomes.filter((each) => each === 'applied').length,
    duplicates: outcomes.filter((each) => each === 'same' || each === 'stale').length,
    // Those of the product's own topics are dead letters.
    conflicts: deadLetterConflicts ? 0 : outcomes.filter((each) => each === 'conflict').length,
    rejected,
    durationMs: performance.now() - startedAtMs,
  });
  return outcome;
}

/** A change without an outcome, such as a tombstone of a record that is not live, changed nothing. */
function listOutcomes(changes: readonly Change[], { changed, outcomes }: AppliedChanges): ElementOutcome[] {
  const withOutcome = new Set(changed);
  return [
    ...changed.map(({ record, element }, index) => ({ record, element, isApplied: outcomes[index] === 'applied' })),
    ...changes
      .filter((change) => !withOutcome.has(change))
      .map(({ record, element }) => ({ record, element, isApplied: false })),
  ];
}

/** Dead-letters the whole record: which part of it the server rejected is unknown. */
function rejectRecord(slice: Slice<WithMoves<PreparedChanges>>, error: unknown): WithMoves<PreparedChanges> {
  const [change] = slice.prepared.changes;
  const code = (error as { code?: string }).code ?? 'unknown';
  const rejected: RejectedElement = {
    record: 0,
    element: readReplayedElement(slice.records[0] as KafkaRecord) ?? wholeMessage,
    tenantId: change === undefined ? null : readTenantId(change),
    reason: 'PROJECTION_REJECTED',
    stage: 'project',
    detail: `the database rejected the projected record: SQLSTATE ${code}`,
    format: null,
  };
  const { movesVersion } = slice.prepared;
  return { changes: [], rejected: [rejected], outcomes: Uint8Array.of(0), isTooLarge: false, movesVersion };
}
