import { setTimeout as sleep } from 'node:timers/promises';
import { ledgerTopic, topicName, topics } from '@tenantscope/contract';
import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { isTopicUnknown } from '@tenantscope/runtime';
import { CommandError } from '../../command-error.ts';
import type { KafkaSettings } from '../../connections/connection-settings.ts';
import { describeUncleanElection, readTopicDurability } from './topic-durability.ts';

/** The outcome for one topic. `short`: the topic has fewer partitions than planned and was not changed. */
export interface TopicOutcome {
  readonly name: string;
  readonly partitions: number;
  readonly planned: number;
  readonly outcome: 'created' | 'present' | 'grown' | 'short';
}

/**
 * A record of 1 MiB must fit with its envelope, and a slightly larger one must reach ingestion, which dead-letters it as TOO_LARGE;
 * with the broker default of 1 MiB the producer would drop it.
 */
const maxMessageBytes = 2 * 1_048_576;

const leadersTimeoutMs = 10_000;
const pauseMs = 50;

/**
 * Creates missing topics. Partitions are added only on demand and never to a compacted topic: keys would move to other partitions, and
 * an older state of a key could be read after a newer one. Throws CommandError where Kafka may drop acknowledged records: a position in the log would
 * then stand for another record than the one that was read.
 */
export async function ensureTopics(
  settings: KafkaSettings,
  options: { addPartitions: boolean; hasDirectory: boolean },
): Promise<TopicOutcome[]> {
  const admin = createKafkaClient({ ...settings.connection, clientId: 'tenantscope-migrate' }).admin();
  await waitForBroker(settings.connection.brokers, 5_000, admin.connect());
  try {
    const existing = new Set(await admin.listTopics());
    const outcomes: TopicOutcome[] = [];
    for (const topic of listCellTopics(options.hasDirectory)) {
      const name = topicName(settings.topicPrefix, topic);
      const planned = topic.partitions;
      const created =
        !existing.has(name) &&
        (await admin.createTopics({ topics: [topicConfig(name, topic)], waitForLeaders: false }));
      await waitForLeaders(admin, name);
      if (created) {
        outcomes.push({ name, partitions: planned, planned, outcome: 'created' });
        continue;
      }
      const { topics: found } = await admin.fetchTopicMetadata({ topics: [name] });
      const partitions = found[0]?.partitions.length ?? 0;
      if (partitions >= planned) {
        outcomes.push({ name, partitions, planned, outcome: 'present' });
      } else if (options.addPartitions && !topic.cleanup.startsWith('compact')) {
        await admin.createPartitions({ topicPartitions: [{ topic: name, count: planned }] });
        outcomes.push({ name, partitions: planned, planned, outcome: 'grown' });
      } else {
        outcomes.push({ name, partitions, planned, outcome: 'short' });
      }
    }
    const names = outcomes.map(({ name }) => name);
    const durability = await whileUnknown(() => readTopicDurability(admin, names));
    const unclean = (durability ?? []).filter(({ electsUnclean }) => electsUnclean).map(({ name }) => name);
    if (unclean.length > 0) throw new CommandError(describeUncleanElection(unclean));
    return outcomes;
  } finally {
    await admin.disconnect();
  }
}

/** The records of tenants and organizations are in the topics of the cell default alone. */
export const listCellTopics = (hasDirectory: boolean) => [
  ...Object.values(topics).filter((topic) => hasDirectory || topic !== topics.tenant),
  ledgerTopic,
];

/**
 * Waits until each partition of the topic has a leader.
 * @NOTE kafkajs can wait too, but fails when a busy broker has not yet received the new topic from its controller.
 */
async function waitForLeaders(
  admin: ReturnType<ReturnType<typeof createKafkaClient>['admin']>,
  name: string,
): Promise<void> {
  for (const deadline = Date.now() + leadersTimeoutMs; ; await sleep(pauseMs)) {
    const { topics: found } = await whileUnknown(() => admin.fetchTopicMetadata({ topics: [name] }));
    const partitions = found[0]?.partitions ?? [];
    if (partitions.length > 0 && partitions.every(({ leader }) => leader >= 0)) return;
    if (Date.now() > deadline) throw new Error(`The partitions of ${name} have no leader after ${leadersTimeoutMs} ms`);
  }
}

/** Repeats a request that may reach a broker which has not yet received a new topic from its controller. */
async function whileUnknown<Response>(request: () => Promise<Response>): Promise<Response> {
  for (const deadline = Date.now() + leadersTimeoutMs; ; await sleep(pauseMs)) {
    try {
      return await request();
    } catch (error) {
      if (Date.now() > deadline || !isTopicUnknown(error)) throw error;
    }
  }
}

function topicConfig(name: string, topic: (typeof topics)[keyof typeof topics] | typeof ledgerTopic) {
  // Whatever the broker's default is, the ledger keeps every entry.
  const unlimited = ['retention.ms', 'retention.bytes'].map((setting) => ({ name: setting, value: '-1' }));
  return {
    topic: name,
    numPartitions: topic.partitions,
    configEntries: [
      { name: 'cleanup.policy', value: topic.cleanup },
      { name: 'max.message.bytes', value: String(maxMessageBytes) },
      ...(topic === ledgerTopic ? unlimited : []),
    ],
  };
}
