import { type TopicName, topicName, topics } from '@tenantscope/contract';
import { findProviderTenant, findRejection, type TenantFacts, wholeMessage } from '@tenantscope/intake';
import type { DeadLetterWithMessage } from '@tenantscope/store/ingest';
import { selectHeaders } from '../kafka/packed-records.ts';

/** Reads a dead letter again with the current readers. Null: its element, or at least one of the whole message, would become a record. */
export type DeadLetterReader = (
  deadLetter: DeadLetterWithMessage,
  settings: DeadLetterReadSettings,
) => Rejection | null;

export interface Rejection {
  readonly reason: string;
  readonly detail: string;
}

export interface DeadLetterReadSettings {
  readonly tenants: ReadonlyMap<string, TenantFacts>;
  readonly nowMs: number;
  readonly maxRecordBytes: number;
}

/** Reads messages of all topics with this prefix as their lanes do. */
export function createDeadLetterReader(prefix: string): DeadLetterReader {
  const names = new Map(Object.entries(topics).map(([name, topic]) => [topicName(prefix, topic), name as TopicName]));
  return (deadLetter, { tenants, nowMs, maxRecordBytes }) => {
    const topic = names.get(deadLetter.topic);
    if (topic === undefined) return { reason: 'UNKNOWN_TYPE', detail: `topic ${deadLetter.topic} is no longer read` };
    const message = { key: deadLetter.key, value: deadLetter.value, headers: selectHeaders(deadLetter.headers) };
    return findRejection(topic, message, {
      findTenant: (tenantId: string) => tenants.get(tenantId),
      findProviderTenant: (providerId: string) => findProviderTenant(tenants, providerId),
      nowMs,
      maxValueBytes: maxRecordBytes,
      onlyElement: deadLetter.element === wholeMessage ? null : deadLetter.element,
    });
  };
}
