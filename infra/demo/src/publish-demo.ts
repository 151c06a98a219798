import { setTimeout as sleep } from 'node:timers/promises';
import { type TopicName, topicName, topics } from '@tenantscope/contract';
import { toEventType } from '@tenantscope/intake';
import {
  type BrokerConnection,
  connectPublisher,
  createCloudEventMessage,
  type Message,
  type Publisher,
} from '@tenantscope/publish';
import type { DemoRecord } from './demo-record.ts';
import { type DemoState, toMessages } from './demo-state.ts';

interface Destination {
  readonly kafka: BrokerConnection;
  readonly topicPrefix: string;
}

/** A record from a company's collectors or the platform. */
export type DemoEvent = DemoRecord | DemoState;

/** Publishes the records of one tenant, topic by topic and in order; returns the number of messages. */
export async function publishDemo(
  to: Destination & { tenantId: string; records: Iterable<DemoEvent> },
): Promise<number> {
  const byTopic = Map.groupBy(addressMessages(to.tenantId, to.records), ({ topic }) => topic);
  await using publisher = await connectPublisher({ ...to.kafka, clientId: 'tenantscope-demo' });
  let published = 0;
  for (const [topic, some] of byTopic)
    published += await publisher.publish(
      topicName(to.topicPrefix, topics[topic]),
      some.map(({ message }) => message),
    );
  return published;
}

/**
 * Publishes streams in real time until aborted. When a broker hangs or restarts, unsent records are sent again later; a record that is
 * sent twice becomes one row.
 */
export async function publishDemoStream(
  to: Destination & {
    streams: readonly { readonly tenantId: string; readonly happenings: Iterator<DemoEvent, never> }[];
    signal: AbortSignal;
  },
): Promise<void> {
  const { signal } = to;
  const streams = to.streams.map(({ tenantId, happenings }) => takeDueEvents(tenantId, happenings));
  let unsent: AddressedMessage[] = [];
  let publisher: Publisher | null = null;
  while (!signal.aborted) {
    unsent.push(...streams.flatMap((happened) => happened(Date.now())));
    try {
      publisher ??= await connectPublisher({ ...to.kafka, clientId: 'tenantscope-demo' });
      for (const [topic, some] of Map.groupBy(unsent, (one) => one.topic)) {
        await publisher.publish(
          topicName(to.topicPrefix, topics[topic]),
          some.map(({ message }) => message),
        );
      }
      unsent = [];
      await pause(publishIntervalMs, signal);
    } catch {
      // Only Kafka can fail here: reconnect later and send `unsent` again.
      await publisher?.[Symbol.asyncDispose]();
      publisher = null;
      await pause(retryDelayMs, signal);
    }
  }
  await publisher?.[Symbol.asyncDispose]();
}

const publishIntervalMs = 200;
const retryDelayMs = 2_000;

/** Returns a function that takes the events that became due since its last call. */
function takeDueEvents(
  tenantId: string,
  happenings: Iterator<DemoEvent, never>,
): (nowMs: number) => AddressedMessage[] {
  let next = happenings.next().value;
  return (nowMs) => {
    const happened: DemoEvent[] = [];
    for (; eventTimeMs(next) <= nowMs; next = happenings.next().value) happened.push(next);
    return [...addressMessages(tenantId, happened)];
  };
}

interface AddressedMessage {
  readonly topic: TopicName;
  readonly message: Message;
}

function* addressMessages(tenantId: string, happenings: Iterable<DemoEvent>): Generator<AddressedMessage> {
  for (const happening of happenings) {
    if ('topic' in happening) {
      for (const message of toMessages(happening, tenantId)) yield { topic: happening.topic, message };
    } else {
      yield { topic: 'activity', message: toMessage(tenantId, happening) };
    }
  }
}

function toMessage(tenantId: string, { format, record, occurredAtMs: timeMs }: DemoRecord): Message {
  const value = Buffer.from(JSON.stringify(record));
  const type = toEventType(format);
  return createCloudEventMessage({
    id: crypto.randomUUID(),
    source: '/collectors/demo',
    type,
    tenantId,
    timeMs,
    value,
  });
}

function eventTimeMs(happening: DemoEvent): number {
  return 'topic' in happening ? happening.changedAtMs : happening.occurredAtMs;
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => {});
}
