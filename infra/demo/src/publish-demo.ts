import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { typeOfFormat } from '@tenantscope/intake';
import { cloudEvent, connectPublisher, type Message } from '@tenantscope/publish';
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
  const topic = topicName(to.topicPrefix, topics.activity);
  const startMs = Date.now();
  const streams = to.tenants.map(({ tenant, tenantId }) => ({
    tenantId,
    records: demoStream({ tenant, startMs, ...(to.perSecond === undefined ? {} : { perSecond: to.perSecond }) }),
  }));
  let waiting = streams.map(({ tenantId, records }) => ({ tenantId, records, next: records.next().value }));
  let unsent: Message[] = [];
  while (!to.signal.aborted) {
    try {
      await using publisher = await connectPublisher({ brokers: to.brokers, clientId: 'tenantscope-demo' });
      while (!to.signal.aborted) {
        waiting = waiting.map(({ tenantId, records, next }) => {
          let upcoming = next;
          for (; upcoming.occurredAtMs <= Date.now(); upcoming = records.next().value) {
            unsent.push(...messages(tenantId, [upcoming]));
          }
          return { tenantId, records, next: upcoming };
        });
        await publisher.publish(topic, unsent);
        unsent = [];
        await paused(200, to.signal);
      }
    } catch {
      await paused(2_000, to.signal);
    }
  }
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
