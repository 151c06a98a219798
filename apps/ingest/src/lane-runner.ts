import type { LaneStanding } from '@tenantscope/store';
import type { ArrivedBatch, ArrivedRecord } from './reader.ts';

/** What is done with the records of a lane: prepared without a database, then written in one transaction. */
export interface LaneWork<Prepared> {
  prepare(records: readonly ArrivedRecord[]): Promise<Prepared>;
  /** Null: go on. A text: the lane must stop here, and why. */
  judge(prepared: Prepared): string | null;
  /** Retries by itself what the environment caused, as long as `wanted` holds. */
  write(slice: Slice<Prepared>, wanted: () => boolean): Promise<'written' | 'fenced' | 'abandoned'>;
}

export interface Slice<Prepared> {
  lane: LaneStanding;
  fromOffset: bigint;
  toOffset: bigint;
  records: readonly ArrivedRecord[];
  prepared: Prepared;
}

export interface LaneRunner {
  readonly lane: LaneStanding;
  /** Where the next batch must begin. */
  expectedOffset(): bigint;
  /** Takes a batch in slices; resolves once all are queued, false when the lane was voided meanwhile. */
  offer(batch: ArrivedBatch): Promise<boolean>;
  /** The operator, or the broker, says that nothing lies between here and there. */
  skipTo(offset: bigint): void;
  /** Drops what waits and lets what is being written come to its end. */
  void(): Promise<void>;
}

export interface LaneEvents {
  written(offset: bigint): void;
  fenced(): void;
  tripped(reason: string): void;
  failed(error: unknown): void;
}

const sliceRecords = 1_000;
const sliceBytes = 4 * 1_048_576;
/** kafkajs fetches again only when the handlers of all partitions have returned; this much may wait behind them. */
const slicesAhead = 2;
const keepAliveIntervalMs = 1_000;

interface Queued<Prepared> {
  fromOffset: bigint;
  toOffset: bigint;
  records: readonly ArrivedRecord[];
  prepared: Promise<Prepared>;
}

/** Runs one lane: slices are prepared ahead and written one after another, in the order of the log. */
export function runLane<Prepared>(lane: LaneStanding, work: LaneWork<Prepared>, events: LaneEvents): LaneRunner {
  let queuedTo = lane.nextOffset;
  let writtenTo = lane.nextOffset;
  let voided = false;
  let writing: Promise<void> = Promise.resolve();
  let queue: Queued<Prepared>[] = [];
  let room = Promise.withResolvers<void>();

  const stopHere = () => {
    voided = true;
    queue = [];
    room.resolve();
  };

  const drain = async () => {
    for (let next = queue[0]; next && !voided; next = queue[0]) {
      const prepared = await next.prepared;
      if (voided) return;
      const reason = work.judge(prepared);
      if (reason !== null) {
        stopHere();
        return events.tripped(reason);
      }
      const outcome = await work.write({ ...next, lane, fromOffset: writtenTo, prepared }, () => !voided);
      if (outcome === 'fenced') {
        stopHere();
        return events.fenced();
      }
      if (outcome === 'abandoned') return;
      writtenTo = next.toOffset;
      queue.shift();
      room.resolve();
      room = Promise.withResolvers();
      events.written(writtenTo);
    }
  };

  const startDraining = () => {
    if (queue.length !== 1) return;
    writing = writing.then(drain).catch((error: unknown) => {
      stopHere();
      events.failed(error);
    });
  };

  return {
    lane,
    expectedOffset: () => queuedTo,
    skipTo: (offset) => {
      queuedTo = offset;
    },
    async offer(batch) {
      const records = batch.records.filter((record) => record.offset >= queuedTo);
      for (const slice of cut(records, batch.lastOffset + 1n)) {
        while (!voided && queue.length >= slicesAhead) {
          await Promise.race([room.promise, sleep(keepAliveIntervalMs)]);
          await batch.keepAlive();
        }
        if (voided || !batch.isCurrent()) return false;
        const prepared = work.prepare(slice.records);
        prepared.catch(() => {}); // looked at when its turn comes
        queue.push({ ...slice, fromOffset: queuedTo, prepared });
        queuedTo = slice.toOffset;
        startDraining();
      }
      return !voided;
    },
    async void() {
      stopHere();
      await writing;
    },
  };
}

function cut(records: readonly ArrivedRecord[], end: bigint): { records: ArrivedRecord[]; toOffset: bigint }[] {
  const slices: { records: ArrivedRecord[]; toOffset: bigint }[] = [];
  let current: ArrivedRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = record.value?.length ?? 0;
    if (current.length > 0 && (current.length >= sliceRecords || bytes + size > sliceBytes)) {
      slices.push({ records: current, toOffset: record.offset });
      current = [];
      bytes = 0;
    }
    current.push(record);
    bytes += size;
  }
  // Behind the last record there may be a transaction's marker or nothing: the lane passes both.
  slices.push({ records: current, toOffset: end });
  return slices;
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
