// @module-tag torture
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { readBoundTopic } from '../installation/bound-topics.ts';
import { type Broker, connectBroker } from '../installation/broker.ts';
import { createTopics } from '../installation/create-topics.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type ProductProcess, tenantscope } from '../installation/processes.ts';
import { type OlderProtocolBroker, startOlderProtocolBroker } from './older-protocol-broker.ts';

const noticedMs = 30_000;
const stack = new AsyncDisposableStack();
const topics: string[] = [];
let installation: Installation;
let proxy: OlderProtocolBroker;
let broker: Broker;
let inspector: DatabaseInspector;
let ingest: ProductProcess;
let variables: Record<string, string>;

beforeAll(async () => {
  installation = stack.use(await startInstallation());
  proxy = stack.use(await startOlderProtocolBroker(inject('services').kafka));
  broker = stack.use(await connectBroker(inject('services').kafka));
  inspector = stack.use(await openDatabaseInspector(installation.database.superuser));
  variables = {
    TENANTSCOPE_KAFKA_CLUSTERS: 'event-hubs',
    TENANTSCOPE_KAFKA_CLUSTER_EVENT_HUBS_BROKERS: proxy.address,
  };
  ingest = await installation.startIngest(variables);
}, 120_000);
afterAll(async () => {
  if (topics.length > 0) await broker.admin.deleteTopics({ topics }).catch(() => {});
  await stack.disposeAsync();
}, 60_000);

const cli = <Document = Record<string, unknown>>(...args: string[]) =>
  tenantscope<Document>({ ...installation.environment, ...variables }, ...args);
const createTopic = async (topic: string, numPartitions: number) => {
  await createTopics(broker.admin, [{ topic, numPartitions }]);
  topics.push(topic);
  return topic;
};
const lanesOf = async (topic: string) => (await installation.admin.lanes.list()).filter((lane) => lane.topic === topic);
/** As Azure Monitor writes to an event hub: several records in one message. */
const append = (topic: string, partition: number, azureTenantId: string, numbers: readonly number[]) => {
  const records = numbers.map((number) => activityRecord(number, { OrganizationId: azureTenantId }));
  return broker.append(topic, partition, [{ value: Buffer.from(JSON.stringify({ records })) }]);
};
const bind = (topic: string) =>
  cli(
    ...['source', 'create', '--topic', topic, '--format', 'o365.management-activity'],
    ...['--tenant-from', 'OrganizationId', '--cluster', 'event-hubs'],
  );

test('a cluster without ids of topics is read and measured, and positions outlive the process', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const rows = (count: number) =>
    eventually(`${count} rows`, noticedMs, async () => (await inspector.rowCount(id)) === count);
  const topic = await createTopic(`insights-${randomUUID()}`, 2);
  await bind(topic);
  await append(topic, 0, azureTenantId, [1, 2, 3]);
  await append(topic, 1, azureTenantId, [4, 5]);
  await rows(5);
  const lanes = await lanesOf(topic);
  expect(lanes).toMatchObject([
    { cluster: 'event-hubs', partition: 0, nextOffset: 1 },
    { cluster: 'event-hubs', partition: 1, nextOffset: 1 },
  ]);
  // Derived from the name: an id of version 8, where Kafka's random ones have version 4.
  for (const { topicId } of lanes) expect(topicId[14]).toBe('8');

  ingest.kill('SIGKILL');
  await ingest.gone;
  await append(topic, 0, azureTenantId, [6]);
  const jobs = await installation.startJobs(variables);
  await eventually('the unread record is measured', noticedMs, async () =>
    (await lanesOf(topic)).some(({ partition, unread }) => partition === 0 && unread === 1),
  );
  await jobs[Symbol.asyncDispose]();
  ingest = await installation.startIngest(variables);
  await rows(6);
  await eventually('nothing is unread', noticedMs, async () =>
    (await lanesOf(topic)).every(({ unread, state }) => unread === 0 && state === 'running'),
  );
  expect(await lanesOf(topic)).toHaveLength(2);
  const { data } = await cli<{ data: unknown[] }>('source', 'list');
  expect(data).toMatchObject([{ topic, cluster: 'event-hubs', state: 'read', reason: null }]);
  expect(proxy.refused).toEqual([]);
});

test('a topic that was deleted and created again stops its lane with the reason, and is read after a resume', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const rows = (count: number) =>
    eventually(`${count} rows`, noticedMs, async () => (await inspector.rowCount(id)) === count);
  const topic = await createTopic(`insights-${randomUUID()}`, 1);
  await bind(topic);
  for (let number = 10; number < 15; number++) await append(topic, 0, azureTenantId, [number]);
  await rows(5);
  await broker.admin.deleteTopics({ topics: [topic] });
  const isMissing = (reason: string | null | undefined) => /does not exist/.test(reason ?? '');
  await eventually('the topic is missing', noticedMs, async () => {
    // The command takes 0.5 s of CPU time: it is run once the topic is missing.
    if (!isMissing((await readBoundTopic(installation.admin, topic, 'event-hubs'))?.reason)) return false;
    const { data } = await cli<{ data: { topic: string; reason: string | null }[] }>('source', 'list');
    return isMissing(data.find((one) => one.topic === topic)?.reason);
  });
  await createTopic(topic, 1);
  await append(topic, 0, azureTenantId, [20]);
  await append(topic, 0, azureTenantId, [21]);
  await eventually('the lane stopped', 150_000, async () => {
    const [lane] = await lanesOf(topic);
    return lane?.state === 'stopped' && /^log truncated/.test(lane.reason ?? '');
  });
  expect(await inspector.rowCount(id)).toBe(5);
  await cli('lanes', 'resume', `${topic}/0`, '--cluster', 'event-hubs');
  await rows(7);
});
