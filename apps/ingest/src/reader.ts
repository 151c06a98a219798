import type { Consumer, ConsumerGroupJoinEvent, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { registerCodecs } from './codecs.ts';
import { emptyStretches } from './empty-stretches.ts';
import { kafkajs } from './kafkajs-tuned.ts';

/** One record of a topic, as it lies in the log. */
export interface ArrivedRecord {
  offset: bigint;
  producedAtMs: number | null;
  key: Buffer | null;
  value: Buffer | null;
  /** As they lie in the log: see record-headers.ts. */
  headers: Buffer;
}

export interface ArrivedBatch {
  topic: string;
  partition: number;
  /** Where the client asked the broker to begin. Only this shows that it was moved elsewhere: it says nothing. */
  fetchedOffset: bigint;
  lastOffset: bigint;
  highWatermark: bigint;
  records: readonly ArrivedRecord[];
  /** Tells the group that this member lives; throws when the group is about to change. */
  keepAlive(): Promise<void>;
  /** False once the assignment changed or a seek waits: what was fetched is not wanted any more. */
  isCurrent(): boolean;
  /** The batch was taken; the next fetch begins behind it. A batch that is not taken is fetched again. */
  take(): void;
}

export interface ReaderHandlers {
  /** At every join of the group, before any batch of the new assignment is looked at. */
  assigned(partitions: ReadonlyMap<string, readonly number[]>): void;
  batch(batch: ArrivedBatch): Promise<void>;
  /** Something moved: a fetch ended or a batch was handled. */
  progress(): void;
}

/** What ingestion needs of a Kafka client: small, so that another client can take the place of this one. */
export interface Reader extends AsyncDisposable {
  seek(topic: string, partition: number, offset: bigint): void;
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  /** A hint for dashboards. Nothing reads it back. */
  commit(topic: string, partition: number, offset: bigint): Promise<void>;
  earliestOffset(topic: string, partition: number): Promise<bigint>;
  /** Behind which offset each partition of a topic has no record that counts: markers of transactions and what they took back do not. */
  endOffsets(topic: string): Promise<ReadonlyMap<number, bigint>>;
  /** Resolves with the reason when the client gives up; a new reader is needed then. */
  readonly ended: Promise<Error>;
}

export interface ReaderOptions {
  brokers: readonly string[];
  groupId: string;
  topics: readonly string[];
  log(level: 'error' | 'warn' | 'info' | 'debug', message: string): void;
}

registerCodecs();

// Session 10 s: after a broker's restart the dead member must expire before a new one joins. Heartbeat 1 s: members learn of a
// rebalance by it. minBytes 1: a fetch returns as soon as anything is there. Metadata 30 s: added partitions are read soon.
const settings = {
  sessionTimeout: 10_000,
  rebalanceTimeout: 20_000,
  heartbeatInterval: 1_000,
  metadataMaxAge: 30_000,
  minBytes: 1,
  maxBytes: 10 * 1_048_576,
  maxBytesPerPartition: 1_048_576,
  maxWaitTimeInMs: 500,
  allowAutoTopicCreation: false,
  readUncommitted: false,
  retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 5_000, restartOnFailure: async () => false },
};
const partitionsConsumedConcurrently = 4;
const stopTimeoutMs = 8_000;
/** The last moment that a Date holds; the database holds a little more. */
const latestMomentMs = 8_640_000_000_000_000;

