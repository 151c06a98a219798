/** A Kafka topic the product reads: its name is the configured prefix, a dot and the suffix. */
export interface Topic {
  readonly suffix: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
}

export const topics = {
  activity: { suffix: 'raw.activity.v1', partitions: 12, cleanup: 'delete' },
  tenant: { suffix: 'tenant.v1', partitions: 3, cleanup: 'compact' },
} as const satisfies Record<string, Topic>;

export type TopicName = keyof typeof topics;

export function topicName(prefix: string, topic: Topic): string {
  return `${prefix}.${topic.suffix}`;
}

/** Headers that a replayed dead letter carries beside its own: the letter's id, and the one element of the original that is meant. */
export const replayHeaders = { letter: 'tenantscope-dead-letter', element: 'tenantscope-dead-letter-element' } as const;
