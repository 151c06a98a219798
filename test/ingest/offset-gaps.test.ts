import { randomUUID } from 'node:crypto';
import { createKafkaClient } from '@tenantscope/publish';
import type { Transaction } from 'kafkajs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type Broker, connectBroker } from '../installation/broker.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { isLong } from '../torture/random.ts';

let installation: Installation;
let broker: Broker;
let inspector: DatabaseInspector;
let topic: string;
let brokers: string;

beforeAll(async () => {
  installation = await startInstallation();
  topic = installation.activityTopic;
  inspector = await openDatabaseInspector(installation.database.superuser);
  brokers = installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  broker = await connectBroker(brokers);
});
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]();
  await broker?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

/** A new group each time: it need not wait for the session timeout of the previous member, and offsets are only a hint. */
const startIngest = (): Promise<ProductProcess> =>
  startProcess('ingest', { ...installation.environment, TENANTSCOPE_CONSUMER_GROUP: `test-${randomUUID()}` });

let tenantId: string;
beforeEach(async () => {
  tenantId = (await installation.createTenant()).id;
});

const createMessages = (count: number, from = 0) =>
  Array.from({ length: count }, (_, number) => activityMessage(tenantId, activityRecord(from + number)));
const rows = (count: number, withinMs = 20_000) =>
  eventually(`${count} rows`, withinMs, async () => (await inspector.rowCount(tenantId)) === count);
const lanesOf = async (partition: number) =>
  (await installation.admin.lanes.list()).filter((one) => one.topic === topic && one.partition === partition);
const lane = async (partition: number) => (await lanesOf(partition)).at(-1);

test('records deleted below the lane position stop the lane until the operator resumes it after the gap', async () => {
  await broker.append(topic, 0, createMessages(100));
  {
    await using _ingest = await startIngest();
    await rows(100);
  }
  await broker.append(topic, 0, createMessages(100, 100));
  await broker.deleteBelow(topic, 0, 150n);

  await using ingest = await startIngest();
  await eventually('readiness fails', 20_000, async () => !(await ingest.ready()));
  await eventually('the lane is stopped', 5_000, async () => (await lane(0))?.state === 'stopped');
  expect((await lane(0))?.reason).toMatch(/gap.*offset 100.*begins at 150/);
  await broker.append(topic, 1, createMessages(1, 5_000));
  await rows(101);

  await installation.cli('lanes', 'resume', `${topic}/0`);
  await rows(151);
  await eventually('readiness succeeds', 10_000, () => ingest.ready());
  expect(await lane(0)).toMatchObject({ state: 'running', reason: null, nextOffset: 200 });

  // The resume applied to that gap: the next one stops the lane again.
  await broker.deleteBelow(topic, 0, 200n);
  await inspector.client.query(`update models.ingest_lane set next_offset = 180 where topic = $1 and partition = 0`, [
    topic,
  ]);
  await broker.append(topic, 0, createMessages(1, 300));
  await eventually('the lane is stopped again', 20_000, async () => (await lane(0))?.state === 'stopped');
  await installation.cli('lanes', 'resume', `${topic}/0`);
  await rows(152);
});

test('a lane position beyond the end of the log stops the lane after a minute', async () => {
  await broker.append(topic, 2, createMessages(50));
  {
    await using _ingest = await startIngest();
    await rows(50);
  }
  await inspector.client.query(`update models.ingest_lane set next_offset = 1000 where topic = $1 and partition = 2`, [
    topic,
  ]);
  await using ingest = await startIngest();
  await eventually('the lane is stopped', 120_000, async () => (await lane(2))?.state === 'stopped');
  expect((await lane(2))?.reason).toMatch(/ends at 50, below 1000/);
  expect(await ingest.ready()).toBe(false);
  expect(await inspector.rowCount(tenantId)).toBe(50);
  await inspector.client.query(
    `update models.ingest_lane set next_offset = 50, state = 'running', reason = null where topic = $1 and partition = 2`,
    [topic],
  );
  await eventually('readiness succeeds', 20_000, () => ingest.ready());
});

