import type { Log } from '@tenantscope/runtime';
import { type LanePosition, type LaneSkip, type OpenedLane, setLaneState } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { KafkaReader } from '../kafka/kafka-reader.ts';
import { retryWhileUnavailable } from '../retry.ts';
import type { ConsumedTopic } from './consumed-topic.ts';
import { type AssignedLaneState, initialLaneState, type LaneEvent, laneStates } from './lane-states.ts';

/** The state of an assigned lane, reported and stored at each change. */
export interface LaneStatus {
  readonly state: AssignedLaneState;
  /** Why the lane reads nothing; null while it reads. */
  readonly reason: string | null;
  isProbeDue(): boolean;
  /** `details` are further fields of the log line. */
  change(event: LaneEvent, reason?: string | null, details?: object): Promise<void>;
}

export interface LaneStatusOptions {
  readonly topic: ConsumedTopic;
  readonly position: OpenedLane;
  readonly isProbe: boolean;
  /** An operator's request; null while the lane processes its records. */
  readonly skip: LaneSkip | null;
  readonly reader: KafkaReader;
  readonly metrics: IngestMetrics;
  readonly log: Log;
  isActive(): boolean;
}

export function createLaneStatus(options: LaneStatusOptions): LaneStatus {
  const { topic, position, reader, metrics, log } = options;
  const { cluster, topic: name, partition } = position;
  let state = initialLaneState(position, { isProbe: options.isProbe, isSkip: options.skip !== null });
  let reason = laneStates[state].isStalled ? (position.reason ?? state) : null;
  let probeAtMs = performance.now() + laneStates[state].probeAfterMs;

  const store = (stored: LanePosition['state']) =>
    retryWhileUnavailable(() => setLaneState(topic.ledger, position, stored, reason), {
      shouldRetry: options.isActive,
      onRetry: metrics.recordRetry,
    });

  return {
    get state() {
      return state;
    },
    get reason() {
      return reason;
    },
    isProbeDue: () => performance.now() >= probeAtMs,
    async change(event, why = null, details = {}) {
      const next = laneStates[state].next[event];
      if (next === undefined) return;
      state = next;
      reason = why;
      if (laneStates[state].isStalled) {
        probeAtMs = performance.now() + laneStates[state].probeAfterMs;
        log.error(
          { cluster, topic: name, partition, state, reason, ...details },
          state === 'tripped' ? 'lane tripped; probing in 60 s' : 'lane stopped; resume or skip required',
        );
        metrics.setLaneRunning({ cluster, topic: name, partition }, false);
        reader.pause(name, partition);
      }
      if ((await store(next)) === false)
        log.warn({ cluster, topic: name, partition, state }, 'lane assigned again meanwhile; its state is not stored');
    },
  };
}
