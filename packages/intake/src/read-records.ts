import type { RecordTopicName } from '@tenantscope/contract';
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
import type { Message } from './message/envelope.ts';
import type { ReadingContext } from './message/reading-context.ts';
import type { RecordOutcome } from './message/record-outcome.ts';

type Reader = (message: Message, context: ReadingContext) => RecordOutcome[];

/** The reader of each topic, by the topic's name in the contract. */
const readers: Readonly<Record<RecordTopicName, Reader>> = {
  detection: domain('detection', detection),
  policyScan: domain('policy-scan', policyScan),
  notification: domain('notification', notification),
  action: domain('action', action),
  agentEvidence: domain('agent-evidence', ...agentEvidence),
  compliance: domain('compliance', ...compliance),
  entity: domain('entity', ...domainEntities),
  rawAlert: readAlerts,
  rawEntity: readRawEntity,
};

/**
 * Reads one message of a topic of mutable records. Every record of the message gives exactly one outcome; a message that
 * cannot be split is one rejection. The outcomes depend on nothing but the message and the context. Never throws.
 */
export function readRecords(topic: RecordTopicName, message: Message, context: ReadingContext): RecordOutcome[] {
  return readers[topic](message, context);
}

/** The reader of one topic; event types may have the topic's area before the kind. */
function domain(area: string, ...kinds: readonly DomainKind[]): Reader {
  return (message, context) => readDomainRecord(area, kinds, message, context);
}
