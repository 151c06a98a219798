import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { typeOfFormat } from '@tenantscope/intake';
import { cloudEvent, connectPublisher, type Message, type Publisher } from '@tenantscope/publish';
import type { DemoRecord } from './demo-record.ts';
import { demoStream } from './demo-stream.ts';
import type { DemoTenant } from './demo-tenants.ts';

interface Destination {
  readonly brokers: string;
  readonly topicPrefix: string;
}

/** Publishes records for one tenant as its collectors would; gives how many. */
export async function publishDemo(
  to: Destination & { tenantId: string; records: Iterable<DemoRecord> },
): Promise<number> {
  await using publisher = await connectPublisher({ brokers: to.brokers, clientId: 'tenantscope-demo' });
  return await publisher.publish(topicName(to.topicPrefix, topics.activity), messages(to.tenantId, to.records));
}

/**
 * Publishes every tenant's stream as it happens, until aborted. A hung or restarted broker costs nothing but time: what could not
 * be sent is sent again, and a record sent twice is one row.
 */
export async function publishDemoStream(
  to: Destination & {
    tenants: readonly { readonly tenant: DemoTenant; readonly tenantId: string }[];
    perSecond?: number;
    signal: AbortSignal;
  },
): Promise<void> {
  const { tenants, signal, perSecond = 2 } = to;
  const topic = topicName(to.topicPrefix, topics.activity);
  const startMs = Date.now();
  const streams = tenants.map(({ tenant, tenantId }) => due(tenantId, demoStream({ tenant, startMs, perSecond })));
  let unsent: Message[] = [];
  let publisher: Publisher | null = null;
  while (!signal.aborted) {
    unsent.push(...streams.flatMap((happened) => happened(Date.now())));
    try {
      publisher ??= await connectPublisher({ brokers: to.brokers, clientId: 'tenantscope-demo' });
      await publisher.publish(topic, unsent);
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
function due(tenantId: string, stream: Generator<DemoRecord, never>): (nowMs: number) => Message[] {
  let next = stream.next().value;
  return (nowMs) => {
    const happened: DemoRecord[] = [];
    for (; next.occurredAtMs <= nowMs; next = stream.next().value) happened.push(next);
    return [...messages(tenantId, happened)];
  };
}

function* messages(tenantId: string, records: Iterable<DemoRecord>): Generator<Message> {
  for (const { format, record, occurredAtMs } of records) {
    const value = Buffer.from(JSON.stringify(record));
    const id = crypto.randomUUID();
    yield cloudEvent({
      id,
      source: '/collectors/demo',
      type: typeOfFormat(format),
      tenantId,
      timeMs: occurredAtMs,
      value,
    });
  }
}

async function paused(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => {});
}
