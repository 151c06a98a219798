/** A Kafka topic that ingestion reads. Its name is the configured prefix, a dot and the suffix. */
export interface Topic {
  readonly suffix: string;
  /** `raw`: records as a provider wrote them; `domain`: records in the product's own format. */
  readonly content: 'raw' | 'domain';
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact' | 'compact,delete';
}

export const topics = {
  activity: { suffix: 'raw.activity.v1', content: 'raw', partitions: 12, cleanup: 'delete' },
  tenant: { suffix: 'tenant.v1', content: 'domain', partitions: 3, cleanup: 'compact' },
  detection: { suffix: 'detection.v1', content: 'domain', partitions: 3, cleanup: 'compact,delete' },
  policyScan: { suffix: 'policy-scan.v1', content: 'domain', partitions: 3, cleanup: 'delete' },
  notification: { suffix: 'notification.v1', content: 'domain', partitions: 3, cleanup: 'delete' },
  action: { suffix: 'action.v1', content: 'domain', partitions: 3, cleanup: 'compact' },
  rawAlert: { suffix: 'raw.alert.v1', content: 'raw', partitions: 3, cleanup: 'delete' },
  entity: { suffix: 'entity.v1', content: 'domain', partitions: 3, cleanup: 'compact' },
  rawEntity: { suffix: 'raw.entity.v1', content: 'raw', partitions: 3, cleanup: 'delete' },
  agentEvidence: { suffix: 'agent-evidence.v1', content: 'domain', partitions: 3, cleanup: 'compact,delete' },
  compliance: { suffix: 'compliance.v1', content: 'domain', partitions: 3, cleanup: 'compact' },
} as const satisfies Record<string, Topic>;

/**
 * States of rows that Kafka cannot give back otherwise, in one order. Ingestion writes it and reads it to find that its database was restored; no record of a
 * provider is in it, and nothing of it is ever deleted.
 */
export const ledgerTopic = { suffix: 'ledger.v1', partitions: 1, cleanup: 'delete' } as const;

export type TopicName = keyof typeof topics;

export function topicName(prefix: string, topic: Pick<Topic, 'suffix'>): string {
  return `${prefix}.${topic.suffix}`;
}
