/** What the errors of the drivers have in common. */
export interface DriverError extends Error {
  readonly code?: string;
  /** Kafka protocol errors: `type` in kafkajs, `apiId` in the other client. */
  readonly type?: string;
  readonly apiId?: string;
}

/** An error and everything it was caused by, outermost first; one error may have several causes. */
export function listCauses(error: unknown): readonly DriverError[] {
  if (!(error instanceof Error)) return [];
  // Not only AggregateError: kafkajs has a class of its own.
  const { errors } = error as { errors?: unknown };
  const several = Array.isArray(errors) ? errors : [];
  return [error as DriverError, ...[...several, error.cause].flatMap(listCauses)];
}
