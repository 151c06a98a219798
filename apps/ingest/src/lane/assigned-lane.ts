import type { KafkaConnection } from '@tenantscope/runtime';
import { completeLaneSkip, type LanePosition, type LaneSkip, type Ledger } from '@tenantscope/store/ingest';
import type { KafkaBatch } from '../kafka/kafka-reader.ts';
import { readTopicIdentity } from '../kafka/topic-identity.ts';
import { describeUndecodableBatch, logUndecodableBatch, type UndecodableBatch } from '../kafka/undecodable-batch.ts';
import { type Admission, admitBatch } from './batch-admission.ts';
import type { ConsumedTopic } from './consumed-topic.ts';
import { createLanePipeline, type LaneProcessor } from './lane-pipeline.ts';
import { laneStates } from './lane-states.ts';
import { createLaneStatus, type LaneStatus, type LaneStatusOptions } from './lane-status.ts';
import { createSkipProcessor, limitToSkip } from './skipped-range.ts';
import { type TruncationWatch, truncationRetryMs } from './truncation-watch.ts';

const commitIntervalMs = 1_000;

/** A lane that this process reads, from its assignment until it is replaced or revoked. */
export interface AssignedLane {
  readonly topic: ConsumedTopic;
  readonly position: LanePosition;
  readonly assignedAtMs: number;
  /** Offset up to which the database has acknowledged this lane. */
  writtenOffset(): bigint;
  /** Why the lane reads nothing; null while it reads. */
  stalledReason(): string | null;
  isProbeDue(): boolean;
  isSkipping(): boolean;
  processBatch(batch: KafkaBatch): Promise<void>;
  /** Drops queued slices and waits for the one that is being written. A batch that is still being checked changes nothing. */
  stop(): Promise<void>;
}

export interface AssignedLaneOptions extends LaneStatusOptions {
  readonly control: Ledger;
  readonly assignedAtMs: number;
  readonly kafka: KafkaConnection;
  readonly truncations: TruncationWatch;
  /** The position is stale: another worker moved the lane, or the topic is another one. */
  replace(lane: AssignedLane): Promise<void>;
  crashed(error: unknown): void;
}

