import { setTimeout as sleep } from 'node:timers/promises';
import { type SpanAttributes, withSpan } from '@tenantscope/runtime';
import type { LanePosition } from '@tenantscope/store/ingest';
import type { KafkaBatch, KafkaRecord } from '../kafka/kafka-reader.ts';
import { splitByBytes } from './slice-size.ts';

/** Processes the records of a lane: prepares them without a database, then writes them in one transaction. */
export interface LaneProcessor<Prepared> {
  prepare(records: readonly KafkaRecord[]): Promise<Prepared>;
  /** Null: continue. A text: the lane must not write this slice, and why. */
  evaluateBreaker(prepared: Prepared): string | null;
  /** Retries transient errors itself while `isActive()`. */
  write(slice: Slice<Prepared>, isActive: () => boolean): Promise<'written' | 'fenced' | 'abandoned'>;
}

export interface Slice<Prepared> {
  lane: LanePosition;
  fromOffset: bigint;
  toOffset: bigint;
  records: readonly KafkaRecord[];
  prepared: Prepared;
}

export interface LanePipeline {
  readonly lane: LanePosition;
  /** Offset at which the next batch must begin. */
  expectedOffset(): bigint;
  /** Offset up to which the database has acknowledged this lane. */
  writtenOffset(): bigint;
  /** Queues a batch in slices. Resolves when all are queued; false when the pipeline was stopped meanwhile. */
  enqueue(batch: KafkaBatch): Promise<boolean>;
  /** Continues at a later offset: the offsets in between hold no records, or an operator accepted their loss. */
  skipTo(offset: bigint): void;
  /** Drops queued slices and waits for the one that is being written. */
  stop(): Promise<void>;
}

export interface LanePipelineEvents {
  written(offset: bigint): void;
  fenced(): void;
  tripped(reason: string): void;
  failed(error: unknown): void;
}

/** kafkajs fetches again only when the handlers of all partitions have returned; so many slices may be queued meanwhile. */
const slicesAhead = 2;
const heartbeatIntervalMs = 1_000;

interface Queued<Prepared> {
  fromOffset: bigint;
  toOffset: bigint;
  records: readonly KafkaRecord[];
  prepared: Promise<Prepared>;
}

/** Prepares the slices of one lane ahead and writes them one after another, in the order of the log. */
export function createLanePipeline<Prepared>(
  lane: LanePosition,
  processor: LaneProcessor<Prepared>,
  events: LanePipelineEvents,
): LanePipeline {
  let queuedTo = lane.nextOffset;
  let writtenTo = lane.nextOffset;
  let stopped = false;
  let writing: Promise<void> = Promise.resolve();
  let queue: Queued<Prepared>[] = [];
  let slotFreed = Promise.withResolvers<void>();

  const halt = () => {
    stopped = true;
    queue = [];
    slotFreed.resolve();
  };

  const drain = async () => {
    for (let next = queue[0]; next && !stopped; next = queue[0]) {
      const prepared = await next.prepared;
      if (stopped) return;
      const reason = processor.evaluateBreaker(prepared);
      if (reason !== null) {
        halt();
        return events.tripped(reason);
      }
      const slice = { ...next, lane, fromOffset: writtenTo, prepared };
      const outcome = await withSpan(`write ${lane.source}`, describeSlice(slice), () =>
        processor.write(slice, () => !stopped),
      );
      if (outcome === 'fenced') {
        halt();
        return events.fenced();
      }
      if (outcome === 'abandoned') return;
      writtenTo = next.toOffset;
      queue.shift();
      slotFreed.resolve();
      slotFreed = Promise.withResolvers();
      events.written(writtenTo);
    }
  };

  const startDraining = () => {
    if (queue.length !== 1) return;
    writing = writing.then(drain).catch((error: unknown) => {
      halt();
      events.failed(error);
    });
  };

  return {
    lane,
    expectedOffset: () => queuedTo,
    writtenOffset: () => writtenTo,
    skipTo: (offset) => {
      queuedTo = offset;
    },
    async enqueue(batch) {
      const records = batch.records.filter((record) => record.offset >= queuedTo);
      for (const slice of splitIntoSlices(records, batch.lastOffset + 1n)) {
        while (!stopped && queue.length >= slicesAhead) {
          await Promise.race([slotFreed.promise, sleep(heartbeatIntervalMs)]);
          await batch.heartbeat();
        }
        if (stopped || !batch.isCurrent()) return false;
        const prepared = processor.prepare(slice.records);
        prepared.catch(() => {}); // handled in drain()
        queue.push({ ...slice, fromOffset: queuedTo, prepared });
        queuedTo = slice.toOffset;
        startDraining();
      }
      return !stopped;
    },
    async stop() {
      halt();
      await writing;
    },
  };
}

const describeSlice = ({ lane, records }: Pick<Slice<unknown>, 'lane' | 'records'>): SpanAttributes => ({
  'messaging.destination.name': lane.topic,
  'messaging.destination.partition.id': String(lane.partition),
  'messaging.batch.message_count': records.length,
});

/** After the last record there may be a transaction's marker or no record at all: the lane skips both. */
function splitIntoSlices(records: readonly KafkaRecord[], end: bigint): { records: KafkaRecord[]; toOffset: bigint }[] {
  const slices = splitByBytes(records);
  return slices.map((slice, index) => ({ records: slice, toOffset: slices[index + 1]?.[0]?.offset ?? end }));
}
