import { isLaneHalted, type LaneStatus } from './lane-status.ts';

interface LaneGauge {
  reset(): void;
  set(labels: { topic: string; partition: number }, value: number): void;
}

interface GaugeRegistry {
  gauge(name: string, help: string, labels: readonly ('topic' | 'partition')[]): LaneGauge;
}

/** Registers the metrics of all lanes, whichever process reads them; returns the function that sets them. */
export function registerLaneMetrics(metrics: GaugeRegistry): (statuses: readonly LaneStatus[]) => void {
  const labels = ['topic', 'partition'] as const;
  const stalled = metrics.gauge('lane_stalled', '1 while a lane is stalled, stopped or tripped, else 0.', labels);
  const unread = metrics.gauge('lane_unread_records', 'Records in Kafka that a lane has not read.', labels);
  const unreadAge = metrics.gauge('lane_unread_seconds', 'Age of the oldest record that a lane has not read.', labels);
  return (statuses) => {
    for (const gauge of [stalled, unread, unreadAge]) gauge.reset();
    for (const { topic, partition, state, unread: count, unreadMs } of statuses) {
      stalled.set({ topic, partition }, isLaneHalted(state) ? 1 : 0);
      unread.set({ topic, partition }, count ?? 0);
      unreadAge.set({ topic, partition }, (unreadMs ?? 0) / 1_000);
    }
  };
}
