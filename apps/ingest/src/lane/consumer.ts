import { setTimeout as sleep } from 'node:timers/promises';
import { describeKafkaError } from '@tenantscope/runtime';
import { withOwnProgress } from '../ingest-metrics.ts';
import type { AssignedLane } from './assigned-lane.ts';
import type { ConsumerOptions } from './consumed-topic.ts';
import { type ConsumerAssignment, openConsumerAssignment } from './consumer-assignment.ts';

export interface IngestConsumer extends AsyncDisposable {
  /** The lanes that the group assigned to this process. */
  lanes(): readonly AssignedLane[];
  /** Null while every lane runs. */
  unreadyReason(): string | null;
  /** Why the client ended or could not join the group within the last 30 s; null where it did neither. */
  failureReason(): string | null;
}

/** Longer than a client tries before it gives up. */
const failureMs = 30_000;

/** Fetches end twice a second even when no records arrive. */
const unreadyAfterMs = 15_000;

/**
 * Reads topics for as long as the process lives: joins the group, reads the positions of the assigned lanes, and processes no batch that does
 * not begin there. When the broker is unavailable, or the client gives up or stalls, a new client is created in the same process.
 */
export function startConsumer(given: ConsumerOptions): IngestConsumer {
  const options = { ...given, metrics: withOwnProgress(given.metrics) };
  const { log, metrics } = options;
  const describe = (error: unknown) => describeKafkaError(error, options.kafka.connection);
  let stopped = false;
  let assignment: ConsumerAssignment | null = null;
  let failure = { reason: '', atMs: Number.NEGATIVE_INFINITY };
  const recordFailure = (error: unknown): string => {
    const reason = describe(error);
    failure = { reason, atMs: performance.now() };
    return reason;
  };
  const stopping = Promise.withResolvers<void>();

  const run = async () => {
    for (let attempt = 0; !stopped; attempt++) {
      metrics.markProgress();
      try {
        assignment = await openConsumerAssignment(options);
        attempt = 0;
        const reason = await Promise.race([assignment.ended, stopping.promise]);
        if (reason) log.warn({ err: reason, reason: recordFailure(reason) }, 'Kafka client ended; creating a new one');
      } catch (error) {
        const reason = recordFailure(error);
        if (attempt % 12 === 0) log.warn({ err: error, reason }, 'Kafka unavailable; retrying');
      }
      await assignment?.[Symbol.asyncDispose]();
      assignment = null;
      if (!stopped) await Promise.race([sleep(Math.min(5_000, 250 * 2 ** attempt)), stopping.promise]);
    }
  };
  const running = run().catch(options.crashed);

  return {
    lanes: () => assignment?.lanes() ?? [],
    unreadyReason() {
      if (!assignment) return 'not connected to Kafka';
      if (metrics.msSinceProgress() > unreadyAfterMs)
        return `no progress for ${Math.round(metrics.msSinceProgress() / 1_000)} s`;
      return assignment.stalledReason();
    },
    failureReason: () => (performance.now() - failure.atMs < failureMs ? failure.reason : null),
    async [Symbol.asyncDispose]() {
      stopped = true;
      stopping.resolve();
      await running;
    },
  };
}
