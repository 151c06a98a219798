import { Admin } from '@platformatic/kafka';
import { createAdminOptions, identifyTopic, type TopicIdentity } from '@tenantscope/publish/log-end';
import { type KafkaConnection, mainCluster } from '@tenantscope/runtime';

export interface LocatedTopic extends TopicIdentity {
  /** The configured name of the cluster. */
  readonly cluster: string;
}

const timeoutMs = 10_000;

/**
 * Reads what identifies a topic's lanes: the ids of the cluster and the topic. kafkajs cannot (its metadata requests stop below the version
 * that has topic ids), so a second client is used, for this request only. Throws when the broker does not respond, the topic does not exist or the ids
 * are missing.
 */
export async function readTopicIdentity(kafka: KafkaConnection, name: string): Promise<LocatedTopic> {
  const admin = new Admin({
    ...createAdminOptions(kafka, 'tenantscope-topic-identity'),
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
  });
  try {
    const metadata = await admin.metadata({ topics: [name] });
    if (!metadata.topics.get(name)) throw new Error(`Topic ${name} does not exist. Run "tenantscope migrate".`);
    const identity = identifyTopic(kafka, metadata, name);
    if (identity === null)
      throw new Error(`The broker returned no cluster id or no id of topic ${name}. Use Kafka 3.1 or later.`);
    return { cluster: kafka.cluster ?? mainCluster, ...identity };
  } finally {
    await admin.close().catch(() => {});
  }
}

/** The addresses of the bootstrap brokers. */
export function listBrokers({ brokers }: KafkaConnection): string[] {
  return brokers.split(',').map((broker) => broker.trim());
}
