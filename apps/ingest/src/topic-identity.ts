import { Admin } from '@platformatic/kafka';

export interface TopicIdentity {
  clusterId: string;
  topicId: string;
  partitions: number;
}

const timeoutMs = 10_000;

/**
 * Reads what names a lane: the cluster's id and the topic's. kafkajs cannot (its metadata requests stop below the version that has topic
 * ids), so a second client asks, for this alone. Throws when the broker does not answer, the topic is missing or ids are not told.
 */
export async function readTopicIdentities(
  brokers: readonly string[],
  topics: readonly string[],
): Promise<Map<string, TopicIdentity>> {
  const admin = new Admin({
    clientId: 'tenantscope-topic-identity',
    bootstrapBrokers: [...brokers],
    retries: 0,
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
  });
  try {
    const metadata = await admin.metadata({ topics: [...topics] });
    const identities = new Map<string, TopicIdentity>();
    for (const name of topics) {
      const topic = metadata.topics.get(name);
      if (!topic) throw new Error(`The topic ${name} does not exist. Run «tenantscope migrate».`);
      if (!metadata.id || !isRealId(topic.id)) {
        throw new Error(
          `The broker tells no cluster id or no id of the topic ${name}; without them no lane can be named. Kafka 3.1 or later does.`,
        );
      }
      identities.set(name, {
        clusterId: metadata.id,
        topicId: topic.id.toLowerCase(),
        partitions: topic.partitionsCount,
      });
    }
    return identities;
  } finally {
    await admin.close().catch(() => {});
  }
}

const isRealId = (id: string | undefined): boolean => id !== undefined && /[1-9a-f]/i.test(id);
