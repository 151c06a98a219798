import { type Topic, topicName, topics } from '@tenantscope/contract';
import {
  type Message,
  type ReadingContext,
  readActivity,
  readRecords,
  readTenantRecord,
  type TenantFacts,
} from '@tenantscope/intake';
import type { DeadLetterWithMessage } from '@tenantscope/store/ingest';
import { selectHeaders } from '../kafka/packed-records.ts';
import { recordTopics } from '../record/record-topics.ts';

/** Reads a dead letter again with the current readers. Null: its element would become a record. */
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

type Reader = (message: Message, context: ReadingContext) => readonly { kind: string }[];

/** Uses the readers of all topics with this prefix, the same as the lanes of those topics. */
export function createDeadLetterReader(prefix: string): DeadLetterReader {
  const forTopic = (topic: Topic, reader: Reader) => [topicName(prefix, topic), reader] as const;
  const readers = new Map<string, Reader>([
    forTopic(topics.activity, readActivity),
    forTopic(topics.tenant, (message, { nowMs }) => [readTenantRecord(message, nowMs)]),
    ...recordTopics.map(({ topic, recordTopic }) =>
      forTopic(topic, (message, context) => readRecords(recordTopic, message, context)),
    ),
  ]);
  return (deadLetter, { tenants, nowMs, maxRecordBytes }) => {
    const read = readers.get(deadLetter.topic);
    if (!read) return { reason: 'UNKNOWN_TYPE', detail: `topic ${deadLetter.topic} is no longer read` };
    const message = { key: deadLetter.key, value: deadLetter.value, headers: selectHeaders(deadLetter.headers) };
    const context = {
      findTenant: (tenantId: string) => tenants.get(tenantId),
      nowMs,
      maxValueBytes: maxRecordBytes,
      onlyElement: deadLetter.element,
    };
    return read(message, context).find(isRejection) ?? null;
  };
}

const isRejection = (outcome: { kind: string }): outcome is { kind: 'rejected' } & Rejection =>
  outcome.kind === 'rejected';
