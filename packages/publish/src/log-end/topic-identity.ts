import { createHash } from 'node:crypto';
import type { AdminConnection } from './admin-options.ts';

/** What tells the logs of a topic from those of any other topic, also from one of the same name that was deleted before. */
export interface TopicIdentity {
  readonly clusterId: string;
  readonly topicId: string;
}

/** As a client reads it; ids are missing where the protocol version of the broker has none. */
interface TopicMetadata {
  readonly id?: string | null;
  readonly topics: ReadonlyMap<string, { readonly id?: string } | undefined>;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const noUuid = /^[0-]+$/;

/**
 * The identity of a topic; null where the main cluster returns no ids. Azure Event Hubs has no topic ids, since its requests for metadata end at
 * version 5 (ids begin at 10): on a further cluster the name is the identity then. A recreated topic is found by its offsets alone there.
 */
export function identifyTopic(
  { cluster, brokers }: Pick<AdminConnection, 'cluster' | 'brokers'>,
  metadata: TopicMetadata,
  topic: string,
): TopicIdentity | null {
  const clusterId = metadata.id || null;
  // Without ids the client returns the name in place of the id; older brokers return zeros.
  const topicId = metadata.topics.get(topic)?.id?.toLowerCase() ?? '';
  const hasTopicId = uuidPattern.test(topicId) && !noUuid.test(topicId);
  if (clusterId !== null && hasTopicId) return { clusterId, topicId };
  if (cluster === undefined) return null;
  const namedCluster = clusterId ?? brokers.split(',')[0]?.trim() ?? '';
  return { clusterId: namedCluster, topicId: hasTopicId ? topicId : deriveTopicId(namedCluster, topic) };
}

/** A UUID of version 8, whose content is free: no broker returns one, since Kafka creates random ones of version 4. */
export function deriveTopicId(clusterId: string, topic: string): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([clusterId, topic]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Whether an id was derived from the name: requests that name topics by id cannot use it. */
export const isDerivedTopicId = (topicId: string): boolean => topicId[14] === '8';
