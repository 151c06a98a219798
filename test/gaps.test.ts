import { randomUUID } from 'node:crypto';
import { kafkaClient } from '@tenantscope/publish';
import type { Transaction } from 'kafkajs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Broker, connectBroker } from './product/broker.ts';
import { eventually } from './product/eventually.ts';
import { type Looking, lookInto } from './product/looking.ts';
import { type ProductProcess, startProcess } from './product/processes.ts';
import { type Product, product } from './product/product.ts';
import { activityMessage, activityRecord } from './product/records.ts';
import { isLong } from './torture/lots.ts';

let running: Product;
let broker: Broker;
let looking: Looking;
let topic: string;
let brokers: string;

beforeAll(async () => {
  running = await product();
  topic = running.activityTopic;
  looking = await lookInto(running.database.superuser);
  brokers = running.environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  broker = await connectBroker(brokers);
}, 60_000);
afterAll(async () => {
  await looking?.[Symbol.asyncDispose]();
  await broker?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
}, 60_000);

/** A group of its own each time: nobody waits for the member before to be given up, and offsets are only a hint anyway. */
const startIngest = (): Promise<ProductProcess> =>
  startProcess('ingest', { ...running.environment, TENANTSCOPE_CONSUMER_GROUP: `test-${randomUUID()}` });

let tenantId: string;
beforeEach(async () => {
  tenantId = (await running.tenant()).id;
});

const some = (count: number, from = 0) =>
  Array.from({ length: count }, (_, number) => activityMessage(tenantId, activityRecord(from + number)));
const rows = (count: number, withinMs = 20_000) =>
  eventually(`${count} rows`, withinMs, async () => (await looking.rowCount(tenantId)) === count);
const lanesOf = async (partition: number) =>
  (await running.admin.lanes.list()).filter((one) => one.topic === topic && one.partition === partition);
const lane = async (partition: number) => (await lanesOf(partition)).at(-1);

test('records deleted below a lane stop it loudly, and only the operator lets it go on behind the gap', async () => {
  await broker.append(topic, 0, some(100));
  {
    await using _ingest = await startIngest();
    await rows(100);
  }
  await broker.append(topic, 0, some(100, 100));
  await broker.deleteBelow(topic, 0, 150n);

  await using ingest = await startIngest();
  await eventually('readiness is red', 20_000, async () => !(await ingest.ready()));
  await eventually('the lane is stopped', 5_000, async () => (await lane(0))?.state === 'stopped');
  expect((await lane(0))?.reason).toMatch(/gap.*stands at 100.*begins at 150/);
  await broker.append(topic, 1, some(1, 5_000));
  await rows(101);

  await running.cli('lanes', 'resume', `${topic}/0`);
  await rows(151);
  await eventually('readiness is green', 10_000, () => ingest.ready());
  expect(await lane(0)).toMatchObject({ state: 'running', reason: null, nextOffset: 200 });

  // The word was for that gap: the next one stops the lane again.
  await broker.deleteBelow(topic, 0, 200n);
  await looking.client.query(`update models.ingest_lane set next_offset = 180 where topic = $1 and partition = 0`, [
    topic,
  ]);
  await broker.append(topic, 0, some(1, 300));
  await eventually('the lane is stopped again', 20_000, async () => (await lane(0))?.state === 'stopped');
  await running.cli('lanes', 'resume', `${topic}/0`);
  await rows(152);
}, 120_000);

test('a lane that stands beyond the end of its log stops: records were taken back', async () => {
  await broker.append(topic, 2, some(50));
  {
    await using _ingest = await startIngest();
    await rows(50);
  }
  await looking.client.query(`update models.ingest_lane set next_offset = 1000 where topic = $1 and partition = 2`, [
    topic,
  ]);
  await using ingest = await startIngest();
  await eventually('the lane is stopped', 20_000, async () => (await lane(2))?.state === 'stopped');
  expect((await lane(2))?.reason).toMatch(/ends at 50, below 1000/);
  expect(await ingest.ready()).toBe(false);
  expect(await looking.rowCount(tenantId)).toBe(50);
  await looking.client.query(
    `update models.ingest_lane set next_offset = 50, state = 'running', reason = null where topic = $1 and partition = 2`,
    [topic],
  );
  await eventually('readiness is green', 20_000, () => ingest.ready());
}, 60_000);

