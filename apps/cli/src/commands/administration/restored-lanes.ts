import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { mainCluster } from '@tenantscope/runtime';
import type { RestoredLane } from '@tenantscope/store/restore';
import type { KafkaSettings } from '../../connections/connection-settings.ts';

const timeoutMs = 5_000;

/** What a restored lane reads again, by its topic in Kafka. */
export interface MeasuredLane {
  readonly topic: string;
  readonly partition: number;
  readonly source: string;
  readonly position: number;
  /** Messages that the lost database had read: their rows come back with new times. A lower bound: the group's offsets are committed once a second at most. */
  readonly readAgain: number;
  /** Messages that Kafka has deleted since. */
  readonly lost: number;
}

/** Lanes of the main cluster. */
export async function measureLanes(
  { connection }: KafkaSettings,
  group: string,
  lanes: readonly RestoredLane[],
): Promise<MeasuredLane[]> {
  const own = lanes.filter(({ cluster }) => cluster === mainCluster);
  const admin = createKafkaClient({ ...connection, clientId: 'tenantscope-restore' }).admin();
  try {
    await waitForBroker(connection.brokers, timeoutMs, admin.connect());
    const existing = new Set(await admin.listTopics());
    const topics = [...new Set(own.map(({ topic }) => topic))].filter((topic) => existing.has(topic));
    const offsets = new Map<string, { low: number; high: number; committed: number }>();
    for (const topic of topics)
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
        offsets.set(`${topic}/${partition}`, { low: Number(low), high: Number(high), committed: 0 });
    for (const groupId of [group, `${group}.bindings`])
      for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics }))
        for (const { partition, offset } of partitions) {
          const found = offsets.get(`${topic}/${partition}`);
          if (found) found.committed = Math.max(found.committed, Number(offset));
        }
    return own.flatMap((lane) => {
      const found = offsets.get(`${lane.topic}/${lane.partition}`);
      if (found === undefined) return [];
      const { low, high, committed } = found;
      const { topic, partition, source, position } = lane;
      const readAgain = Math.max(0, Math.min(committed, high) - Math.max(position, low));
      return [{ topic, partition, source, position, readAgain, lost: Math.max(0, low - position) }];
    });
  } finally {
    await admin.disconnect();
  }
}
