import { detection } from './domain/detection.ts';
import { readDomainRecord } from './domain/domain-record.ts';
import type { Message } from './envelope.ts';
import type { ReadingContext } from './read-activity.ts';
import type { RecordOutcome } from './record-outcome.ts';

type Reader = (message: Message, context: ReadingContext) => RecordOutcome[];

/** Which reader takes the messages of a topic, by the topic's name in the contract. */
const readers = {
  detection: (message, context) => readDomainRecord('detection', [detection], message, context),
} as const satisfies Record<string, Reader>;

export type RecordTopic = keyof typeof readers;

/**
 * Reads one message of a topic of mutable records. Every record of the message ends as exactly one outcome; a message that
 * cannot be taken apart is one rejection. The outcomes depend on nothing but the message and the context. Throws on no
 * message whatever.
 */
export function readRecords(topic: RecordTopic, message: Message, context: ReadingContext): RecordOutcome[] {
  return readers[topic](message, context);
}
