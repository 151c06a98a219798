import { productVersion } from '@tenantscope/contract';
import { wholeMessage } from '@tenantscope/intake';
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
import { readReplayedDeadLetterId, readReplayedElement } from './replay-headers.ts';

/** Whether a rejected element is stored: records of a closed tenant are counted and dropped. */
export const isStored = ({ reason }: Pick<RejectedElement, 'reason'>): boolean => reason !== 'TENANT_CLOSED';

/**
 * Stores an element that became no row, with the whole message, byte for byte. An element that fails in the replay of a whole message is
 * a dead letter of its own: the others became rows.
 */
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
    replayOf: concernsReplay(record, rejected) ? readReplayedDeadLetterId(record) : null,
  };
}

/** The replays that were read: their dead letters are settled. */
export function collectSettledReplays(
  records: readonly KafkaRecord[],
  rejected: readonly Pick<RejectedElement, 'record' | 'element'>[],
): Replay[] {
  return records.flatMap((record, index) => {
    const deadLetterId = readReplayedDeadLetterId(record);
    if (deadLetterId === null) return [];
    const failed = rejected.some((each) => each.record === index && concernsReplay(record, each));
    return failed ? [] : { deadLetterId, value: record.value };
  });
}

/** Whether a rejection is of the part of a message that is replayed, one element or the whole. */
function concernsReplay(record: KafkaRecord, { element }: Pick<RejectedElement, 'element'>): boolean {
  return element === (readReplayedElement(record) ?? wholeMessage);
}

function createOriginalMessage(lane: LaneIdentity & { topic: string }, record: KafkaRecord): ArrivedMessage {
  const { key, headers } = record.bound ?? record;
  return {
    id: deadLetterMessageId(lane.clusterId, lane.topicId, lane.partition, record.offset),
    topic: lane.topic,
    partition: lane.partition,
    offset: record.offset,
    producedAtMs: record.producedAtMs,
    key,
    value: record.value,
    headers: listHeaders(headers, listedHeadersMax).map(([name, value]) => [name, value ?? Buffer.alloc(0)]),
    importId: readImportHeader(record)?.importId ?? null,
    bindingId: record.bound?.bindingId ?? null,
  };
}

/** More headers than a dead letter is stored with, so that it is truncated. A record of 32 MiB may have 16 million, which as a list are gigabytes. */
const listedHeadersMax = 40_000;
