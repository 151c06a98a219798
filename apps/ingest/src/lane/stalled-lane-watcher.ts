import type { Log } from '@tenantscope/runtime';
import { readLanes } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import type { LaneOwner } from './lane-owner.ts';

const intervalMs = 5_000;

/** Reads stalled lanes again when an operator resumed them, and tripped ones each minute to probe whether they recovered. */
export function watchStalledLanes(lanes: LaneOwner, metrics: IngestMetrics, log: Log): Disposable {
  const timer = setInterval(() => {
    for (const lane of lanes.list().filter((each) => each.stalledReason() !== null)) {
      void (async () => {
        const [stored] = await readLanes(lane.topic.ledger, [lane.position]);
        const isResumed = stored?.state === 'running';
        if (!isResumed && !lane.isProbeDue()) return;
        const { topic, partition } = lane.position;
        log.info({ topic, partition }, isResumed ? 'lane resumed by an operator' : 'probing tripped lane');
        await lanes.replace(lane, { isProbe: !isResumed });
      })().catch((error: unknown) => metrics.recordRetry(error, intervalMs));
    }
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
