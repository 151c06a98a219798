import { topicName, topics } from '@tenantscope/contract';
import { typeOfFormat } from '@tenantscope/intake';
import { cloudEvent, connectPublisher, type Message } from '@tenantscope/publish';
import { demoHistory } from './demo-history.ts';
import type { DemoRecord } from './demo-record.ts';
import type { DemoTenant } from './demo-tenants.ts';

const dayMs = 86_400_000;

/** A tenant that somebody connected before it was entered here. */
export const unenteredTenantId = '6f0d3a52-94c1-4c1e-8f5b-2b7a90d1e36c';

/** What goes wrong in every life: so many records that nobody can read arrive beside the others. Gives how many. */
export async function publishDamaged(to: {
  brokers: string;
  topicPrefix: string;
  tenant: DemoTenant;
  tenantId: string;
  endMs: number;
}): Promise<number> {
  const { brokers, topicPrefix, tenant, tenantId, endMs } = to;
  await using publisher = await connectPublisher({ brokers, clientId: 'tenantscope-demo' });
  return await publisher.publish(topicName(topicPrefix, topics.activity), [...damaged(tenant, tenantId, endMs)]);
}

function* damaged(tenant: DemoTenant, tenantId: string, endMs: number): Generator<Message> {
  const [one, another, third, fourth] = [...demoHistory({ tenant, endMs, days: 1, seed: 'damaged', count: 40 })].filter(
    ({ format }) => format === 'o365.management-activity',
  );
  if (!one || !another || !third || !fourth) return;
  const text = JSON.stringify(one.record);
  // The collector was killed while it wrote.
  yield message(tenantId, one, Buffer.from(text.slice(0, Math.ceil(text.length * 0.6))));
  // A proxy made one byte of every letter beyond ASCII.
  yield message(
    tenantId,
    another,
    Buffer.from(JSON.stringify({ ...another.record, ObjectId: 'Café Zürich.docx' }), 'latin1'),
  );
  // A collector whose clock runs ahead.
  const ahead = new Date(endMs + 30 * dayMs).toISOString().slice(0, 19);
  yield message(tenantId, third, Buffer.from(JSON.stringify({ ...third.record, CreationTime: ahead })));
  yield message(unenteredTenantId, fourth, Buffer.from(JSON.stringify(fourth.record)));
}

function message(tenantId: string, { format, occurredAtMs: timeMs }: DemoRecord, value: Buffer): Message {
  return cloudEvent({
    id: crypto.randomUUID(),
    source: '/collectors/demo',
    type: typeOfFormat(format),
    tenantId,
    timeMs,
    value,
  });
}