test('aborted transactions are passed in silence and leave no row', async () => {
  await using ingest = await startIngest();
  const client = await transactional();
  const within = async (messages: ReturnType<typeof some>, end: (transaction: Transaction) => Promise<void>) => {
    const transaction = await client.transaction();
    await transaction.send({ topic, messages: messages.map((message) => ({ ...message, partition: 3 })) });
    await end(transaction);
  };
  await within(some(20), (transaction) => transaction.commit());
  await within(some(30, 100), (transaction) => transaction.abort());
  await within(some(20, 200), (transaction) => transaction.commit());
  await within(some(700, 300), (transaction) => transaction.abort());
  await within(some(1, 2_000), (transaction) => transaction.commit());
  await client.disconnect();
  await rows(41);
  // A restart in the middle of nothing but aborted records passes them as well.
  await looking.client.query(`update models.ingest_lane set next_offset = 25 where topic = $1 and partition = 3`, [
    topic,
  ]);
  await using _other = await startIngest();
  await eventually('the lane is at the end again', 20_000, async () => Number((await lane(3))?.nextOffset) >= 776);
  expect(await looking.rowCount(tenantId)).toBe(41);
  expect(await lane(3)).toMatchObject({ state: 'running' });
  expect(ingest.output()).not.toContain('stands still');
}, 60_000);

async function transactional() {
  const producer = kafkaClient({
    brokers: running.environment.TENANTSCOPE_KAFKA_BROKERS ?? '',
    clientId: 'test',
  }).producer({
    transactionalId: `test-${randomUUID()}`,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await producer.connect();
  return producer;
}

test('a topic that is deleted and made again is a new lane, whether ingest runs or not, and loses nothing', async () => {
  await broker.append(topic, 4, some(300));
  {
    await using _ingest = await startIngest();
    await rows(300);
    const before = await lanesOf(4);
    await remake();
    await broker.append(topic, 4, some(200, 1_000));
    await rows(500, 45_000);
    expect(await lanesOf(4)).toHaveLength(before.length + 1);
  }
  await remake();
  // More than the old lane had: an old offset would lie inside the new log.
  await broker.append(topic, 4, some(600, 2_000));
  await using ingest = await startIngest();
  await rows(1_100, 45_000);
  expect(await ingest.ready()).toBe(true);
}, 150_000);

// The cleaner comes each quarter of a minute, and only to a log that has rolled on.
test.runIf(isLong)(
  'holes that compaction left are passed in silence',
  async () => {
    const compacted = [
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'segment.bytes', value: '1048576' },
      { name: 'min.cleanable.dirty.ratio', value: '0.01' },
    ];
    await broker.admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 2, name: topic, configEntries: compacted }],
    });
    for (let send = 0; send < 12; send++) await broker.append(topic, 5, some(500, send * 500));
    await eventually('records are compacted away', 90_000, async () => (await readAll(5)).length < 3_000);
    const left = await readAll(5);
    await using ingest = await startIngest();
    await eventually('the lane is at the end', 30_000, async () =>
      (await lanesOf(5)).some(({ nextOffset }) => nextOffset === 6_000),
    );
    expect(await looking.rowCount(tenantId)).toBe(left.length);
    expect(await ingest.ready()).toBe(true);
  },
  180_000,
);

/** What a consumer finds in a partition now. */
async function readAll(partition: number): Promise<string[]> {
  const consumer = kafkaClient({ brokers, clientId: 'test' }).consumer({ groupId: `test-${randomUUID()}` });
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

async function remake(): Promise<void> {
  await broker.admin.deleteTopics({ topics: [topic] });
  await eventually('the topic is gone', 10_000, async () => !(await broker.admin.listTopics()).includes(topic));
  await broker.admin.createTopics({ topics: [{ topic, numPartitions: 12 }], waitForLeaders: true });
  await eventually('the new topic takes records', 10_000, async () => {
    await broker.offsets(topic, 4);
    return true;
  });
}
