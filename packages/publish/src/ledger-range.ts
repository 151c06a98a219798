import { setTimeout as sleep } from 'node:timers/promises';
import type { EachBatchPayload, Kafka } from 'kafkajs';
import type { Message } from './cloud-event-message.ts';

export interface LedgerRange {
  readonly topic: string;
  readonly groupId: string;
  readonly from: bigint;
  /** The offset after the last one. */
  readonly to: bigint;
  /** Reading fails when no message arrives for as long as this. */
  readonly stallMs: number;
}

export interface RangeMessage extends Message {
  readonly value: Buffer;
  readonly offset: bigint;
}

const partition = 0;
const heartbeatMs = 1_000;
/** Of compressed record batches; a larger one is fetched alone. */
const fetchBytes = 256 * 1_024;

/** The messages of a range, in their order. The next batch is fetched when the caller has used the one before, however long that takes. */
export async function* readRange(
  kafka: Kafka,
  { topic, groupId, from, to, stallMs }: LedgerRange,
): AsyncGenerator<RangeMessage> {
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxBytesPerPartition: fetchBytes });
  const { CRASH, GROUP_JOIN } = consumer.events;
  const handover = createHandover(stallMs);
  let next = from;
  consumer.on(CRASH, ({ payload: { error, restart } }) => handover.fail(error, restart));
  // Nothing is committed: without it a rebalance begins again with the first message.
  consumer.on(GROUP_JOIN, () => consumer.seek({ topic, partition, offset: String(next) }));
  const eachBatch = async ({ batch, heartbeat, isRunning }: EachBatchPayload) => {
    const messages = batch.messages
      .map(({ offset, value }) => ({ key: null, value: value ?? Buffer.alloc(0), headers: {}, offset: BigInt(offset) }))
      .filter(({ offset }) => offset >= next && offset < to);
    const [first] = messages;
    if (first === undefined) return;
    if (first.offset > next) return handover.fail(new Error(`${topic} has no message at offset ${next}`));
    await handover.awaitRequest({ heartbeat, isRunning });
    next += BigInt(messages.length);
    handover.give(messages);
  };
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatch });
    for (let read = from; read < to; ) {
      const messages = await handover.take(() => `${topic} was read up to offset ${next} of ${to}`);
      read += BigInt(messages.length);
      yield* messages;
    }
  } finally {
    await consumer.disconnect().catch(() => {});
  }
}

/** From the consumer, which calls, to the reader, which requests: one batch at a time. */
function createHandover(stallMs: number) {
  let requested = Promise.withResolvers<void>();
  let given = Promise.withResolvers<readonly RangeMessage[]>();
  // A failure between two requests is thrown by the next one.
  given.promise.catch(() => {});
  let lastError: Error | undefined;
  let isFailed = false;
  const reject = (error: Error) => {
    lastError = error;
    isFailed = true;
    given.reject(error);
  };
  return {
    /** A consumer that starts again may succeed before the reader has waited for too long. */
    fail(error: Error, isTemporary = false): void {
      if (isTemporary) lastError = error;
      else reject(error);
    },
    /** Resolves when the reader requests a batch. */
    async awaitRequest({ heartbeat, isRunning }: Pick<EachBatchPayload, 'heartbeat' | 'isRunning'>): Promise<void> {
      const isRequested = requested.promise.then(() => true);
      while (isRunning() && !(await Promise.race([isRequested, sleep(heartbeatMs, false, { ref: false })])))
        await heartbeat();
    },
    give(messages: readonly RangeMessage[]): void {
      requested = Promise.withResolvers();
      given.resolve(messages);
    },
    async take(describe: () => string): Promise<readonly RangeMessage[]> {
      if (isFailed) throw lastError;
      // A promise for each batch: one that all of them raced with would retain all of them.
      given = Promise.withResolvers();
      requested.resolve();
      const timer = setTimeout(() => {
        reject(new Error(`${describe()}; nothing has arrived for ${stallMs} ms`, { cause: lastError }));
      }, stallMs);
      try {
        return await given.promise;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