test('aborted transactions are skipped and leave no row', async () => {
  await using ingest = await startIngest();
  const client = await transactional();
  const inTransaction = async (
    batch: ReturnType<typeof createMessages>,
    end: (transaction: Transaction) => Promise<void>,
  ) => {
    const transaction = await client.transaction();
    await transaction.send({ topic, messages: batch.map((message) => ({ ...message, partition: 3 })) });
    await end(transaction);
  };
  await inTransaction(createMessages(20), (transaction) => transaction.commit());
  await inTransaction(createMessages(30, 100), (transaction) => transaction.abort());
  await inTransaction(createMessages(20, 200), (transaction) => transaction.commit());
  await inTransaction(createMessages(700, 300), (transaction) => transaction.abort());
  await inTransaction(createMessages(1, 2_000), (transaction) => transaction.commit());
  await client.disconnect();
  await rows(41);
  // A restart in the middle of aborted records only skips them too.
  await inspector.client.query(`update models.ingest_lane set next_offset = 25 where topic = $1 and partition = 3`, [
    topic,
  ]);
  await using _other = await startIngest();
  await eventually('the lane is at the end again', 20_000, async () => Number((await lane(3))?.nextOffset) >= 776);
  expect(await inspector.rowCount(tenantId)).toBe(41);
  expect(await lane(3)).toMatchObject({ state: 'running' });
  expect(ingest.output()).not.toContain('lane stopped');
});

async function transactional() {
  const producer = createKafkaClient({
    brokers: installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? '',
    clientId: 'test',
  }).producer({
    transactionalId: `test-${randomUUID()}`,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await producer.connect();
  return producer;
}

test('a recreated topic is a new lane and loses no records, whether or not ingest runs', async () => {
  await broker.append(topic, 4, createMessages(300));
  {
    await using _ingest = await startIngest();
    await rows(300);
    const before = await lanesOf(4);
    await recreateTopic();
    await broker.append(topic, 4, createMessages(200, 1_000));
    await rows(500, 45_000);
    expect(await lanesOf(4)).toHaveLength(before.length + 1);
  }
  await recreateTopic();
  // More records than in the old lane: an old offset would lie inside the new log.
  await broker.append(topic, 4, createMessages(600, 2_000));
  await using ingest = await startIngest();
  await rows(1_100, 45_000);
  expect(await ingest.ready()).toBe(true);
});

// The log cleaner runs every 15 seconds, and only on rolled segments.
test.runIf(isLong)('offset gaps from compaction are skipped', { tags: ['torture'], timeout: 180_000 }, async () => {
  const compacted = [
    { name: 'cleanup.policy', value: 'compact' },
    { name: 'segment.bytes', value: '1048576' },
    { name: 'min.cleanable.dirty.ratio', value: '0.01' },
  ];
  await broker.admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: 2, name: topic, configEntries: compacted }],
  });
  for (let send = 0; send < 12; send++) await broker.append(topic, 5, createMessages(500, send * 500));
  await eventually('records are compacted away', 90_000, async () => (await readAll(5)).length < 3_000);
  const left = await readAll(5);
  await using ingest = await startIngest();
  await eventually('the lane is at the end', 30_000, async () =>
    (await lanesOf(5)).some(({ nextOffset }) => nextOffset === 6_000),
  );
  expect(await inspector.rowCount(tenantId)).toBe(left.length);
  expect(await ingest.ready()).toBe(true);
});

/** What a consumer finds in a partition now. */
async function readAll(partition: number): Promise<string[]> {
  const consumer = createKafkaClient({ brokers, clientId: 'test' }).consumer({ groupId: `test-${randomUUID()}` });
  const { high } = await broker.offsets(topic, partition);
  const offsets: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const end = Promise.withResolvers<void>();
  await consumer.run({
    eachMessage: async ({ partition: of, message }) => {
      if (of !== partition) return;
      offsets.push(message.offset);
      if (BigInt(message.offset) === high - 1n) end.resolve();
    },
  });
  await end.promise;
  await consumer.disconnect();
  return offsets;
}

async function recreateTopic(): Promise<void> {
  await broker.admin.deleteTopics({ topics: [topic] });
  await eventually('the topic is gone', 10_000, async () => !(await broker.admin.listTopics()).includes(topic));
  await broker.admin.createTopics({ topics: [{ topic, numPartitions: 12 }], waitForLeaders: false });
  await eventually('the new topic takes records', 10_000, async () => {
    await broker.offsets(topic, 4);
    return true;
  });
}
