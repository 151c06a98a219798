interface BrokerFailure {
  readonly name?: string;
  readonly type?: string;
  readonly message?: string;
  readonly cause?: unknown;
}

/** What to tell of a failure of Kafka: which topic, which variable, what to do. The innermost cause is what happened. */
export function kafkaFailure(error: unknown, at: { brokers: string; topic: string }): string {
  const { type, name = '', message = '' } = innermost(error);
  if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return `the topic ${at.topic} does not exist: run «tenantscope migrate»`;
  if (type === 'MESSAGE_TOO_LARGE') return `${at.topic} takes no record of this size (its max.message.bytes)`;
  if (/Connection|Timeout|Broker/.test(name)) {
    return `Kafka at ${at.brokers} does not answer. TENANTSCOPE_KAFKA_BROKERS names it`;
  }
  return `Kafka refused: ${type ?? name}: ${message}`;
}

function innermost(error: unknown): BrokerFailure {
  const failure = error as BrokerFailure;
  return failure.cause instanceof Error && failure.type === undefined ? innermost(failure.cause) : failure;
}
