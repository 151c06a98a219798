import { Admin } from '@platformatic/kafka';
import { createAdminOptions } from '@tenantscope/publish/log-end';
import { describeKafkaError, type KafkaConnection } from '@tenantscope/runtime';

const connectTimeoutMs = 3_000;
const requestTimeoutMs = 5_000;

export interface TopicPresence {
  readonly clusterId: string;
  /** By topic: why it cannot be read; null where it exists. */
  readonly problems: ReadonlyMap<string, string | null>;
}

/** Reads which topics of a cluster exist, so that one that does not never stops the consumer of the others. */
export interface TopicPresenceReader extends AsyncDisposable {
  /** Throws when no broker responds. */
  read(topics: readonly string[]): Promise<TopicPresence>;
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
        const { id } = await admin.metadata({ topics: [], forceUpdate: true });
        const problems = new Map<string, string | null>();
        for (const topic of topics) problems.set(topic, await findProblem(admin, topic, connection));
        return { clusterId: id, problems };
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

async function findProblem(admin: Admin, topic: string, { brokers }: KafkaConnection): Promise<string | null> {
  try {
    await admin.metadata({ topics: [topic], forceUpdate: true });
    return null;
  } catch (error) {
    if (/^Unknown topic/.test((error as Error).message)) return 'the topic does not exist; it is read once it does';
    const description = describeKafkaError(error, { brokers, topic });
    if (description.includes('refuses access')) return description;
    throw error;
  }
}
