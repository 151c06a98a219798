import type { Log } from '@tenantscope/runtime';
import { type LanePosition, setLaneState } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaBatch, KafkaReader } from '../kafka/kafka-reader.ts';
import { readTopicIdentity } from '../kafka/topic-identity.ts';
import { retryWhileUnavailable } from '../retry.ts';
import { type Admission, admitBatch } from './batch-admission.ts';
import type { ConsumedTopic } from './consumed-topic.ts';
import { createLanePipeline } from './lane-pipeline.ts';
import { type AssignedLaneState, initialLaneState, type LaneEvent, laneStates } from './lane-states.ts';

const commitIntervalMs = 1_000;

/** A lane that this process reads, from its assignment until it is replaced or revoked. */
export interface AssignedLane {
  readonly topic: ConsumedTopic;
  readonly position: LanePosition;
  readonly assignedAtMs: number;
  /** Why the lane reads nothing; null while it reads. */
  stalledReason(): string | null;
  isProbeDue(): boolean;
  processBatch(batch: KafkaBatch): Promise<void>;
  /** Drops queued slices and waits for the one that is being written. */
  stop(): Promise<void>;
}

export interface AssignedLaneOptions {
  readonly topic: ConsumedTopic;
  readonly position: LanePosition;
  readonly isProbe: boolean;
  readonly assignedAtMs: number;
  readonly reader: KafkaReader;
  readonly brokers: readonly string[];
  readonly metrics: IngestMetrics;
  readonly log: Log;
  isActive(): boolean;
  /** The position is stale: another worker moved the lane, or the topic is another one. */
  replace(lane: AssignedLane): Promise<void>;
  crashed(error: unknown): void;
}

/** Seeks the reader to the lane's position and reads from there, unless the lane is stalled. */
export function assignLane(options: AssignedLaneOptions): AssignedLane {
  const { topic, position, reader, metrics, log } = options;
  const { topic: name, partition } = position;
  let state: AssignedLaneState = initialLaneState(position, options.isProbe);
  let reason = laneStates[state].isStalled ? (position.reason ?? state) : null;
  let probeAtMs = Date.now() + laneStates[state].probeAfterMs;
  let committedAtMs = Number.NEGATIVE_INFINITY;

  const store = (stored: LanePosition['state'], storedReason: string | null) =>
    retryWhileUnavailable(() => setLaneState(topic.ledger, position, stored, storedReason), {
      shouldRetry: options.isActive,
      onRetry: metrics.recordRetry,
    });

  const change = async (event: LaneEvent, why: string | null = null): Promise<void> => {
    const next = laneStates[state].next[event];
    if (next === undefined) return;
    state = next;
    reason = why;
    if (laneStates[state].isStalled) {
      probeAtMs = Date.now() + laneStates[state].probeAfterMs;
      log.error(
        { topic: name, partition, state, reason },
        state === 'tripped' ? 'lane tripped; probing in 60 s' : 'lane stopped; resume required',
      );
      metrics.setLaneRunning(name, partition, false);
      reader.pause(name, partition);
    }
    await store(next, why);
  };

  /** Kafka's own offsets are only informative, for dashboards: at most one commit a second and lane, and a lost one has no effect. */
  const commit = (offset: bigint) => {
    const now = performance.now();
    if (now - committedAtMs < commitIntervalMs) return;
    committedAtMs = now;
    reader.commit(name, partition, offset).catch(() => {});
  };

  const pipeline = createLanePipeline(position, topic.createProcessor(laneStates[state].breaker), {
    written(offset) {
      commit(offset);
      void change('progress');
    },
    fenced: () => void options.replace(lane),
    tripped: (why) => void change('trip', why),
    failed: options.crashed,
  });

  /** Whether a batch begins at the lane's position. Any other batch is checked: a client that jumps silently must not lose events. */
  const admit = async (batch: KafkaBatch): Promise<boolean> => {
    const expected = pipeline.expectedOffset();
    if (batch.fetchedOffset === expected) return true;
    const earliest = await reader.earliestOffset(name, partition);
    const { topicId, clusterId } = await readTopicIdentity(options.brokers, name);
    const admission = admitBatch({
      fetched: batch.fetchedOffset,
      expected,
      earliest,
      highWatermark: batch.highWatermark,
      sameLog: topicId === position.topicId && clusterId === position.clusterId,
      accepted: state === 'accepted',
    });
    if (admission.kind === 'stop') await change('gap', admission.reason);
    if (admission.kind === 'reassign') await options.replace(lane);
    if (admission.kind !== 'skip') return admission.kind === 'pass';
    if (admission.because === 'accepted') await change('progress');
    log[admission.because === 'hole' ? 'debug' : 'warn'](
      { topic: name, partition, from: String(expected), to: String(batch.fetchedOffset) },
      skipMessages[admission.because],
    );
    pipeline.skipTo(batch.fetchedOffset);
    return true;
  };

  const lane: AssignedLane = {
    topic,
    position,
    assignedAtMs: options.assignedAtMs,
    stalledReason: () => reason,
    isProbeDue: () => Date.now() >= probeAtMs,
    stop: pipeline.stop,
    async processBatch(batch) {
      if (reason !== null) return reader.pause(name, partition);
      metrics.setLaneLag(name, partition, Number(batch.highWatermark - batch.lastOffset) - 1);
      if ((await admit(batch)) && (await pipeline.enqueue(batch))) batch.markProcessed();
    },
  };

  reader.seek(name, partition, position.nextOffset);
  if (reason === null) reader.resume(name, partition);
  else reader.pause(name, partition);
  metrics.setLaneRunning(name, partition, reason === null);
  return lane;
}

const skipMessages: Record<Extract<Admission, { kind: 'skip' }>['because'], string> = {
  hole: 'skipped offsets without records',
  accepted: 'skipped a gap that an operator accepted',
  'new lane': 'new lane begins at the first retained offset',
};
