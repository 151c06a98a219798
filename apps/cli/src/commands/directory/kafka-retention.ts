import { dayMs, ledgerTopic, topicName, topics } from '@tenantscope/contract';
import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { describeKafkaError, type KafkaConnection, mainCluster } from '@tenantscope/runtime';
import type { Admin } from '@tenantscope/store/admin';
import type { Admin as KafkaAdmin } from 'kafkajs';
import { CommandError } from '../../command-error.ts';
import { readTopicPrefixes } from '../../connections/cell-topics.ts';
import { readClusterConnection, readKafkaSettings } from '../../connections/connection-settings.ts';
import type { Environment } from '../../connections/environment.ts';
import { readTopicSettings } from '../../connections/topic-settings.ts';

const connectTimeoutMs = 5_000;

/** For how long a topic keeps records. */
export interface TopicRetention {
  /** The configured name of its Kafka cluster. */
  readonly cluster: string;
  readonly topic: string;
  /** Null: without limit, or unknown. */
  readonly retentionDays: number | null;
  /** Records stay until their key is deleted, whatever their age. */
  readonly isCompacted: boolean;
  /** The cluster is not declared here or does not respond, or has no such topic that the login may describe. */
  readonly isUnknown: boolean;
}

/** The retention of the topics that have or had records of a tenant, as the brokers have it: those of the product, of all cells, and those of source bindings. */
export async function readKafkaRetention(
  admin: Admin,
  tenantId: string,
  environment: Environment,
): Promise<readonly TopicRetention[]> {
  const bound = Map.groupBy(await admin.bindings.listTopics(tenantId), ({ cluster }) => cluster);
  const read = await Promise.all([
    readProductTopics(admin, environment),
    ...[...bound].map(([cluster, found]) =>
      readBoundTopics(
        readClusterConnection(environment, cluster),
        cluster,
        found.map(({ topic }) => topic),
      ),
    ),
  ]);
  return read.flat();
}

async function readProductTopics(admin: Admin, environment: Environment): Promise<readonly TopicRetention[]> {
  const { connection, topicPrefix } = readKafkaSettings(environment);
  const prefixes = [...(await readTopicPrefixes(admin, topicPrefix)).values()];
  const names = prefixes.flatMap((prefix) =>
    [...Object.values(topics), ledgerTopic].map((topic) => topicName(prefix, topic)),
  );
  try {
    return await withCluster(connection, async (client, existing) =>
      readRetention(
        client,
        mainCluster,
        names.filter((name) => existing.has(name)),
      ),
    );
  } catch (error) {
    throw new CommandError(describeKafkaError(error, connection));
  }
}

/** They belong to others: what cannot be read of them does not prevent the erasure, and is named. */
async function readBoundTopics(
  connection: KafkaConnection | undefined,
  cluster: string,
  names: readonly string[],
): Promise<readonly TopicRetention[]> {
  const describeUnknown = (topic: string): TopicRetention => ({
    cluster,
    topic,
    retentionDays: null,
    isCompacted: false,
    isUnknown: true,
  });
  if (connection === undefined) return names.map(describeUnknown);
  try {
    return await withCluster(connection, async (client, existing) => {
      const read = async (name: string) =>
        existing.has(name) ? readRetention(client, cluster, [name]) : [describeUnknown(name)];
      // One by one: a login may describe some of them only.
      return (await Promise.all(names.map((name) => read(name).catch(() => [describeUnknown(name)])))).flat();
    });
  } catch {
    return names.map(describeUnknown);
  }
}

async function withCluster<Value>(
  connection: KafkaConnection,
  work: (client: KafkaAdmin, existing: ReadonlySet<string>) => Promise<Value>,
): Promise<Value> {
  const client = createKafkaClient({ ...connection, clientId: 'tenantscope-cli' }).admin();
  try {
    await waitForBroker(connection.brokers, connectTimeoutMs, client.connect());
    return await work(client, new Set(await client.listTopics()));
  } finally {
    await client.disconnect().catch(() => {});
  }
}

async function readRetention(client: KafkaAdmin, cluster: string, names: readonly string[]): Promise<TopicRetention[]> {
  const settings = await readTopicSettings(client, names, ['retention.ms', 'cleanup.policy']);
  return [...settings].map(([topic, values]) => {
    const retentionMs = Number(values.get('retention.ms') ?? -1);
    const isCompacted = values.get('cleanup.policy') === 'compact';
    return {
      cluster,
      topic,
      retentionDays: isCompacted || retentionMs < 0 ? null : Math.ceil(retentionMs / dayMs),
      isCompacted,
      isUnknown: false,
    };
  });
}
