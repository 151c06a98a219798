import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { answers, kafkaClient } from '@tenantscope/publish';
import type { KafkaSettings } from './settings.ts';

/** What became of one topic. `short`: it is there with fewer partitions than planned, and was left so. */
export interface TopicOutcome {
  readonly name: string;
  readonly partitions: number;
  readonly planned: number;
  readonly outcome: 'created' | 'present' | 'grown' | 'short';
}

/**
 * A record of 1 MiB must pass with its envelope, and one somewhat larger must reach ingestion, which keeps it as TOO_LARGE;
 * the brokers' own default of 1 MiB would have the producer drop it.
 */
const maxMessageBytes = 2 * 1_048_576;

const leadersTimeoutMs = 10_000;

/**
 * Makes the topics that are missing. Partitions are added only on demand and never to a compacted topic: keys would move, and an
 * older state of one could be read after a newer.
 */
export async function makeTopics(
  settings: KafkaSettings,
  options: { addPartitions: boolean },
): Promise<TopicOutcome[]> {
  const admin = kafkaClient({ brokers: settings.brokers, clientId: 'tenantscope-migrate' }).admin();
  await answers(settings.brokers, 5_000, admin.connect());
  try {
    const there = new Set(await admin.listTopics());
    const outcomes: TopicOutcome[] = [];
    for (const topic of Object.values(topics)) {
      const name = topicName(settings.topicPrefix, topic);
      const planned = topic.partitions;
      const made =
        !there.has(name) && (await admin.createTopics({ topics: [configured(name, topic)], waitForLeaders: false }));
      await untilLed(admin, name);
      if (made) {
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
    return outcomes;
  } finally {
    await admin.disconnect();
  }
}

/**
 * Waits until brokers know the topic and each of its partitions has a leader.
 * @NOTE kafkajs has a wait of its own, which fails when a busy broker has not yet heard of what its controller just made.
 */
async function untilLed(admin: ReturnType<ReturnType<typeof kafkaClient>['admin']>, name: string): Promise<void> {
  for (const deadline = Date.now() + leadersTimeoutMs; ; await sleep(50)) {
    try {
      const { topics: found } = await admin.fetchTopicMetadata({ topics: [name] });
      const partitions = found[0]?.partitions ?? [];
      if (partitions.length > 0 && partitions.every(({ leader }) => leader >= 0)) return;
    } catch (error) {
      if (Date.now() > deadline || (error as { type?: string }).type !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
    }
    if (Date.now() > deadline) throw new Error(`The partitions of ${name} have no leader after ${leadersTimeoutMs} ms`);
  }
}

function configured(name: string, topic: (typeof topics)[keyof typeof topics]) {
  return {
    topic: name,
    numPartitions: topic.partitions,
    configEntries: [
      { name: 'cleanup.policy', value: topic.cleanup },
      { name: 'max.message.bytes', value: String(maxMessageBytes) },
    ],
  };
}