/** Seeks the reader to the lane's position and reads from there, unless the lane is stalled. */
export function assignLane(options: AssignedLaneOptions): AssignedLane {
  const { topic, position, skip, reader, metrics, log } = options;
  const { cluster, topic: name, partition } = position;
  const status = createLaneStatus(options);
  const commit = createOffsetCommitter(options);
  let isRevoked = false;

  const processor: LaneProcessor<unknown> =
    skip === null ? topic.createProcessor(laneStates[status.state].breaker) : createSkipProcessor(topic, metrics);
  const pipeline = createLanePipeline(position, processor, {
    written(offset) {
      metrics.markProgress();
      commit(offset);
      if (skip === null) void status.change('progress');
      else if (offset >= skip.toOffset) void status.change('progress').then(() => options.replace(lane));
    },
    fenced: () => void options.replace(lane),
    tripped: (why) => void status.change('trip', why),
    failed: options.crashed,
  });

  /** Whether a batch begins at the lane's position. Any other batch is checked: a client that jumps silently must not lose events. */
  const admit = async (batch: KafkaBatch): Promise<boolean> => {
    const expected = pipeline.expectedOffset();
    if (batch.fetchedOffset === expected) return true;
    const earliest = await reader.earliestOffset(name, partition);
    const { topicId, clusterId } = await readTopicIdentity(options.kafka, name);
    // The requests take up to 15 s while a broker restarts. Meanwhile the partition may have been assigned again.
    if (isRevoked || !batch.isCurrent()) return false;
    const admission = admitBatch({
      fetched: batch.fetchedOffset,
      expected,
      earliest,
      highWatermark: batch.highWatermark,
      sameLog: topicId === position.topicId && clusterId === position.clusterId,
      accepted: status.state === 'accepted' || skip !== null,
    });
    if (admission.kind === 'truncated' && !options.truncations.isLasting(name, partition, expected))
      return replaceLater(lane, options);
    if (admission.kind === 'stop' || admission.kind === 'truncated') await status.change('gap', admission.reason);
    if (admission.kind === 'reassign') await options.replace(lane);
    if (admission.kind !== 'skip') return admission.kind === 'pass';
    if (admission.because === 'accepted' && skip === null) await status.change('progress');
    log[admission.because === 'hole' ? 'debug' : 'warn'](
      { topic: name, partition, from: String(expected), to: String(batch.fetchedOffset) },
      skipMessages[admission.because],
    );
    pipeline.skipTo(batch.fetchedOffset);
    return true;
  };

  const processSkipped = async (batch: KafkaBatch, range: LaneSkip): Promise<void> => {
    // The range is queued; the lane is replaced when it is written.
    if (pipeline.expectedOffset() >= range.toOffset || !(await admit(batch))) return;
    const covered = limitToSkip(batch, range);
    if (typeof covered !== 'string') {
      if (await pipeline.enqueue(covered)) batch.markProcessed(covered.lastOffset);
      return;
    }
    log.warn({ topic: name, partition, refusal: covered }, 'skip refused');
    await completeLaneSkip(options.control, range, { refusal: covered });
    if (position.state === 'running') await options.replace(lane);
    else if (!isRevoked) await status.change('refusal', position.reason);
  };

  const lane: AssignedLane = {
    topic,
    position,
    assignedAtMs: options.assignedAtMs,
    writtenOffset: pipeline.writtenOffset,
    stalledReason: () => status.reason,
    isSkipping: () => status.state === 'skipping',
    isProbeDue: status.isProbeDue,
    stop() {
      isRevoked = true;
      return pipeline.stop();
    },
    async processBatch(fetched) {
      const batch = bindBatch(fetched, topic);
      if (status.reason !== null) return reader.pause(name, partition);
      metrics.setLaneLag({ cluster, topic: name, partition }, Number(batch.highWatermark - batch.lastOffset) - 1);
      if (skip !== null) return processSkipped(batch, skip);
      if (!(await admit(batch))) return;
      const { undecodable } = batch;
      if (undecodable === null || batch.lastOffset >= pipeline.expectedOffset()) {
        if (!(await pipeline.enqueue(batch))) return;
        batch.markProcessed(batch.lastOffset);
      }
      if (undecodable !== null) await stopBefore(undecodable, status, options);
    },
  };

  reader.seek(name, partition, position.nextOffset);
  if (status.reason === null) reader.resume(name, partition);
  else reader.pause(name, partition);
  metrics.setLaneRunning({ cluster, topic: name, partition }, status.reason === null);
  return lane;
}

async function stopBefore(batch: UndecodableBatch, status: LaneStatus, { position, metrics }: AssignedLaneOptions) {
  metrics.recordUndecodableBatch(position.topic, batch.codec);
  const details = { batch: logUndecodableBatch(batch) };
  await status.change('undecodable', describeUndecodableBatch(position, batch), details);
}

/** Nothing is read meanwhile. Always false: no batch is admitted. */
function replaceLater(lane: AssignedLane, { reader, replace }: AssignedLaneOptions): boolean {
  reader.pause(lane.position.topic, lane.position.partition);
  setTimeout(() => void replace(lane), truncationRetryMs).unref();
  return false;
}

function bindBatch(batch: KafkaBatch, { bindRecord }: ConsumedTopic): KafkaBatch {
  return bindRecord === undefined ? batch : { ...batch, records: batch.records.map(bindRecord) };
}

const skipMessages: Record<Extract<Admission, { kind: 'skip' }>['because'], string> = {
  hole: 'skipped offsets without records',
  accepted: 'skipped a gap that an operator accepted',
  'new lane': 'new lane begins at the first retained offset',
};

/** Kafka's own offsets are only informative, for dashboards: at most one commit a second and lane, and a lost one has no effect. */
function createOffsetCommitter({ reader, position }: LaneStatusOptions): (offset: bigint) => void {
  let committedAtMs = Number.NEGATIVE_INFINITY;
  return (offset) => {
    const now = performance.now();
    if (now - committedAtMs < commitIntervalMs) return;
    committedAtMs = now;
    reader.commit(position.topic, position.partition, offset).catch(() => {});
  };
}
