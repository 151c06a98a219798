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

export type TopicName = keyof typeof topics;

export function topicName(prefix: string, topic: Topic): string {
  return `${prefix}.${topic.suffix}`;
}
