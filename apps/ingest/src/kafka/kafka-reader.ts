import type { KafkaConnection } from '@tenantscope/runtime';
import type { Consumer, ConsumerGroupJoinEvent, EachBatchPayload, KafkaMessage, LogEntry } from 'kafkajs';
import { kafkajs, setMaxBatchBytes } from './kafkajs-patched.ts';
import { listBrokers } from './topic-identity.ts';
import type { UndecodableBatch } from './undecodable-batch.ts';

/** One record of a topic. */
export interface KafkaRecord {
  offset: bigint;
  producedAtMs: number | null;
  key: Buffer | null;
  value: Buffer | null;
  /** In the format of the log: see record-headers.ts. */
  headers: Buffer;
  /** Of a batch that cannot be decoded and is kept as a record: why. */
  problem?: string;
  /** Of a bound topic: key and headers as they arrived. The record's own are those that its source binding gives it. */
  bound?: BoundRecord;
}

export interface BoundRecord {
  readonly bindingId: string;
  readonly key: Buffer | null;
  readonly headers: Buffer;
}

export interface KafkaBatch {
  topic: string;
  partition: number;
  /** The offset that the client requested. The only sign that it jumped to another position: it does so silently. */
  fetchedOffset: bigint;
  lastOffset: bigint;
  highWatermark: bigint;
  records: readonly KafkaRecord[];
  /** What follows `lastOffset` and cannot be decoded. Nothing after it was read. */
  undecodable: UndecodableBatch | null;
  /** Throws when the group is rebalancing. */
  heartbeat(): Promise<void>;
  /** False once the assignment changed or a seek is pending: the batch is stale. */
  isCurrent(): boolean;
  /** The next fetch begins after this offset. A batch that is not marked is fetched again. */
  markProcessed(lastOffset: bigint): void;
}

export interface KafkaReaderHandlers {
  /** Called at every join of the group, before any batch of the new assignment. */
  assigned(partitions: ReadonlyMap<string, readonly number[]>): void;
  batch(batch: KafkaBatch): Promise<void>;
  /** Called when a fetch ended or a batch was processed. */
  progress(): void;
}

/** What ingestion needs of a Kafka client: small, so that the client can be replaced. */
export interface KafkaReader extends AsyncDisposable {
  seek(topic: string, partition: number, offset: bigint): void;
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  /** Informative, for dashboards: ingestion never reads it. */
  commit(topic: string, partition: number, offset: bigint): Promise<void>;
  earliestOffset(topic: string, partition: number): Promise<bigint>;
  /** Resolves with the reason when the client gives up; a new reader is needed then. */
  readonly ended: Promise<Error>;
}

export interface KafkaReaderOptions {
  connection: KafkaConnection;
  groupId: string;
  topics: readonly string[];
  /** The bound of the decompressed size of a batch. */
  maxBatchBytes: number;
  log(level: 'error' | 'warn' | 'info' | 'debug', message: string): void;
}

// Session 10 s: after a broker's restart the dead member must expire before a new one joins. Heartbeat 1 s: members learn of a
// rebalance by it. minBytes 1: a fetch returns as soon as anything is there. Metadata 30 s: added partitions are read soon. 2 MiB of a
// partition are about 1,200 records, which are one transaction.
const settings = {
  sessionTimeout: 10_000,
  rebalanceTimeout: 20_000,
  heartbeatInterval: 1_000,
  metadataMaxAge: 30_000,
  minBytes: 1,
  maxBytes: 10 * 1_048_576,
  maxBytesPerPartition: 2 * 1_048_576,
  maxWaitTimeInMs: 500,
  allowAutoTopicCreation: false,
  readUncommitted: false,
  retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 5_000, restartOnFailure: async () => false },
};
const partitionsConsumedConcurrently = 4;
const stopTimeoutMs = 8_000;
/** The last instant that a Date can represent; the database's range is a little wider. */
const latestInstantMs = 8_640_000_000_000_000;

