import type { KafkaConnection, Log } from '@tenantscope/runtime';
import { type LaneSkip, type Ledger, type OpenedLane, openLanes, requireOpenEpoch } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaReader } from '../kafka/kafka-reader.ts';
import { readTopicIdentity } from '../kafka/topic-identity.ts';
import { retryWhileUnavailable } from '../retry.ts';
import { type AssignedLane, assignLane } from './assigned-lane.ts';
import type { ConsumedTopic } from './consumed-topic.ts';
import { createTruncationWatch } from './truncation-watch.ts';

/** The lanes of one membership in the consumer group. */
export interface LaneOwner {
  list(): readonly AssignedLane[];
  find(topic: string, partition: number): AssignedLane | undefined;
  /** Revokes the lanes of the previous assignment and reads the positions of the new ones. Resolves early when another assignment follows. */
  assign(partitions: ReadonlyMap<string, readonly number[]>): Promise<void>;
  /** Reads the lane's position again and assigns it from there: to read on, to probe or to skip. */
  replace(lane: AssignedLane, start?: LaneStart): Promise<void>;
  /** Revokes every lane; nothing is assigned afterwards. */
  stop(): Promise<void>;
}

export interface LaneStart {
  readonly isProbe?: boolean;
  readonly skip?: LaneSkip;
}

export interface LaneOwnerOptions {
  readonly topics: readonly ConsumedTopic[];
  readonly kafka: KafkaConnection;
  readonly control: Ledger;
  /** Resolves when the reader is open: the group may assign partitions before. */
  readonly reader: Promise<KafkaReader>;
  readonly metrics: IngestMetrics;
  readonly log: Log;
  /** An error that ends the membership. */
  failed(error: unknown): void;
  crashed(error: unknown): void;
}

export function createLaneOwner(options: LaneOwnerOptions): LaneOwner {
  const { kafka, metrics, log } = options;
  const topics = new Map(options.topics.map((topic) => [topic.name, topic]));
  const truncations = createTruncationWatch();
  let lanes = new Map<string, AssignedLane>();
  let generation = 0;
  let stopped = false;

  const add = (
    topic: ConsumedTopic,
    position: OpenedLane,
    { reader, isProbe = false, skip }: LaneStart & { reader: KafkaReader },
  ) => {
    const key = partitionKey(position.topic, position.partition);
    lanes.set(
      key,
      assignLane({
        topic,
        position,
        isProbe,
        skip: skip ?? null,
        control: options.control,
        assignedAtMs: lanes.get(key)?.assignedAtMs ?? Date.now(),
        reader,
        kafka,
        truncations,
        metrics,
        log,
        isActive: () => !stopped,
        replace,
        crashed: options.crashed,
      }),
    );
  };

  const revokeAll = async () => {
    const previous = [...lanes.values()];
    lanes = new Map();
    await Promise.all(previous.map((lane) => lane.stop()));
    for (const { position } of previous)
      if (!lanes.has(partitionKey(position.topic, position.partition))) metrics.removeLane(position);
  };

  const assignAll = async (partitions: ReadonlyMap<string, readonly number[]>, isCurrent: () => boolean) => {
    const reader = await options.reader;
    await revokeAll();
    for (const [name, assigned] of partitions) {
      const topic = topics.get(name);
      if (!topic || assigned.length === 0) continue;
      const positions = await openPositions(options, { topic, partitions: assigned, isCurrent });
      if (!positions || !isCurrent()) return;
      for (const position of positions) add(topic, position, { reader });
    }
    log.info({ cluster: kafka.cluster, partitions: Object.fromEntries(partitions) }, 'joined the group');
  };

  const replace: LaneOwner['replace'] = async (lane, start = {}) => {
    const { topic: name, partition, topicId } = lane.position;
    const isCurrent = () => !stopped && lanes.get(partitionKey(name, partition)) === lane;
    try {
      const reader = await options.reader;
      await lane.stop();
      // The partition is the successor's now: a pause outlasts assignments, and only the lane that pauses resumes.
      if (!isCurrent()) return;
      // Or it is fetched again and again while the database is unavailable.
      reader.pause(name, partition);
      const [position] =
        (await openPositions(options, { topic: lane.topic, partitions: [partition], isCurrent })) ?? [];
      if (!position || !isCurrent()) return;
      if (position.topicId !== topicId) log.warn({ topic: name, partition }, 'topic was recreated; new lane created');
      add(lane.topic, position, { reader, ...start });
    } catch (error) {
      options.failed(error);
    }
  };

  return {
    list: () => [...lanes.values()],
    find: (topic, partition) => lanes.get(partitionKey(topic, partition)),
    async assign(partitions) {
      const assignment = ++generation;
      await assignAll(partitions, () => assignment === generation && !stopped).catch((error: unknown) => {
        if (assignment === generation) options.failed(error);
      });
    },
    replace,
    async stop() {
      stopped = true;
      await revokeAll();
    },
  };
}

interface OpenedPartitions {
  readonly topic: ConsumedTopic;
  readonly partitions: readonly number[];
  isCurrent(): boolean;
}

/** Returns null when the assignment ended while the database was unavailable. */
async function openPositions({ kafka, metrics }: LaneOwnerOptions, { topic, partitions, isCurrent }: OpenedPartitions) {
  const { name, ledger, source } = topic;
  const identity = await readTopicIdentity(kafka, name);
  const open = async () => {
    await requireOpenEpoch(ledger);
    return openLanes(ledger, { ...identity, topic: name, source, partitions });
  };
  return retryWhileUnavailable(open, { shouldRetry: isCurrent, onRetry: metrics.recordRetry });
}

const partitionKey = (topic: string, partition: number): string => `${topic}/${partition}`;
