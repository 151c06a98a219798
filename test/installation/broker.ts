import { createKafkaClient } from '@tenantscope/publish';
import type { Admin, Producer, ProducerRecord } from 'kafkajs';

/** The broker for a producer or an operator without the tools of the product. */
export interface Broker extends AsyncDisposable {
  readonly admin: Admin;
  readonly producer: Producer;
  /** Appends to one partition in order; returns the offset of the first message. */
  append(
    topic: string,
    partition: number,
    messages: readonly Omit<ProducerRecord['messages'][number], 'partition'>[],
    options?: Pick<ProducerRecord, 'compression'>,
  ): Promise<bigint>;
  /** The first offset of the partition and the offset after its last. */
  offsets(topic: string, partition: number): Promise<{ low: bigint; high: bigint }>;
  /** Deletes the records below this offset, as retention does. */
  deleteBelow(topic: string, partition: number, offset: bigint): Promise<void>;
}

export async function connectBroker(brokers: string): Promise<Broker> {
  const client = createKafkaClient({ brokers, clientId: 'test' });
  const admin = client.admin();
  const producer = client.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  return {
    admin,
    producer,
    async append(topic, partition, messages, options = {}) {
      const placed = messages.map((message) => ({ ...message, partition }));
      const [result] = await producer.send({ topic, acks: -1, messages: placed, ...options });
      return BigInt(result?.baseOffset ?? -1);
    },
    async offsets(topic, partition) {
      const found = (await admin.fetchTopicOffsets(topic)).find((one) => one.partition === partition);
      if (!found) throw new Error(`partition ${topic}/${partition} does not exist`);
      return { low: BigInt(found.low), high: BigInt(found.high) };
    },
    async deleteBelow(topic, partition, offset) {
      await admin.fetchTopicOffsets(topic); // so that kafkajs knows the partition leader
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}
