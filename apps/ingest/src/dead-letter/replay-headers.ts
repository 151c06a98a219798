import { replayHeaders } from '@tenantscope/publish';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { lastHeader } from '../kafka/record-headers.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id of the dead letter that a record replays, by its header. */
export function readReplayedDeadLetterId(record: KafkaRecord): string | null {
  const id = lastHeader(record.headers, replayHeaders.deadLetter);
  return id !== undefined && uuid.test(id) ? id : null;
}

/** The one element of an exploded array that is replayed; null where a whole message is. */
export function readReplayedElement(record: KafkaRecord): number | null {
  if (readReplayedDeadLetterId(record) === null) return null;
  const element = lastHeader(record.headers, replayHeaders.element);
  return element !== undefined && /^\d{1,9}$/.test(element) ? Number(element) : null;
}
