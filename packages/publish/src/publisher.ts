import { setTimeout as sleep } from 'node:timers/promises';
import { type ICustomPartitioner, Partitioners } from 'kafkajs';
import type { Message } from './cloud-event-message.ts';
import { type ClientOptions, createKafkaClient, waitForBroker } from './kafka-client.ts';
import { splitIntoBatches } from './split-batches.ts';

export interface Publisher extends AsyncDisposable {
  /** Resolves when all in-sync replicas have every message; rejects if they may not. At most the messages of one request. */
  send(topic: string, messages: readonly Message[]): Promise<void>;
  /** Sends a stream of messages batch by batch, so that reading waits for writing. Returns the number of messages. */
  publish(topic: string, messages: AsyncIterable<Message> | Iterable<Message>): Promise<number>;
}

const attempts = 5;
const firstPauseMs = 200;

/** Connects a producer; throws KafkaUnavailable if no broker responds within `timeoutMs`. */
export async function connectPublisher(options: ClientOptions): Promise<Publisher> {
  const timeoutMs = options.timeoutMs ?? 5_000;
  const producer = createKafkaClient({ ...options, timeoutMs }).producer({
    createPartitioner: rememberLastKey(Partitioners.DefaultPartitioner),
    allowAutoTopicCreation: false,
    retry: { retries: 0 },
  });
  await waitForBroker(options.brokers, timeoutMs, producer.connect());

  /**
   * @NOTE kafkajs 2.2.4 repeats a failed request for the brokers that did not acknowledge it. A message whose partition another broker
   * leads by then, or whose partition is chosen again, is not sent if that broker acknowledged its part before, and the request
   * resolves: 12 of 11,350 messages were lost while three brokers restarted. So the whole request is repeated; its records are stored once.
   */
  const send = async (topic: string, messages: readonly Message[]): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await producer.send({ topic, acks: -1, messages: messages.map(mutable) });
        return;
      } catch (error) {
        // The name of a failure that kafkajs would repeat.
        if (attempt === attempts || (error as Error).name !== 'KafkaJSNumberOfRetriesExceeded') throw error;
        await sleep(Math.min(firstPauseMs * 2 ** (attempt - 1), timeoutMs));
      }
    }
  };

  return {
    send,
    async publish(topic, messages) {
      let published = 0;
      for await (const part of splitIntoBatches(messages)) {
        await send(topic, part.messages);
        published += part.messages.length;
      }
      return published;
    },
    [Symbol.asyncDispose]: () => producer.disconnect(),
  };
}

function mutable(message: Message) {
  return { key: message.key, value: message.value, headers: { ...message.headers } };
}

/**
 * The Java-compatible partitioner; the legacy one of kafkajs assigns keys to other partitions. It hashes a key in 1.2 µs, and mostly all messages of a request have the
 * same one.
 */
function rememberLastKey(create: ICustomPartitioner): ICustomPartitioner {
  return () => {
    const choose = create();
    let last: { key: string; topic: string; partitions: number; partition: number } | null = null;
    return (input) => {
      const { topic, partitionMetadata, message } = input;
      const { key } = message;
      if (typeof key !== 'string') return choose(input);
      const partitions = partitionMetadata.length;
      if (last?.key !== key || last.topic !== topic || last.partitions !== partitions)
        last = { key, topic, partitions, partition: choose(input) };
      return last.partition;
    };
  };
}