/** Joins the group and reads. Throws when the broker does not respond; later failures resolve `ended`. */
export async function openKafkaReader(
  options: KafkaReaderOptions,
  handlers: KafkaReaderHandlers,
): Promise<KafkaReader> {
  setMaxBatchBytes(options.maxBatchBytes);
  const kafka = new kafkajs.Kafka({
    clientId: 'tenantscope-ingest',
    ...options.connection,
    brokers: listBrokers(options.connection),
    connectionTimeout: 3_000,
    requestTimeout: 15_000, // a few of them fit into the time after which a process counts as stalled
    retry: { retries: 3, initialRetryTime: 200, maxRetryTime: 2_000 },
    logCreator: () => (entry) => options.log(toLogLevel(entry.level), describeEntry(entry)),
  });
  const consumer = kafka.consumer({ ...settings, groupId: options.groupId });
  const admin = kafka.admin();
  const ended = Promise.withResolvers<Error>();
  const { CRASH, FETCH, END_BATCH_PROCESS, GROUP_JOIN } = consumer.events;
  consumer.on(CRASH, ({ payload }) => ended.resolve(payload.error));
  consumer.on(FETCH, handlers.progress);
  consumer.on(END_BATCH_PROCESS, handlers.progress);
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
      eachBatch: (payload) => handlers.batch(toKafkaBatch(payload)),
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
      if (!found) throw new Error(`the broker returned no offsets of ${topic}/${partition}`);
      return BigInt(found.low);
    },
    [Symbol.asyncDispose]: () => stop(consumer, admin),
  };
}

/** A client that hangs must not prevent a process from stopping or reconnecting. An abandoned one cannot write: its lanes are fenced. */
async function stop(consumer: Consumer, admin: { disconnect(): Promise<void> }): Promise<void> {
  const stopped = Promise.allSettled([consumer.disconnect(), admin.disconnect()]);
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([stopped, new Promise((resolve) => (timer = setTimeout(resolve, stopTimeoutMs)))]);
  clearTimeout(timer);
}

function toKafkaBatch({ batch, heartbeat, isRunning, isStale, resolveOffset }: EachBatchPayload): KafkaBatch {
  // Present at run time and missing in the types.
  const { fetchedOffset } = batch as unknown as { fetchedOffset: string };
  const { undecodable } = (batch.messages.at(-1) ?? {}) as { undecodable?: UndecodableBatch };
  const records = undecodable === undefined ? batch.messages : batch.messages.slice(0, -1);
  const lastOffset =
    undecodable === undefined
      ? BigInt(batch.lastOffset())
      : laterOf(undecodable.firstOffset, BigInt(fetchedOffset)) - 1n;
  return {
    topic: batch.topic,
    partition: batch.partition,
    fetchedOffset: BigInt(fetchedOffset),
    lastOffset,
    highWatermark: BigInt(batch.highWatermark),
    records: records.map(toKafkaRecord),
    undecodable: undecodable ?? null,
    heartbeat: heartbeat,
    isCurrent: () => isRunning() && !isStale(),
    markProcessed: (offset) => resolveOffset(String(offset)),
  };
}

function toKafkaRecord(message: KafkaMessage): KafkaRecord {
  const producedAtMs = Number(message.timestamp);
  return {
    offset: BigInt(message.offset),
    producedAtMs: producedAtMs >= 0 && producedAtMs <= latestInstantMs ? producedAtMs : null,
    key: message.key,
    value: message.value,
    // Bytes since kafkajs-patched.ts, unlike the types.
    headers: message.headers as unknown as Buffer,
  };
}

const laterOf = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** With the broker's error, which the message alone does not name. */
function describeEntry({ namespace, log }: LogEntry): string {
  return [namespace, log.message, log.error].filter((part) => typeof part === 'string' && part !== '').join(': ');
}

function toLogLevel(level: number): 'error' | 'warn' | 'info' | 'debug' {
  const { logLevel } = kafkajs;
  if (level === logLevel.ERROR) return 'error';
  if (level === logLevel.WARN) return 'warn';
  return level === logLevel.INFO ? 'info' : 'debug';
}