/** Joins the group and reads. Throws when the broker does not answer; everything that happens later ends in `ended`. */
export async function openReader(options: ReaderOptions, handlers: ReaderHandlers): Promise<Reader> {
  const kafka = new kafkajs.Kafka({
    clientId: 'tenantscope-ingest',
    brokers: [...options.brokers],
    connectionTimeout: 3_000,
    requestTimeout: 15_000, // a few of them fit into the time that a process may stand still
    retry: { retries: 3, initialRetryTime: 200, maxRetryTime: 2_000 },
    logCreator: () => (entry) => options.log(levelOf(entry.level), `${entry.namespace}: ${entry.log.message}`),
  });
  const consumer = kafka.consumer({ ...settings, groupId: options.groupId });
  const admin = kafka.admin();
  const ended = Promise.withResolvers<Error>();
  const { CRASH, FETCH, END_BATCH_PROCESS, GROUP_JOIN } = consumer.events;
  consumer.on(CRASH, ({ payload }) => ended.resolve(payload.error));
  consumer.on(FETCH, handlers.progress);
  consumer.on(END_BATCH_PROCESS, handlers.progress);
  const stretches = emptyStretches();
  consumer.on(END_BATCH_PROCESS, ({ payload }) => stretches.see(payload));
  consumer.on(GROUP_JOIN, ({ payload }: ConsumerGroupJoinEvent) => {
    handlers.assigned(new Map(Object.entries(payload.memberAssignment)));
  });
  try {
    await admin.connect();
    await consumer.connect();
    await consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently,
      eachBatch: (payload) => handlers.batch(arrived(payload)),
    });
  } catch (error) {
    await stop(consumer, admin);
    throw error;
  }
  return {
    ended: ended.promise,
    seek: (topic, partition, offset) => consumer.seek({ topic, partition, offset: String(offset) }),
    pause: (topic, partition) => consumer.pause([{ topic, partitions: [partition] }]),
    resume: (topic, partition) => consumer.resume([{ topic, partitions: [partition] }]),
    commit: (topic, partition, offset) => consumer.commitOffsets([{ topic, partition, offset: String(offset) }]),
    async earliestOffset(topic, partition) {
      const offsets = await admin.fetchTopicOffsets(topic);
      const found = offsets.find((one) => one.partition === partition);
      if (!found) throw new Error(`the broker tells no offsets of ${topic}/${partition}`);
      return BigInt(found.low);
    },
    async endOffsets(topic) {
      const offsets = await admin.fetchTopicOffsets(topic);
      return new Map(
        offsets.map(({ partition, high }) => [partition, stretches.lastRecordEnd(topic, partition, BigInt(high))]),
      );
    },
    [Symbol.asyncDispose]: () => stop(consumer, admin),
  };
}

/** A client that hangs must not keep a process from stopping or from beginning anew; the lane law makes a forgotten one harmless. */
async function stop(consumer: Consumer, admin: { disconnect(): Promise<void> }): Promise<void> {
  const stopped = Promise.allSettled([consumer.disconnect(), admin.disconnect()]);
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([stopped, new Promise((resolve) => (timer = setTimeout(resolve, stopTimeoutMs)))]);
  clearTimeout(timer);
}

function arrived({ batch, heartbeat, isRunning, isStale, resolveOffset }: EachBatchPayload): ArrivedBatch {
  // There at run time and missing in the types.
  const { fetchedOffset } = batch as unknown as { fetchedOffset: string };
  return {
    topic: batch.topic,
    partition: batch.partition,
    fetchedOffset: BigInt(fetchedOffset),
    lastOffset: BigInt(batch.lastOffset()),
    highWatermark: BigInt(batch.highWatermark),
    records: batch.messages.map(record),
    keepAlive: heartbeat,
    isCurrent: () => isRunning() && !isStale(),
    take: () => resolveOffset(batch.lastOffset()),
  };
}

function record(message: KafkaMessage): ArrivedRecord {
  const producedAtMs = Number(message.timestamp);
  return {
    offset: BigInt(message.offset),
    producedAtMs: producedAtMs >= 0 && producedAtMs <= latestMomentMs ? producedAtMs : null,
    key: message.key,
    value: message.value,
    // So are they since kafkajs-tuned.ts, whatever the types say.
    headers: message.headers as unknown as Buffer,
  };
}

function levelOf(level: number): 'error' | 'warn' | 'info' | 'debug' {
  const { logLevel } = kafkajs;
  if (level === logLevel.ERROR) return 'error';
  if (level === logLevel.WARN) return 'warn';
  return level === logLevel.INFO ? 'info' : 'debug';
}
