import { productVersion } from '@tenantscope/contract';
import {
  type ArrivedMessage,
  type DeadLetter,
  deadLetterId,
  deadLetterMessageId,
  type LaneIdentity,
  type Replay,
} from '@tenantscope/store/ingest';
import type { RejectedElement } from '../activity/prepare-slice.ts';
import type { KafkaRecord } from '../kafka/kafka-reader.ts';
import { listHeaders } from '../kafka/record-headers.ts';
import { readImportHeader } from './import-header.ts';
import { readReplayedDeadLetterId } from './replay-headers.ts';

/** Stores an element that became no row, with the whole message, byte for byte. */
export function createDeadLetter(
  lane: LaneIdentity & { topic: string },
  record: KafkaRecord,
  rejected: Omit<RejectedElement, 'record'>,
): DeadLetter {
  const message = createOriginalMessage(lane, record);
  return {
    id: deadLetterId(message.id, rejected.element),
    message,
    element: rejected.element,
    tenantId: rejected.tenantId,
    reason: rejected.reason,
    stage: rejected.stage,
    detail: rejected.detail,
    format: rejected.format,
    workerVersion: productVersion,
    replayOf: readReplayedDeadLetterId(record),
  };
}

/** The replays of which every element became a row: their dead letters are settled. */
export function collectSettledReplays(
  records: readonly KafkaRecord[],
  isComplete: (index: number) => boolean,
): Replay[] {
  return records.flatMap((record, index) => {
    const deadLetterId = isComplete(index) ? readReplayedDeadLetterId(record) : null;
    return deadLetterId === null ? [] : { deadLetterId, value: record.value };
  });
}

function createOriginalMessage(lane: LaneIdentity & { topic: string }, record: KafkaRecord): ArrivedMessage {
  return {
    id: deadLetterMessageId(lane.clusterId, lane.topicId, lane.partition, record.offset),
    topic: lane.topic,
    partition: lane.partition,
    offset: record.offset,
    producedAtMs: record.producedAtMs,
    key: record.key,
    value: record.value,
    headers: listHeaders(record.headers).map(([name, value]) => [name, value ?? Buffer.alloc(0)]),
    importId: readImportHeader(record)?.importId ?? null,
  };
}
