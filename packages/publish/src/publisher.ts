import { Partitioners } from 'kafkajs';
import type { Message } from './cloud-event.ts';
import { cutSends } from './cut-sends.ts';
import { answers, kafkaClient } from './kafka-client.ts';

export interface Publisher extends AsyncDisposable {
  /** Resolves when all in-sync replicas hold every message; rejects when they may not. As much as one request may carry. */
  send(topic: string, messages: readonly Message[]): Promise<void>;
  /** Sends a stream of messages one send after the other, so that what is read waits for what is written. */
  publish(topic: string, messages: AsyncIterable<Message> | Iterable<Message>): Promise<number>;
}

/** Connects a producer; throws KafkaSilent when no broker answers within `timeoutMs`. */
export async function connectPublisher(options: {
  brokers: string;
  clientId: string;
  timeoutMs?: number;
}): Promise<Publisher> {
  const timeoutMs = options.timeoutMs ?? 5_000;
  // The Java-compatible partitioner, said explicitly: the older one of kafkajs puts the same key elsewhere.
  const producer = kafkaClient({ ...options, timeoutMs }).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await answers(options.brokers, timeoutMs, producer.connect());

  const send = async (topic: string, messages: readonly Message[]): Promise<void> => {
    await producer.send({ topic, acks: -1, messages: messages.map(mutable) });
  };

  return {
    send,
    async publish(topic, messages) {
      let published = 0;
      for await (const part of cutSends(messages)) {
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
