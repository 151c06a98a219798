import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { mainCluster } from '@tenantscope/runtime';
import type { RestoredLane } from '@tenantscope/store/restore';
import type { KafkaSettings } from '../../connections/connection-settings.ts';

const timeoutMs = 5_000;
/** As the broker reports it of a partition of which a group has no offset. */
const unknown = -1;

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

export interface MeasuredLanes {
  readonly measured: readonly MeasuredLane[];
  /**
   * Topics whose lanes are not all measured: those of further clusters, those that do not exist or that the login may not describe, and those of which the group has no
   * offsets, as another group has.
   */
  readonly unmeasured: readonly Pick<RestoredLane, 'cluster' | 'topic'>[];
}

/** Of the main cluster. */
export async function measureLanes(
  { connection }: KafkaSettings,
  group: string,
  lanes: readonly RestoredLane[],
): Promise<MeasuredLanes> {
  const own = lanes.filter(({ cluster }) => cluster === mainCluster);
  const admin = createKafkaClient({ ...connection, clientId: 'tenantscope-restore' }).admin();
  try {
    await waitForBroker(connection.brokers, timeoutMs, admin.connect());
    const existing = new Set(await admin.listTopics());
    const topics = [...new Set(own.map(({ topic }) => topic))].filter((topic) => existing.has(topic));
    const offsets = new Map<string, { low: number; high: number; committed: number }>();
    for (const topic of topics)
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
        offsets.set(`${topic}/${partition}`, { low: Number(low), high: Number(high), committed: unknown });
    for (const groupId of topics.length === 0 ? [] : [group, `${group}.bindings`])
      for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics }))
        for (const { partition, offset } of partitions) {
          const found = offsets.get(`${topic}/${partition}`);
          if (found) found.committed = Math.max(found.committed, Number(offset));
        }
    const find = ({ cluster, topic, partition }: RestoredLane) =>
      cluster === mainCluster ? offsets.get(`${topic}/${partition}`) : undefined;
    const measured = own.flatMap((lane) => {
      const found = find(lane);
      if (found === undefined) return [];
      const { low, high, committed } = found;
      const { topic, partition, source, position } = lane;
      const readAgain = Math.max(0, Math.min(committed, high) - Math.max(position, low));
      return [{ topic, partition, source, position, readAgain, lost: Math.max(0, low - position) }];
    });
    const hidden = lanes.filter((lane) => {
      const { committed = unknown } = find(lane) ?? {};
      return committed === unknown && (lane.position > 0 || find(lane) === undefined);
    });
    const unmeasured = new Map(hidden.map(({ cluster, topic }) => [`${cluster}/${topic}`, { cluster, topic }]));
    return { measured, unmeasured: [...unmeasured.values()] };
  } finally {
    await admin.disconnect();
  }
}
