interface KafkaError {
  readonly name?: string;
  readonly type?: string;
  readonly message?: string;
  readonly cause?: unknown;
}

/** Describes a Kafka error by its innermost cause: which topic, which variable, what to do. */
export function describeKafkaError(error: unknown, at: { brokers: string; topic: string }): string {
  const { type, name = '', message = '' } = innermostCause(error);
  if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return `the topic ${at.topic} does not exist; run "tenantscope migrate"`;
  if (type === 'MESSAGE_TOO_LARGE') return `${at.topic} rejects records of this size (max.message.bytes)`;
  if (/Connection|Timeout|Broker/.test(name)) {
    return `Kafka at ${at.brokers} does not respond; check TENANTSCOPE_KAFKA_BROKERS`;
  }
  return `Kafka reported an error: ${type ?? name}: ${message}`;
}

function innermostCause(error: unknown): KafkaError {
  const failure = error as KafkaError;
  return failure.cause instanceof Error && failure.type === undefined ? innermostCause(failure.cause) : failure;
}
