import type { Admin, ITopicConfig } from 'kafkajs';
import { eventually } from './eventually.ts';

/**
 * Creates topics and waits until each of their partitions has a leader.
 * @NOTE kafkajs can wait too, but fails when a busy broker has not yet received the new topic from its controller.
 */
export async function createTopics(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  await admin.createTopics({ topics, waitForLeaders: false });
  const names = topics.map(({ topic }) => topic);
  await eventually(`${names.join(', ')} have leaders`, 30_000, async () => {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: names });
    return found.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0));
  });
}
