import { ledgerTopic, topicName, topics } from '@tenantscope/contract';
import { createKafkaClient } from '@tenantscope/publish';
import { describeKafkaError } from '@tenantscope/runtime';
import type { Admin } from '@tenantscope/store/admin';
import { CommandError } from '../../command-error.ts';
import { readTopicPrefixes } from '../../connections/cell-topics.ts';
import { readKafkaSettings } from '../../connections/connection-settings.ts';
import type { Environment } from '../../connections/environment.ts';
import { readTopicSettings } from '../../connections/topic-settings.ts';

const dayMs = 86_400_000;

/** For how long a topic keeps records. */
export interface TopicRetention {
  readonly topic: string;
  /** Null: without limit. */
  readonly retentionDays: number | null;
  /** Records stay until their key is deleted, whatever their age. */
  readonly isCompacted: boolean;
}

/** The retention of the product's topics, of all cells, as the brokers have it. */
export async function readKafkaRetention(admin: Admin, environment: Environment): Promise<TopicRetention[]> {
  const { connection, topicPrefix } = readKafkaSettings(environment);
  const prefixes = [...(await readTopicPrefixes(admin, topicPrefix)).values()];
  const client = createKafkaClient({ ...connection, clientId: 'tenantscope-cli' }).admin();
  try {
    await client.connect();
    const existing = new Set(await client.listTopics());
    const names = prefixes
      .flatMap((prefix) => [...Object.values(topics), ledgerTopic].map((topic) => topicName(prefix, topic)))
      .filter((name) => existing.has(name));
    const settings = await readTopicSettings(client, names, ['retention.ms', 'cleanup.policy']);
    return [...settings].map(([topic, values]) => {
      const retentionMs = Number(values.get('retention.ms') ?? -1);
      const isCompacted = values.get('cleanup.policy') === 'compact';
      return {
        topic,
        retentionDays: isCompacted || retentionMs < 0 ? null : Math.ceil(retentionMs / dayMs),
        isCompacted,
      };
    });
  } catch (error) {
    throw new CommandError(describeKafkaError(error, connection));
  } finally {
    await client.disconnect().catch(() => {});
  }
}
