import type { RecordTopicName } from '@tenantscope/contract';
import { activityFormats } from './activity/activity-formats.ts';
import { alertFormats } from './alert/alert-formats.ts';
import { action } from './domain/action.ts';
import { agentEvidence } from './domain/agent-evidence.ts';
import { compliance } from './domain/compliance.ts';
import { detection } from './domain/detection.ts';
import type { DomainKind } from './domain/domain-record.ts';
import { notification } from './domain/notification.ts';
import { policyScan } from './domain/policy-scan.ts';
import { formatRecordKey } from './domain/record-key.ts';
import { domainEntities } from './entity/domain-entity.ts';
import { entityFormats } from './entity/source-formats.ts';
import { readJson } from './json/read-json.ts';
import { isObject } from './json/value.ts';
import { toEventType } from './message/event-type.ts';
import { isRejection } from './message/rejection.ts';

/** How records of a format are published: the attributes of their messages. */
export interface PublishedFormat {
  readonly name: string;
  readonly topic: 'activity' | RecordTopicName;
  /** The event type of all its records; null of the product's own records, whose type depends on the record. */
  readonly eventType: string | null;
  /** The event type and the key of a record. A record that cannot be read gets those that let its own fault be the reason of its dead letter. */
  readonly addressRecord: (record: Buffer, tenantId: string) => { type: string; key: string | null };
}

/** By topic, the kinds of the product's own records; event types have the area before the kind. */
const domainTopics: readonly { topic: RecordTopicName; area: string; kinds: readonly DomainKind[] }[] = [
  { topic: 'detection', area: 'detection', kinds: [detection] },
  { topic: 'policyScan', area: 'policy-scan', kinds: [policyScan] },
  { topic: 'notification', area: 'notification', kinds: [notification] },
  { topic: 'action', area: 'action', kinds: [action] },
  { topic: 'agentEvidence', area: 'agent-evidence', kinds: agentEvidence },
  { topic: 'compliance', area: 'compliance', kinds: compliance },
  { topic: 'entity', area: 'entity', kinds: domainEntities },
];

/**
 * Every format of every topic, by name. A format of several topics belongs to the first: raw activity, whose records of alerts become alerts too. Its other topics
 * have names with the area in front, such as `entity/exchange.message-trace`.
 */
export const publishedFormats: ReadonlyMap<string, PublishedFormat> = new Map(
  [
    ...activityFormats.map((format) => rawFormat(format, format, 'activity')),
    ...listRecordFormats('alert', 'rawAlert', alertFormats),
    ...listRecordFormats('entity', 'rawEntity', entityFormats),
    ...domainTopics.flatMap(({ topic, area, kinds }) => kinds.map((kind) => domainFormat(topic, area, kind))),
  ].map((format) => [format.name, format]),
);

function listRecordFormats(
  area: string,
  topic: 'rawAlert' | 'rawEntity',
  formats: readonly string[],
): readonly PublishedFormat[] {
  return formats.map((format) => {
    const isShared = (activityFormats as readonly string[]).includes(format);
    return rawFormat(isShared ? `${area}/${format}` : format, format, topic);
  });
}

/** Keys of alerts and entities are optional; the tenant's own keeps the order of its activity. */
function rawFormat(name: string, format: string, topic: 'activity' | 'rawAlert' | 'rawEntity'): PublishedFormat {
  const type = toEventType(format);
  const addressRecord = (_: Buffer, tenantId: string) => ({ type, key: topic === 'activity' ? tenantId : null });
  return { name, topic, eventType: type, addressRecord };
}

function domainFormat(topic: RecordTopicName, area: string, { name: kind }: DomainKind): PublishedFormat {
  const name = kind === area ? kind : `${area}.${kind.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;
  const type = (verb: string) => `tenantscope.${area === kind ? '' : `${area}.`}${kind}.${verb}.v1`;
  return {
    name,
    topic,
    eventType: null,
    addressRecord(record, tenantId) {
      const parsed = readJson(record, 'the value');
      const value = isRejection(parsed) ? null : parsed.value;
      if (!isObject(value) || typeof value.id !== 'string') return { type: type('upserted'), key: null };
      const isDeletion = typeof value.deletedAt === 'string';
      return { type: type(isDeletion ? 'deleted' : 'upserted'), key: formatRecordKey(tenantId, kind, value.id) };
    },
  };
}
