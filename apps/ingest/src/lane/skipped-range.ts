import { wholeMessage } from '@tenantscope/intake';
import { countImported, type LaneSkip, writeLaneStep } from '@tenantscope/store/ingest';
import type { RejectedElement } from '../activity/prepare-slice.ts';
import { createDeadLetter } from '../dead-letter/dead-letter.ts';
import { collectImported } from '../dead-letter/import-header.ts';
import type { KafkaBatch, KafkaRecord } from '../kafka/kafka-reader.ts';
import type { UndecodableBatch } from '../kafka/undecodable-batch.ts';
import type { ConsumedTopic } from './consumed-topic.ts';
import type { LaneProcessor } from './lane-pipeline.ts';
import { repeatWrite, type WriteOptions } from './lane-write.ts';

const noHeaders = Buffer.alloc(0);

/**
 * The part of a batch that an operator's skip covers, with a batch that cannot be decoded as one record of its bytes. A text: the skip
 * cannot be executed, and why.
 */
export function limitToSkip(batch: KafkaBatch, { toOffset }: LaneSkip): KafkaBatch | string {
  const { undecodable, highWatermark } = batch;
  if (toOffset > highWatermark) return `offset ${toOffset} lies beyond the end of the log, ${highWatermark}`;
  const isCovered = undecodable !== null && undecodable.lastOffset < toOffset;
  if (undecodable !== null && !isCovered && undecodable.firstOffset < toOffset) {
    const { firstOffset, lastOffset } = undecodable;
    return `offset ${toOffset} lies within the batch at offsets ${firstOffset} to ${lastOffset}, which cannot be decoded; use ${lastOffset + 1n}`;
  }
  const records = batch.records.filter(({ offset }) => offset < toOffset);
  const last = isCovered ? undecodable.lastOffset : batch.lastOffset;
  return {
    ...batch,
    records: isCovered ? [...records, toRecord(undecodable)] : records,
    lastOffset: last < toOffset ? last : toOffset - 1n,
    undecodable: null,
  };
}

const toRecord = (undecodable: UndecodableBatch): KafkaRecord => ({
  offset: undecodable.lastOffset,
  producedAtMs: null,
  key: null,
  value: undecodable.bytes,
  headers: noHeaders,
  problem: undecodable.problem,
});

/** Keeps every record of a slice as a dead letter, in the transaction that moves the lane. */
export function createSkipProcessor(
  { ledger }: Pick<ConsumedTopic, 'ledger'>,
  metrics: WriteOptions['metrics'],
): LaneProcessor<RejectedElement[]> {
  return {
    evaluateBreaker: () => null,
    prepare: async (records) => records.map(rejectSkipped),
    async write({ lane, fromOffset, toOffset, records, prepared }, isActive) {
      const startedAtMs = performance.now();
      const step = { lane, fromOffset, toOffset, settledReplays: [] };
      const deadLetters = prepared.map((each) => createDeadLetter(lane, records[each.record] as KafkaRecord, each));
      const outcome = await repeatWrite(lane.partition, { metrics, isActive }, () =>
        writeLaneStep(ledger, step, async (client) => {
          if (ledger.schema === 'models') await countImported(client, lane, collectImported(records, [], prepared));
          return deadLetters;
        }),
      );
      // Skipped records have no tenants: their step is never prepared again.
      if (outcome === null || outcome === 'moved') return 'abandoned';
      if (outcome === 'written') {
        const durationMs = performance.now() - startedAtMs;
        metrics.recordBatch(lane, { records: records.length, rows: 0, duplicates: 0, rejected: prepared, durationMs });
      }
      return outcome;
    },
  };
}

/** The tenant is not read: a header would be a claim of the producer. */
const rejectSkipped = ({ problem }: KafkaRecord, record: number): RejectedElement => ({
  record,
  element: wholeMessage,
  tenantId: null,
  reason: problem === undefined ? 'SKIPPED' : 'UNDECODABLE_BATCH',
  stage: 'decode',
  detail: problem === undefined ? 'an operator skipped this record' : `the batch as the broker stored it: ${problem}`,
  format: null,
});
