import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { createTopics } from '../installation/create-topics.ts';
import { eventually } from '../installation/eventually.ts';
import { createMoveInstallation, type MoveInstallation } from './move-installation.ts';

// A tenant whose records come from a topic of its collector, which the ingest of its cell reads.

const stack = new AsyncDisposableStack();
const topic = `collector-${randomUUID()}`;
let installation: MoveInstallation;
let producer: kafkajs.Producer;

beforeAll(async () => {
  installation = stack.use(await createMoveInstallation(new Date(Date.now() - 60_000).toISOString()));
  const kafka = new kafkajs.Kafka({ brokers: [inject('services').kafka], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  stack.defer(() => admin.disconnect());
  await createTopics(admin, [{ topic, numPartitions: 2 }]);
  stack.defer(() => admin.deleteTopics({ topics: [topic] }).catch(() => {}));
  producer = kafka.producer();
  await producer.connect();
  stack.defer(() => producer.disconnect());
  await installation.cli(
    `source create --topic ${topic} --format o365.management-activity --tenant ${installation.tenantId}`,
  );
}, 180_000);
afterAll(() => stack.disposeAsync(), 60_000);

/** Sends records to the bound topic, without an envelope. */
async function send(count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, number) => activityRecord(number));
  (installation.sent as string[]).push(...records.map(({ Id }) => String(Id)));
  const messages = records.map((record, index) => ({ value: JSON.stringify(record), partition: index % 2 }));
  await producer.send({ topic, messages });
}

const readBinding = async () => {
  const { data } = await installation.cli<{ data: { topic: string; state: string; unread: number }[] }>('source list');
  return data.find((one) => one.topic === topic);
};

test('a tenant with a bound topic is moved while records arrive there, and each becomes one row of the new cell', async () => {
  const { awaitAllServed, move, query, tenantId } = installation;
  await send(100);
  await awaitAllServed();
  let isMoving = true;
  const sending = (async () => {
    // A page has 1,000 rows at most.
    for (; isMoving; await pause(100)) await send(5);
  })();
  try {
    await move('eu1');
  } finally {
    isMoving = false;
    await sending;
  }
  await awaitAllServed();
  await send(20);
  await awaitAllServed();
  await eventually('the ingest of the new cell reads the topic', 30_000, async () => {
    const binding = await readBinding();
    return binding?.state === 'read' && binding.unread === 0;
  });
  // The former cell reads it no more.
  const before = await query('default', 'select from models.audit_log where tenant_id = $1', [tenantId]);
  await send(20);
  await awaitAllServed();
  expect(await query('default', 'select from models.audit_log where tenant_id = $1', [tenantId])).toEqual(before);
  await eventually(
    'its ingest, which reads the bindings every five seconds, has unbound the lanes',
    30_000,
    async () => {
      const open = await query(
        'default',
        'select partition from models.ingest_lane where topic = $1 and unbound_at is null',
        [topic],
      );
      return open.length === 0;
    },
  );
}, 180_000);

test('a tenant with a bound topic is moved back', async () => {
  const { awaitAllServed, move } = installation;
  await move('default');
  await send(30);
  await awaitAllServed();
}, 180_000);
