import { migrate } from '@tenantscope/store';
import type { Answer } from './answer.ts';
import { onDatabase } from './database-failure.ts';
import { Refusal } from './failure.ts';
import { kafkaFailure } from './kafka-failure.ts';
import { kafkaSettings, migrationUrls } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { makeTopics, type TopicOutcome } from './topics.ts';

/** Brings the database and the topics up to what this version needs. Done twice, the second time does nothing and says so. */
export async function migrateAll(options: { addPartitions?: boolean }, around: Surroundings): Promise<Answer> {
  const urls = migrationUrls(around.environment);
  const kafka = kafkaSettings(around.environment);
  const { applied } = await onDatabase(urls.owner, 'TENANTSCOPE_OWNER_DATABASE_URL', () => migrate(urls));
  const topics = await makeTopics(kafka, { addPartitions: options.addPartitions ?? false }).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'KafkaSilent') throw error;
    throw new Refusal(kafkaFailure(error, { brokers: kafka.brokers, topic: `${kafka.topicPrefix}.*` }));
  });
  const lines = [
    applied.length === 0 ? 'The database is up to date.' : `The database: ${applied.join(', ')}.`,
    ...topics.map(sentence),
  ];
  return { document: { database: { applied }, topics }, text: lines.join('\n') };
}

function sentence({ name, partitions, planned, outcome }: TopicOutcome): string {
  switch (outcome) {
    case 'created':
      return `Topic ${name}: made with ${partitions} partitions.`;
    case 'grown':
      return `Topic ${name}: partitions added, now ${partitions}.`;
    case 'short':
      return `Topic ${name}: ${partitions} of ${planned} planned partitions. --add-partitions adds them where that is safe.`;
    case 'present':
      return `Topic ${name}: there, ${partitions} partitions.`;
  }
}
