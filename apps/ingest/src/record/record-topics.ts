import { type RecordTopicName, recordTopicNames, type Topic, topics } from '@tenantscope/contract';

export interface RecordTopic {
  readonly topic: Topic;
  readonly recordTopic: RecordTopicName;
  /** In topics of our own records the loser of two states of one version becomes a dead letter; in those of providers it is stale. */
  readonly isFirstParty: boolean;
}

/** The topics of mutable records. */
export const recordTopics: readonly RecordTopic[] = recordTopicNames.map((recordTopic) => {
  const topic = topics[recordTopic];
  return { topic, recordTopic, isFirstParty: topic.content === 'domain' };
});
