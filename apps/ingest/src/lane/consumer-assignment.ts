import { setTimeout as sleep } from 'node:timers/promises';
import { createClientLog } from '../kafka/client-log.ts';
import { type KafkaBatch, type KafkaReader, openKafkaReader } from '../kafka/kafka-reader.ts';
import type { AssignedLane } from './assigned-lane.ts';
import type { ConsumerOptions } from './consumed-topic.ts';
import { createLaneOwner } from './lane-owner.ts';
import { reportLaneReaders } from './lane-reporter.ts';
import { watchProgress } from './progress-watcher.ts';
import { watchLaneSkips } from './skip-watcher.ts';
import { watchStoredLanes } from './stored-lane-watcher.ts';
import { watchTopicIdentities } from './topic-identity-watcher.ts';

const heartbeatIntervalMs = 1_000;

/** One membership in the consumer group, from joining to whatever ends it. */
export interface ConsumerAssignment extends AsyncDisposable {
  readonly ended: Promise<Error>;
  lanes(): readonly AssignedLane[];
  /** The reason of one stalled lane; null while every lane runs. */
  stalledReason(): string | null;
}

/** Joins the group. No batch is processed before the positions of the assigned lanes are read. */
export async function openConsumerAssignment(options: ConsumerOptions): Promise<ConsumerAssignment> {
  const { kafka, log, metrics } = options;
  const ended = Promise.withResolvers<Error>();
  // The reader's handlers may run before openKafkaReader has returned it.
  const opened = Promise.withResolvers<KafkaReader>();
  opened.promise.catch(() => {});
  const lanes = createLaneOwner({
    topics: options.topics,
    kafka: kafka.connection,
    control: options.control,
    reader: opened.promise,
    metrics,
    log,
    failed: (error) => ended.resolve(error instanceof Error ? error : new Error(String(error))),
    crashed: options.crashed,
  });
  let assigning: Promise<void> = Promise.resolve();
  let closed = false;

  const processBatch = async (batch: KafkaBatch) => {
    await waitWithHeartbeats(assigning, batch);
    if (closed || !batch.isCurrent()) return;
    await lanes.find(batch.topic, batch.partition)?.processBatch(batch);
  };

  const watchers = [
    watchStoredLanes(lanes, metrics, log),
    watchLaneSkips(lanes, options.control, metrics, log),
    watchTopicIdentities(lanes, kafka.connection, log),
    watchProgress(metrics, ended.resolve),
    reportLaneReaders(lanes.list, log),
  ];
  const dispose = async () => {
    closed = true;
    for (const watcher of watchers) watcher[Symbol.dispose]();
    await lanes.stop();
    await (await opened.promise.catch(() => null))?.[Symbol.asyncDispose]();
  };

  try {
    const topics = options.topics.map(({ name }) => name);
    const reader = await openKafkaReader(
      { ...kafka, topics, log: createClientLog(log) },
      {
        assigned(partitions) {
          assigning = lanes.assign(partitions);
        },
        batch: processBatch,
        progress: metrics.markProgress,
      },
    );
    opened.resolve(reader);
    void reader.ended.then(ended.resolve);
  } catch (error) {
    opened.reject(error);
    await dispose();
    throw error;
  }
  return {
    ended: ended.promise,
    lanes: lanes.list,
    stalledReason: () =>
      lanes
        .list()
        .map((lane) => lane.stalledReason())
        .find((reason) => reason !== null) ?? null,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Waits without being expelled from the group. */
async function waitWithHeartbeats(work: Promise<void>, batch: KafkaBatch): Promise<void> {
  let done = false;
  const finished = work.finally(() => {
    done = true;
  });
  while (!done) {
    await Promise.race([finished, sleep(heartbeatIntervalMs)]);
    if (!done) await batch.heartbeat();
  }
}
