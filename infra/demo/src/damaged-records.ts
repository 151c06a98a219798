import { topicName, topics } from '@tenantscope/contract';
import { toEventType } from '@tenantscope/intake';
import { type BrokerConnection, connectPublisher, createCloudEventMessage, type Message } from '@tenantscope/publish';
import { demoHistory } from './demo-history.ts';
import type { DemoRecord } from './demo-record.ts';
import type { DemoTenant } from './demo-tenants.ts';

const dayMs = 86_400_000;

/** A tenant that was connected before it was registered. */
export const unregisteredTenantId = '6f0d3a52-94c1-4c1e-8f5b-2b7a90d1e36c';

/** Publishes a few malformed records, as in any real installation. Returns their number. */
export async function publishDamagedRecords(to: {
  kafka: BrokerConnection;
  topicPrefix: string;
  tenant: DemoTenant;
  tenantId: string;
  endMs: number;
}): Promise<number> {
  const { kafka, topicPrefix, tenant, tenantId, endMs } = to;
  await using publisher = await connectPublisher({ ...kafka, clientId: 'tenantscope-demo' });
  return await publisher.publish(topicName(topicPrefix, topics.activity), [
    ...createDamagedMessages(tenant, tenantId, endMs),
  ]);
}

function* createDamagedMessages(tenant: DemoTenant, tenantId: string, endMs: number): Generator<Message> {
  const [one, another, third, fourth] = [...demoHistory({ tenant, endMs, days: 1, seed: 'damaged', count: 40 })].filter(
    ({ format }) => format === 'o365.management-activity',
  );
  if (!one || !another || !third || !fourth) return;
  const text = JSON.stringify(one.record);
  // Truncated: the collector was killed while writing.
  yield message(tenantId, one, Buffer.from(text.slice(0, Math.ceil(text.length * 0.6))));
  // Not UTF-8: a proxy re-encoded the text as Latin-1.
  yield message(
    tenantId,
    another,
    Buffer.from(JSON.stringify({ ...another.record, ObjectId: 'Café Zürich.docx' }), 'latin1'),
  );
  // In the future: the clock of the collector is wrong.
  const ahead = new Date(endMs + 30 * dayMs).toISOString().slice(0, 19);
  yield message(tenantId, third, Buffer.from(JSON.stringify({ ...third.record, CreationTime: ahead })));
  yield message(unregisteredTenantId, fourth, Buffer.from(JSON.stringify(fourth.record)));
}

function message(tenantId: string, { format, occurredAtMs: timeMs }: DemoRecord, value: Buffer): Message {
  return createCloudEventMessage({
    id: crypto.randomUUID(),
    source: '/collectors/demo',
    type: toEventType(format),
    tenantId,
    timeMs,
    value,
  });
}
