import { Admin, type ClusterMetadata } from '@platformatic/kafka';
import { createAdminOptions, probeReadAccess } from '@tenantscope/publish/log-end';
import { describeKafkaError, type KafkaConnection } from '@tenantscope/runtime';

const connectTimeoutMs = 3_000;
const requestTimeoutMs = 5_000;
const topicAuthorizationFailed = 29;

/** By topic: why it cannot be read; null where it can. */
export type TopicProblems = ReadonlyMap<string, string | null>;

/** Reads which topics of a cluster exist and may be read, so that one that cannot never stops the consumer of the others. */
export interface TopicPresenceReader extends AsyncDisposable {
  /** Throws when no broker responds. */
  read(topics: readonly string[]): Promise<TopicProblems>;
}

export function createTopicPresenceReader(connection: KafkaConnection): TopicPresenceReader {
  let client: Admin | null = null;
  const openClient = () =>
    new Admin({
      ...createAdminOptions(connection, 'tenantscope-bindings'),
      connectTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
    });
  return {
    async read(topics) {
      client ??= openClient();
      const admin = client;
      try {
        await admin.metadata({ topics: [], forceUpdate: true });
        const described = new Map<string, ClusterMetadata | string>();
        for (const topic of topics) described.set(topic, await describeTopic(admin, topic, connection));
        const refused = await findRefused(admin, described);
        return new Map(
          [...described].map(([topic, found]) => {
            if (typeof found === 'string') return [topic, found];
            return [topic, refused.has(topic) ? describeRefusal(topic, connection) : null];
          }),
        );
      } catch (error) {
        client = null;
        await admin.close().catch(() => {});
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await client?.close().catch(() => {});
    },
  };
}

/** The metadata of a topic, or why there is none. */
async function describeTopic(
  admin: Admin,
  topic: string,
  connection: KafkaConnection,
): Promise<ClusterMetadata | string> {
  try {
    return await admin.metadata({ topics: [topic], forceUpdate: true });
  } catch (error) {
    if (/^Unknown topic/.test((error as Error).message)) return 'the topic does not exist; it is read once it does';
    const description = describeKafkaError(error, { ...connection, topic });
    if (description.includes('refuses access')) return description;
    throw error;
  }
}

/**
 * The topics that may be described, but not read: a consumer with such a topic ends, and reads none of its topics. One request to each leader, which returns
 * no records.
 */
async function findRefused(
  admin: Admin,
  described: ReadonlyMap<string, ClusterMetadata | string>,
): Promise<ReadonlySet<string>> {
  const found = [...described].flatMap(([topic, metadata]) => {
    if (typeof metadata === 'string') return [];
    const partitions = metadata.topics.get(topic)?.partitions ?? [];
    const partition = partitions.findIndex((each) => metadata.brokers.has(each?.leader ?? -1));
    const broker = metadata.brokers.get(partitions[partition]?.leader ?? -1);
    return broker === undefined ? [] : [{ topic, partition, broker, address: `${broker.host}:${broker.port}` }];
  });
  const probed = await Promise.all(
    [...Map.groupBy(found, ({ address }) => address).values()]
      .map(async ([first, ...others]) => {
        if (first === undefined) return new Map<string, number>();
        // What cannot be probed is read: a leader that does not respond refuses nothing.
        return probeReadAccess(await admin.connections.get(first.broker), [first, ...others]);
      })
      .map((probe) => probe.catch(() => new Map<string, number>())),
  );
  const refused = probed.flatMap((errors) => [...errors].filter(([, code]) => code === topicAuthorizationFailed));
  return new Set(refused.map(([topic]) => topic));
}

function describeRefusal(topic: string, connection: KafkaConnection): string {
  const error = Object.assign(new Error('a fetch was refused'), { type: 'TOPIC_AUTHORIZATION_FAILED' });
  return `the topic may be described, but not read: ${describeKafkaError(error, { ...connection, topic })}`;
}
