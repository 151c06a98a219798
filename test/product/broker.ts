import { kafkaClient } from '@tenantscope/publish';
import type { Admin, Producer, ProducerRecord } from 'kafkajs';

/** The broker as a producer or an operator meets it who does not use the product's tools. */
export interface Broker extends AsyncDisposable {
  readonly admin: Admin;
  readonly producer: Producer;
  /** Appends to one partition, in order; gives back the offset of the first. */
  append(
    topic: string,
    partition: number,
    messages: readonly Omit<ProducerRecord['messages'][number], 'partition'>[],
    options?: Pick<ProducerRecord, 'compression'>,
  ): Promise<bigint>;
  /** The partition's first offset and one past its last. */
  offsets(topic: string, partition: number): Promise<{ low: bigint; high: bigint }>;
  /** Takes away what lies below, as retention does. */
  deleteBelow(topic: string, partition: number, offset: bigint): Promise<void>;
}

export async function connectBroker(brokers: string): Promise<Broker> {
  const client = kafkaClient({ brokers, clientId: 'test' });
  const admin = client.admin();
  const producer = client.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  return {
    admin,
    producer,
    async append(topic, partition, messages, options = {}) {
      const placed = messages.map((message) => ({ ...message, partition }));
      const [answer] = await producer.send({ topic, acks: -1, messages: placed, ...options });
      return BigInt(answer?.baseOffset ?? -1);
    },
    async offsets(topic, partition) {
      const found = (await admin.fetchTopicOffsets(topic)).find((one) => one.partition === partition);
      if (!found) throw new Error(`${topic}/${partition} is not there`);
      return { low: BigInt(found.low), high: BigInt(found.high) };
    },
    async deleteBelow(topic, partition, offset) {
      await admin.fetchTopicOffsets(topic); // else kafkajs does not know who leads it
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}
