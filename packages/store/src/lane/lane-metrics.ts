import { isLaneHalted, type LaneStatus } from './lane-status.ts';

const labelNames = ['cluster', 'topic', 'partition'] as const;

interface LaneGauge {
  reset(): void;
  set(labels: { cluster: string; topic: string; partition: number }, value: number): void;
}

interface GaugeRegistry {
  gauge(name: `tenantscope_${string}`, help: string, labels: typeof labelNames): LaneGauge;
}

/** Registers the metrics of all lanes, whichever process reads them; returns the function that sets them. */
export function registerLaneMetrics(metrics: GaugeRegistry): (statuses: readonly LaneStatus[]) => void {
  const stalled = metrics.gauge(
    'tenantscope_lane_stalled',
    '1 while a lane is stalled, stopped or tripped, else 0.',
    labelNames,
  );
  const unread = metrics.gauge(
    'tenantscope_lane_unread_records',
    'Records in Kafka that a lane has not read.',
    labelNames,
  );
  const unreadAge = metrics.gauge(
    'tenantscope_lane_unread_seconds',
    'Age of the oldest record that a lane has not read.',
    labelNames,
  );
  return (statuses) => {
    for (const gauge of [stalled, unread, unreadAge]) gauge.reset();
    for (const { cluster, topic, partition, state, unread: count, unreadMs } of statuses) {
      const labels = { cluster, topic, partition };
      stalled.set(labels, isLaneHalted(state) ? 1 : 0);
      unread.set(labels, count ?? 0);
      unreadAge.set(labels, (unreadMs ?? 0) / 1_000);
    }
  };
}
