import { readAlerts } from './alert/read-alerts.ts';
import { action } from './domain/action.ts';
import { agentEvidence } from './domain/agent-evidence.ts';
import { compliance } from './domain/compliance.ts';
import { detection } from './domain/detection.ts';
import { type DomainKind, readDomainRecord } from './domain/domain-record.ts';
import { notification } from './domain/notification.ts';
import { policyScan } from './domain/policy-scan.ts';
import { domainEntities } from './entity/domain-entity.ts';
import { readRawEntity } from './entity/raw-entity.ts';
import type { Message } from './envelope.ts';
import type { ReadingContext } from './reading-context.ts';
import type { RecordOutcome } from './record-outcome.ts';

type Reader = (message: Message, context: ReadingContext) => RecordOutcome[];

/** Which reader takes the messages of a topic, by the topic's name in the contract. */
const readers = {
  detection: domain('detection', detection),
  policyScan: domain('policy-scan', policyScan),
  notification: domain('notification', notification),
  action: domain('action', action),
  agentEvidence: domain('agent-evidence', ...agentEvidence),
  compliance: domain('compliance', ...compliance),
  entity: domain('entity', ...domainEntities),
  rawAlert: readAlerts,
  rawEntity: readRawEntity,
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

/** The records of one topic, whose area may stand before the kind in the type of an event. */
function domain(area: string, ...kinds: readonly DomainKind[]): Reader {
  return (message, context) => readDomainRecord(area, kinds, message, context);
}
