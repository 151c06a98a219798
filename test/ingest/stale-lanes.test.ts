import { randomUUID } from 'node:crypto';
import { createLaneOwner } from '@tenantscope/ingest/lane-owner';
import { createIngestMetrics } from '@tenantscope/ingest/metrics';
import { createLog, createMetrics } from '@tenantscope/runtime';
import { type Ledger, openEpoch } from '@tenantscope/store/ingest';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Broker, connectBroker } from '../installation/broker.ts';
import { createTopics } from '../installation/create-topics.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { createTestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

// Kafka and database are real. The reader is the test's, which decides when the broker responds to a lane that is no longer assigned.

const stack = new AsyncDisposableStack();
const connection = { brokers: inject('services').kafka, clientId: 'test' };
const topic = `stale-lanes-${randomUUID()}`;
const partitions = new Map([[topic, [0]]]);
let broker: Broker;
let inspector: DatabaseInspector;
let ledger: Ledger;

beforeAll(async () => {
  const database = stack.use(await createTestDatabase());
  inspector = stack.use(await openDatabaseInspector(database.superuser));
  const pool = openTestPool(database.roles.ingest, { max: 4 });
  stack.defer(() => pool.end());
  ledger = { pool, schema: 'models' };
  await openEpoch(ledger);
  broker = stack.use(await connectBroker(connection.brokers));
  await createTopics(broker.admin, [{ topic, numPartitions: 1 }]);
  stack.defer(() => broker.admin.deleteTopics({ topics: [topic] }));
}, 60_000);
afterAll(() => stack.disposeAsync(), 60_000);

/** A running lane at offset 100. */
async function assignLane() {
  const paused = new Set<number>();
  const earliest = Promise.withResolvers<bigint>();
  const reader = {
    seek() {},
    pause: (_: string, partition: number) => void paused.add(partition),
    resume: (_: string, partition: number) => void paused.delete(partition),
    commit: async () => {},
    earliestOffset: () => earliest.promise,
    ended: new Promise<Error>(() => {}),
    async [Symbol.asyncDispose]() {},
  };
  const fail = (error: unknown) => {
    throw error;
  };
  const log = createLog({ name: 'test', level: 'silent' });
  const owner = createLaneOwner({
    topics: [{ name: topic, source: topic, ledger, createProcessor: () => ({}) as never }],
    kafka: connection,
    control: ledger,
    reader: Promise.resolve(reader),
    metrics: createIngestMetrics(log, createMetrics('ingest')),
    log,
    failed: fail,
    crashed: fail,
  });
  await owner.assign(partitions);
  await inspector.client.query(
    `update models.ingest_lane set next_offset = 100, state = 'running', reason = null where topic = $1`,
    [topic],
  );
  await owner.assign(partitions);
  const lane = owner.find(topic, 0);
  if (lane === undefined) throw new Error('no lane is assigned');
  return { owner, lane, paused, earliest };
}

async function readStored(): Promise<unknown> {
  const { rows } = await inspector.client.query(
    `select next_offset::integer as offset, state, reason from models.ingest_lane where topic = $1`,
    [topic],
  );
  return rows;
}

test('replacing a lane that is no longer assigned does not pause the partition of its successor', async () => {
  const { owner, lane, paused } = await assignLane();
  await owner.assign(partitions);
  await owner.replace(lane);
  expect([...paused]).toEqual([]);
  expect(owner.find(topic, 0)?.stalledReason()).toBeNull();
});

test.each([
  ['a gap', { fetchedOffset: 200n, lastOffset: 201n, highWatermark: 202n }, 200n],
  ['a truncated log', { fetchedOffset: 0n, lastOffset: 1n, highWatermark: 50n }, 0n],
])('%s that a lane finds when it is no longer assigned does not stop its successor', async (_, offsets, first) => {
  const { owner, lane, paused, earliest } = await assignLane();
  const processing = lane.processBatch({
    ...offsets,
    topic,
    partition: 0,
    records: [],
    undecodable: null,
    heartbeat: async () => {},
    isCurrent: () => true, // as after the seek of the next assignment has been executed
    markProcessed() {},
  });
  await owner.assign(partitions);
  earliest.resolve(first);
  await processing;
  expect([...paused]).toEqual([]);
  expect(owner.find(topic, 0)?.stalledReason()).toBeNull();
  expect(await readStored()).toEqual([{ offset: 100, state: 'running', reason: null }]);
});
