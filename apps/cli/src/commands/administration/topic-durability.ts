import { isKafkaAccessRefused } from '@tenantscope/runtime';
import type { Admin } from 'kafkajs';
import { readTopicSettings } from '../../connections/topic-settings.ts';

/** What of a topic can lose records that producers saw acknowledged. */
export interface TopicDurability {
  readonly name: string;
  /** Copies of the partition that has the fewest. */
  readonly copies: number;
  /** Copies that must have a record before it is acknowledged. */
  readonly minInSyncReplicas: number;
  /** A copy that lacks acknowledged records may become the leader. */
  readonly electsUnclean: boolean;
}

const settingNames = ['unclean.leader.election.enable', 'min.insync.replicas'];

/** The settings of the topics, as the brokers have them; null if the login may not describe them (DescribeConfigs). */
export async function readTopicDurability(
  admin: Admin,
  names: readonly string[],
): Promise<readonly TopicDurability[] | null> {
  if (names.length === 0) return [];
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
  const copies = new Map(
    topics.map(({ name, partitions }) => [name, Math.min(...partitions.map(({ replicas }) => replicas.length))]),
  );
  try {
    const settings = await readTopicSettings(admin, names, settingNames);
    return [...settings].map(([name, values]) => ({
      name,
      copies: copies.get(name) ?? 0,
      minInSyncReplicas: Number(values.get('min.insync.replicas') ?? 1),
      electsUnclean: values.get('unclean.leader.election.enable') === 'true',
    }));
  } catch (error) {
    if (isKafkaAccessRefused(error)) return null;
    throw error;
  }
}

/** Why topics of that kind cannot be used, and what to do. */
export const describeUncleanElection = (names: readonly string[]): string =>
  `${names.join(', ')}: unclean.leader.election.enable is true, so that Kafka may drop records that were acknowledged, and store others at their offsets. Set it to false: kafka-configs.sh --alter --entity-type topics --entity-name NAME --add-config unclean.leader.election.enable=false`;
