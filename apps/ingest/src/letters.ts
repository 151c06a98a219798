import {
  type ArrivedMessage,
  type DeadLetter,
  deadLetterId,
  deadLetterMessageId,
  type LaneIdentity,
  type Replay,
} from '@tenantscope/store';
import packageJson from '../package.json' with { type: 'json' };
import type { Rejected } from './prepare.ts';
import type { ArrivedRecord } from './reader.ts';
import { listHeaders } from './record-headers.ts';
import { replayedLetterOf } from './replay.ts';

/** What could not become a row, with the message it came in, byte for byte. */
export function deadLetterOf(
  lane: LaneIdentity & { topic: string },
  record: ArrivedRecord,
  rejected: Omit<Rejected, 'record'>,
): DeadLetter {
  const message = arrivedMessage(lane, record);
  return {
    id: deadLetterId(message.id, rejected.element),
    message,
    element: rejected.element,
    tenantId: rejected.tenantId,
    reason: rejected.reason,
    stage: rejected.stage,
    detail: rejected.detail,
    format: rejected.format,
    workerVersion: packageJson.version,
    replayOf: replayedLetterOf(record),
  };
}

/** The letters whose replays have nothing left to be set aside. */
export function settledLettersOf(records: readonly ArrivedRecord[], isComplete: (index: number) => boolean): Replay[] {
  return records.flatMap((record, index) => {
    const letterId = isComplete(index) ? replayedLetterOf(record) : null;
    return letterId === null ? [] : { letterId, value: record.value };
  });
}

function arrivedMessage(lane: LaneIdentity & { topic: string }, record: ArrivedRecord): ArrivedMessage {
  return {
    id: deadLetterMessageId(lane.clusterId, lane.topicId, lane.partition, record.offset),
    topic: lane.topic,
    partition: lane.partition,
    offset: record.offset,
    producedAtMs: record.producedAtMs,
    key: record.key,
    value: record.value,
    headers: listHeaders(record.headers).map(([name, value]) => [name, value ?? Buffer.alloc(0)]),
  };
}
