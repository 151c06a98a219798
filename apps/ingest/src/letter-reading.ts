import { type Topic, topicName, topics } from '@tenantscope/contract';
import {
  type Message,
  type ReadingContext,
  readActivity,
  readRecords,
  readTenantRecord,
  type TenantFacts,
} from '@tenantscope/intake';
import type { LetterToHandle } from '@tenantscope/store';
import { neededAmong } from './packed-records.ts';
import { recordTopics } from './record-topics.ts';

/** What today's readers say of a letter's element; null: they would make a record of it. */
export type LetterReading = (letter: LetterToHandle, settings: LetterSettings) => Refused | null;

export interface Refused {
  readonly reason: string;
  readonly detail: string;
}

export interface LetterSettings {
  readonly tenants: ReadonlyMap<string, TenantFacts>;
  readonly nowMs: number;
  readonly maxRecordBytes: number;
}

type Reader = (message: Message, context: ReadingContext) => readonly { kind: string }[];

/** The readers of all topics with this prefix, as the lanes of those topics use them. */
export function letterReading(prefix: string): LetterReading {
  const named = (topic: Topic, reader: Reader) => [topicName(prefix, topic), reader] as const;
  const readers = new Map<string, Reader>([
    named(topics.activity, readActivity),
    named(topics.tenant, (message) => [readTenantRecord(message)]),
    ...recordTopics.map(({ topic, reads }) => named(topic, (message, context) => readRecords(reads, message, context))),
  ]);
  return (letter, { tenants, nowMs, maxRecordBytes }) => {
    const read = readers.get(letter.topic);
    if (!read) return { reason: 'UNKNOWN_TYPE', detail: `${letter.topic} is not read any more` };
    const message = { key: letter.key, value: letter.value, headers: neededAmong(letter.headers) };
    const context = {
      tenantOf: (tenantId: string) => tenants.get(tenantId),
      nowMs,
      maxValueBytes: maxRecordBytes,
      onlyElement: letter.element,
    };
    return read(message, context).find(isRefused) ?? null;
  };
}

const isRefused = (outcome: { kind: string }): outcome is { kind: 'rejected' } & Refused => outcome.kind === 'rejected';
