import type { Log } from '@tenantscope/runtime';
import {
  completeLaneSkip,
  countSkipped,
  type LaneSkip,
  type Ledger,
  readLaneSkips,
  readLanes,
} from '@tenantscope/store/ingest';
import { readLaneStatuses } from '@tenantscope/store/lane';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { AssignedLane } from './assigned-lane.ts';
import type { LaneOwner } from './lane-owner.ts';

const intervalMs = 5_000;

/** Begins, refuses and completes the skips that operators requested for lanes of this process. */
export function watchLaneSkips(lanes: LaneOwner, control: Ledger, metrics: IngestMetrics, log: Log): Disposable {
  let isChecking = false;
  const check = async () => {
    for (const { lane: identity, skip } of await readLaneSkips(control)) {
      const lane = lanes
        .list()
        .find(
          ({ position }) =>
            position.topicId === identity.topicId &&
            position.clusterId === identity.clusterId &&
            position.partition === identity.partition,
        );
      if (lane !== undefined) await advanceSkip(lane, skip);
    }
  };
  const advanceSkip = async (lane: AssignedLane, skip: LaneSkip) => {
    const { topic, partition } = lane.position;
    const fields = { topic, partition, from: String(skip.fromOffset), to: String(skip.toOffset) };
    const [stored] = await readLanes(lane.topic.ledger, [lane.position]);
    if (stored === undefined) return;
    if (stored.nextOffset >= skip.toOffset) {
      const counts = await countSkipped(lane.topic.ledger, stored, skip);
      await completeLaneSkip(control, skip, counts);
      return log.warn({ ...fields, ...counts }, 'skip completed; skipped records are dead letters');
    }
    if (lane.isSkipping()) return;
    const refusal =
      stored.nextOffset < skip.fromOffset
        ? `the lane is at offset ${stored.nextOffset}, before ${skip.fromOffset}`
        : lane.stalledReason() === null && !(await isStalled(lane))
          ? 'the lane is running'
          : null;
    if (refusal !== null) {
      await completeLaneSkip(control, skip, { refusal });
      return log.warn({ ...fields, refusal }, 'skip refused');
    }
    log.warn(fields, 'skip requested by an operator; dead-lettering the range');
    await lanes.replace(lane, { skip });
  };
  /** By measurement: its consumer runs and the position does not move. */
  const isStalled = async ({ topic, position }: AssignedLane) =>
    (await readLaneStatuses(topic.ledger)).some(
      ({ clusterId, topicId, partition, state }) =>
        clusterId === position.clusterId &&
        topicId === position.topicId &&
        partition === position.partition &&
        state === 'stalled',
    );
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch((error: unknown) => metrics.recordRetry(error, intervalMs))
      .finally(() => {
        isChecking = false;
      });
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
