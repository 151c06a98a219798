import { Admin } from '@platformatic/kafka';
import { createAdminOptions } from '@tenantscope/publish/log-end';
import type { KafkaConnection } from '@tenantscope/runtime';

export interface TopicIdentity {
  clusterId: string;
  topicId: string;
}

const timeoutMs = 10_000;

/**
 * Reads what identifies a topic's lanes: the ids of the cluster and the topic. kafkajs cannot (its metadata requests stop below the version
 * that has topic ids), so a second client is used, for this request only. Throws when the broker does not respond, the topic does not exist or the ids
 * are missing.
 */
export async function readTopicIdentity(kafka: KafkaConnection, name: string): Promise<TopicIdentity> {
  const admin = new Admin({
    ...createAdminOptions(kafka, 'tenantscope-topic-identity'),
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
  });
  try {
    const metadata = await admin.metadata({ topics: [name] });
    const topic = metadata.topics.get(name);
    if (!topic) throw new Error(`Topic ${name} does not exist. Run "tenantscope migrate".`);
    if (!metadata.id || !isPresent(topic.id)) {
      throw new Error(`The broker returned no cluster id or no id of topic ${name}. Use Kafka 3.1 or later.`);
    }
    return { clusterId: metadata.id, topicId: topic.id.toLowerCase() };
  } finally {
    await admin.close().catch(() => {});
  }
}

/** An id of zeros is what older brokers return. */
const isPresent = (id: string | undefined): boolean => id !== undefined && /[1-9a-f]/i.test(id);

/** The addresses of the bootstrap brokers. */
export function listBrokers({ brokers }: KafkaConnection): string[] {
  return brokers.split(',').map((broker) => broker.trim());
}
