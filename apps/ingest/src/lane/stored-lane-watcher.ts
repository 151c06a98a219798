import type { Log } from '@tenantscope/runtime';
import { type LanePosition, readLanes } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { AssignedLane } from './assigned-lane.ts';
import { laneKey } from './lane-key.ts';
import type { LaneOwner } from './lane-owner.ts';

const intervalMs = 5_000;

/**
 * Compares the assigned lanes with the database. A lane that an operator resumed is read on, and a tripped one each minute to probe whether it recovered.
 * One that the database has put back is read again from there: a promoted or restored server may lack the last batches, and on an idle partition
 * no write finds that out.
 */
export function watchStoredLanes(lanes: LaneOwner, metrics: IngestMetrics, log: Log): Disposable {
  const compare = async (lane: AssignedLane, acknowledged: bigint, stored: LanePosition | undefined) => {
    const { topic, partition } = lane.position;
    const from = stored?.nextOffset ?? 0n;
    if (from < acknowledged) {
      const offsets = { from: String(from), to: String(acknowledged) };
      log.warn(
        { topic, partition, ...offsets },
        'the database lacks records that it had acknowledged; reading them again',
      );
      return lanes.replace(lane);
    }
    if (lane.stalledReason() === null) return;
    const isResumed = stored?.state === 'running';
    if (!isResumed && !lane.isProbeDue()) return;
    log.info({ topic, partition }, isResumed ? 'lane resumed by an operator' : 'probing tripped lane');
    return lanes.replace(lane, { isProbe: !isResumed });
  };
  const check = async () => {
    // Before the database is read: what is acknowledged meanwhile may be later than what was read.
    const assigned = lanes.list().map((lane) => ({ lane, acknowledged: lane.writtenOffset() }));
    for (const [ledger, own] of Map.groupBy(assigned, ({ lane }) => lane.topic.ledger)) {
      const positions = await readLanes(
        ledger,
        own.map(({ lane }) => lane.position),
      );
      const stored = new Map(positions.map((position) => [laneKey(position), position]));
      for (const { lane, acknowledged } of own)
        void compare(lane, acknowledged, stored.get(laneKey(lane.position))).catch(retry);
    }
  };
  const retry = (error: unknown) => metrics.recordRetry(error, intervalMs);
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch(retry)
      .finally(() => {
        isChecking = false;
      });
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
