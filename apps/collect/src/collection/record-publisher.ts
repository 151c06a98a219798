import { createHash } from 'node:crypto';
import { type TopicName, topicName, topics } from '@tenantscope/contract';
import { type PublishedFormat, publishedFormats } from '@tenantscope/intake';
import { createCloudEventMessage, type Message, type Publisher } from '@tenantscope/publish';
import { describeKafkaError } from '@tenantscope/runtime';
import type { ClaimedStream, CollectionGap } from '@tenantscope/store/collect';
import { describeGap } from '../provider/collection-gap.ts';
import type { Page } from '../provider/provider.ts';
import { ProviderFailure } from '../provider/provider-failure.ts';
import { findStream, type SourceStatus } from './source-status.ts';

/** Longer records are no rows: ingestion would dead-letter them as TOO_LARGE. */
const recordMaxBytes = 1_048_576;

interface InCell {
  /** Of the topics of the tenant's cell; null: that of the configuration. */
  readonly topicPrefix: string | null;
}

export interface RecordPublisher {
  /** Resolves when all in-sync replicas have every record, with the time `atMs`; returns those that are too long as gaps. Throws ProviderFailure if Kafka is unavailable. */
  publish(
    stream: ClaimedStream & InCell,
    page: Pick<Page, 'records' | 'times'>,
    atMs: number,
  ): Promise<readonly CollectionGap[]>;
  publishStatus(cell: InCell, status: SourceStatus): Promise<void>;
}

export function createRecordPublisher(publisher: Publisher, defaultPrefix: string, brokers: string): RecordPublisher {
  const send = async ({ topicPrefix }: InCell, format: PublishedFormat, messages: Iterable<Message>): Promise<void> => {
    const topic = topicName(topicPrefix ?? defaultPrefix, topics[format.topic as TopicName]);
    await publisher.publish(topic, messages).catch((error: unknown) => {
      throw new ProviderFailure('unavailable', describeKafkaError(error, { brokers, topic }));
    });
  };
  return {
    async publish(stream, { records, times = [] }, atMs) {
      const format = getFormat(findStream(stream).format);
      const isTooLong = (value: Buffer) => value.length > recordMaxBytes;
      const published = records.filter((value) => !isTooLong(value));
      await send(stream, format, createMessages(stream, format, published, atMs));
      return records.flatMap((value, index) => {
        const timeMs = Math.min(times[index] ?? atMs, atMs);
        const reason = `a record of ${value.length} bytes is longer than ${recordMaxBytes} bytes`;
        return isTooLong(value) ? [describeGap(timeMs, timeMs, reason)] : [];
      });
    },
    async publishStatus(cell, status) {
      const format = getFormat('compliance.source-status');
      const value = Buffer.from(JSON.stringify(status));
      const { tenantId, version } = status;
      const event = {
        id: `${status.id}/${version}`,
        source: '/collectors/tenantscope',
        tenantId,
        timeMs: Date.parse(status.changedAt),
        value,
      };
      await send(cell, format, [createCloudEventMessage({ ...event, ...format.addressRecord(value, tenantId) })]);
    },
  };
}

/** The id of a message is the digest of its record, so that a record that is collected again has the same id. */
function* createMessages(
  { tenantId, provider }: ClaimedStream,
  format: PublishedFormat,
  records: readonly Buffer[],
  atMs: number,
): Generator<Message> {
  for (const value of records) {
    const id = createHash('sha256').update(value).digest('base64url');
    const event = { id, source: `/collectors/${provider}`, tenantId, timeMs: atMs, value };
    yield createCloudEventMessage({ ...event, ...format.addressRecord(value, tenantId) });
  }
}

function getFormat(name: string): PublishedFormat {
  const format = publishedFormats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return format;
}
