import { setTimeout as sleep } from 'node:timers/promises';
import { type TopicName, topicName, topics } from '@tenantscope/contract';
import { typeOfFormat } from '@tenantscope/intake';
import { cloudEvent, connectPublisher, type Message, type Publisher } from '@tenantscope/publish';
import type { DemoRecord } from './demo-record.ts';
import { type DemoState, messagesOf } from './demo-state.ts';

interface Destination {
  readonly brokers: string;
  readonly topicPrefix: string;
}

/** What a company's collectors and the platform hand over. */
export type Happening = DemoRecord | DemoState;

/** Publishes records for one tenant as those who make them would, topic by topic and in their order; gives how many messages. */
export async function publishDemo(
  to: Destination & { tenantId: string; records: Iterable<Happening> },
): Promise<number> {
  const byTopic = Map.groupBy(addressed(to.tenantId, to.records), ({ topic }) => topic);
  await using publisher = await connectPublisher({ brokers: to.brokers, clientId: 'tenantscope-demo' });
  let published = 0;
  for (const [topic, some] of byTopic)
    published += await publisher.publish(
      topicName(to.topicPrefix, topics[topic]),
      some.map(({ message }) => message),
    );
  return published;
}

/**
 * Publishes streams as they happen, until aborted. A hung or restarted broker costs nothing but time: what could not be sent is sent again, and
 * a record sent twice is one row.
 */
export async function publishDemoStream(
  to: Destination & {
    streams: readonly { readonly tenantId: string; readonly happenings: Iterator<Happening, never> }[];
    signal: AbortSignal;
  },
): Promise<void> {
  const { signal } = to;
  const streams = to.streams.map(({ tenantId, happenings }) => due(tenantId, happenings));
  let unsent: Addressed[] = [];
  let publisher: Publisher | null = null;
  while (!signal.aborted) {
    unsent.push(...streams.flatMap((happened) => happened(Date.now())));
    try {
      publisher ??= await connectPublisher({ brokers: to.brokers, clientId: 'tenantscope-demo' });
      for (const [topic, some] of Map.groupBy(unsent, (one) => one.topic)) {
        await publisher.publish(
          topicName(to.topicPrefix, topics[topic]),
          some.map(({ message }) => message),
        );
      }
      unsent = [];
      await paused(everyMs, signal);
    } catch {
      // Whatever it was, it was Kafka: a new connection later will tell, and `unsent` waits.
      await publisher?.[Symbol.asyncDispose]();
      publisher = null;
      await paused(againMs, signal);
    }
  }
  await publisher?.[Symbol.asyncDispose]();
}

const everyMs = 200;
const againMs = 2_000;

/** Gives at each call what has happened since the last one. */
function due(tenantId: string, happenings: Iterator<Happening, never>): (nowMs: number) => Addressed[] {
  let next = happenings.next().value;
  return (nowMs) => {
    const happened: Happening[] = [];
    for (; timeOf(next) <= nowMs; next = happenings.next().value) happened.push(next);
    return [...addressed(tenantId, happened)];
  };
}

interface Addressed {
  readonly topic: TopicName;
  readonly message: Message;
}

function* addressed(tenantId: string, happenings: Iterable<Happening>): Generator<Addressed> {
  for (const happening of happenings) {
    if ('topic' in happening) {
      for (const message of messagesOf(happening, tenantId)) yield { topic: happening.topic, message };
    } else {
      yield { topic: 'activity', message: messageOf(tenantId, happening) };
    }
  }
}

function messageOf(tenantId: string, { format, record, occurredAtMs: timeMs }: DemoRecord): Message {
  const value = Buffer.from(JSON.stringify(record));
  const type = typeOfFormat(format);
  return cloudEvent({ id: crypto.randomUUID(), source: '/collectors/demo', type, tenantId, timeMs, value });
}

function timeOf(happening: Happening): number {
  return 'topic' in happening ? happening.changedAtMs : happening.occurredAtMs;
}

async function paused(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => {});
}
