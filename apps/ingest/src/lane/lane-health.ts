import { mainCluster } from '@tenantscope/runtime';
import { describeHalt, type LaneIdentity, type LaneStatus } from '@tenantscope/store/lane';
import { laneKey } from './lane-key.ts';

/** Readiness and liveness of this process, from the facts about its lanes. */
export interface LaneHealth {
  /** Null: the database could not be read. */
  observe(statuses: readonly LaneStatus[] | null): void;
  /** The reason of one of its lanes that is stalled; null while none is. */
  unreadyReason(): string | null;
  /** Why a restart is due; null while none is. */
  failureReason(): string | null;
}

interface LaneHealthOptions {
  ownLanes(): readonly LaneIdentity[];
  /** Time since a batch was written, or a write was retried because the database was unavailable. */
  msSinceWork(): number;
  /** A monotonic clock in ms. */
  now?(): number;
}

/** Longer than a write that waits for the database's timeout, a rebalance of the group and a new Kafka client take together. */
const restartAfterMs = 120_000;

/**
 * Liveness is progress where there is lag. It fails when own lanes have had unread records for two minutes and no batch was written: a hung fetch,
 * decoder or worker thread, which a restart ends. It does not fail for what a restart cannot change:
 *
 * - the database is unavailable or blocks writes: each attempt is a retry, and retrying is right;
 * - Kafka is unavailable: the logs are not measured, and the client is replaced in the process;
 * - a lane is stopped or tripped: it waits for an operator or a probe;
 * - a lane is assigned to another process, or to none.
 */
export function createLaneHealth({
  ownLanes,
  msSinceWork,
  now = () => performance.now(),
}: LaneHealthOptions): LaneHealth {
  let stalled: LaneStatus | null = null;
  let behindSinceMs: number | null = null;
  return {
    observe(statuses) {
      const own = new Set(ownLanes().map(laneKey));
      const lanes = (statuses ?? []).filter((status) => own.has(laneKey(status)));
      // A further cluster is its owner's: while it is down this process is ready to read everything else.
      stalled = lanes.find(({ cluster, state }) => cluster === mainCluster && state === 'stalled') ?? null;
      const isBehind = lanes.some(
        ({ state, unreadMs, isMeasured }) =>
          isMeasured && unreadMs !== null && state !== 'stopped' && state !== 'tripped',
      );
      behindSinceMs = isBehind ? (behindSinceMs ?? now()) : null;
    },
    unreadyReason: () =>
      stalled === null ? null : `${stalled.topic}/${stalled.partition} is stalled: ${describeHalt(stalled)}`,
    failureReason() {
      if (behindSinceMs === null) return null;
      const idleMs = Math.min(now() - behindSinceMs, msSinceWork());
      return idleMs < restartAfterMs
        ? null
        : `records are unread and nothing was written for ${Math.round(idleMs / 1_000)} s`;
    },
  };
}
