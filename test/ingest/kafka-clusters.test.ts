import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { readBoundTopic } from '../installation/bound-topics.ts';
import { type Broker, connectBroker } from '../installation/broker.ts';
import { placeholders, writeBlanks } from '../installation/compressed-blanks.ts';
import { createTopics } from '../installation/create-topics.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type ProductProcess, tenantscope } from '../installation/processes.ts';
import { type PartnerCluster, startPartnerCluster } from './partner-cluster.ts';

const format = 'o365.management-activity';
/** A pass every five seconds, a rebalance of the group, and a machine that does other things. */
const noticedMs = 30_000;

const stack = new AsyncDisposableStack();
let installation: Installation;
let partner: PartnerCluster;
let main: Broker;
let inspector: DatabaseInspector;
let ingest: ProductProcess;
let tenantId: string;
const mainTopics: string[] = [];

beforeAll(async () => {
  installation = stack.use(await startInstallation());
  partner = stack.use(
    await startPartnerCluster(`${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.ingest.bindings.partner`),
  );
  main = stack.use(await connectBroker(installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''));
  inspector = stack.use(await openDatabaseInspector(installation.database.superuser));
  ingest = await installation.startIngest(partner.variables);
}, 180_000);
afterAll(async () => {
  if (mainTopics.length > 0) await main.admin.deleteTopics({ topics: mainTopics }).catch(() => {});
  await stack.disposeAsync();
}, 60_000);
beforeEach(async () => {
  tenantId = (await installation.createTenant()).id;
});

interface ListedBinding {
  readonly topic: string;
  readonly cluster: string;
  readonly state: string;
  readonly reason: string | null;
}

const nameTopic = (): string => `collector-${randomUUID()}`;
const cli = <Document = Record<string, unknown>>(...args: string[]) =>
  tenantscope<Document>({ ...installation.environment, ...partner.variables }, ...args);
const bind = (topic: string, cluster: string, tenant = tenantId) =>
  cli('source', 'create', '--topic', topic, '--format', format, '--tenant', tenant, '--cluster', cluster);
const unbind = (topic: string, cluster: string) => cli('source', 'remove', '--topic', topic, '--cluster', cluster);
const rows = (count: number, tenant = tenantId) =>
  eventually(`${count} rows`, noticedMs, async () => (await inspector.rowCount(tenant)) === count);
const lanesOf = async (topic: string) => (await installation.admin.lanes.list()).filter((lane) => lane.topic === topic);
const bindingOf = async (topic: string, cluster = 'partner') =>
  (await cli<{ data: ListedBinding[] }>('source', 'list')).data.find(
    (one) => one.topic === topic && one.cluster === cluster,
  );
/** Waits in SQL, then requires the same of the command. */
const isListed = (
  what: string,
  topic: string,
  matches: (binding: { state: string; reason: string | null } | undefined) => boolean,
) =>
  eventually(
    what,
    noticedMs,
    async () => matches(await readBoundTopic(installation.admin, topic, 'partner')) && matches(await bindingOf(topic)),
  );
const reasonMatches = (topic: string, reason: RegExp) =>
  isListed(`the reason of ${topic} is ${reason}`, topic, (binding) => reason.test(binding?.reason ?? ''));
const isRead = (topic: string) =>
  isListed(`${topic} is read`, topic, (binding) => binding?.state === 'read' && binding.reason === null);
const createMainTopic = async (topic: string, numPartitions: number) => {
  await createTopics(main.admin, [{ topic, numPartitions }]);
  mainTopics.push(topic);
};
const appendMain = (topic: string, count: number, from = 0) =>
  main.append(
    topic,
    0,
    Array.from({ length: count }, (_, number) => ({
      value: Buffer.from(JSON.stringify(activityRecord(from + number))),
    })),
  );

test('topics of a cluster with TLS and a login are read next to one of the same name in the main cluster', async () => {
  const [topic, second] = [nameTopic(), nameTopic()];
  const other = (await installation.createTenant('Another tenant')).id;
  await createMainTopic(topic, 1);
  await partner.createTopic(topic, 2);
  await partner.createTopic(second, 1);
  await appendMain(topic, 7, 1_000);
  await partner.append(topic, 0, 30);
  await bind(topic, 'main', other);
  await bind(topic, 'partner');
  await bind(second, 'partner');
  await partner.append(topic, 1, 20, 30);
  await partner.append(second, 0, 5, 50);
  await rows(55);
  await rows(7, other);
  const lanes = await lanesOf(topic);
  expect(lanes).toMatchObject([
    { cluster: 'main', partition: 0, state: 'running', nextOffset: 7 },
    { cluster: 'partner', partition: 0, state: 'running', nextOffset: 30 },
    { cluster: 'partner', partition: 1, state: 'running', nextOffset: 20 },
  ]);
  expect(new Set(lanes.map(({ clusterId }) => clusterId)).size).toBe(2);
  expect(await bindingOf(topic)).toMatchObject({ state: 'read', lanes: 2, unread: 0, tenantId });
  expect(await bindingOf(topic, 'main')).toMatchObject({ state: 'read', lanes: 1, unread: 0, tenantId: other });
  const status = await cli<{ bindings: ListedBinding[] }>('status');
  expect(status.bindings).toContainEqual(expect.objectContaining({ topic, cluster: 'partner', state: 'read' }));

  await unbind(topic, 'partner');
  await eventually('the lanes of the partner are unbound', noticedMs, async () =>
    (await lanesOf(topic)).every(({ cluster, state }) => (cluster === 'partner') === (state === 'unbound')),
  );
  await partner.append(topic, 0, 5, 100);
  await appendMain(topic, 3, 2_000);
  await rows(10, other);
  expect(await inspector.rowCount(tenantId)).toBe(55);
});

test('the logs of a further cluster are measured, and a lane is named with its cluster', async () => {
  const topic = await partner.createTopic(nameTopic(), 1);
  await bind(topic, 'partner');
  await partner.append(topic, 0, 3);
  await rows(3);
  await eventually('the end of the log is measured', noticedMs, async () => {
    const { rows: measured } = await inspector.client.query(
      'select end_offset::int as end from models.lane_log join models.ingest_lane using (cluster_id, topic_id, partition) where topic = $1',
      [topic],
    );
    return measured[0]?.end === 3;
  });
  expect(await lanesOf(topic)).toMatchObject([{ state: 'running', unread: 0 }]);
  const skip = (...more: string[]) => cli('lanes', 'skip', `${topic}/0`, '--to', '9', '--reason', 'a test', ...more);
  await expect(skip()).rejects.toThrow(`there is no lane ${topic}/0 in the cluster main; use --cluster partner`);
  await expect(skip('--cluster', 'partner')).rejects.toThrow(`${topic}/0 of partner is running`);
  await expect(skip('--cluster', 'elsewhere')).rejects.toThrow(/elsewhere is not declared here/);
  expect(await cli('lanes', 'resume', `${topic}/0`, '--cluster', 'partner')).toMatchObject({
    cluster: 'partner',
    resumed: false,
  });
});

test('a stopped lane of a further cluster is skipped, apart from the lane of the same name in the main cluster', async () => {
  const topic = nameTopic();
  const other = (await installation.createTenant('Of the main cluster')).id;
  await createMainTopic(topic, 1);
  await partner.createTopic(topic, 1);
  await bind(topic, 'main', other);
  await bind(topic, 'partner');
  const blanks = { codec: 'gzip', count: 2, bytesEach: 20 * 1_048_576 } as const;
  using codec = await writeBlanks(blanks);
  const { compression } = codec;
  await appendMain(topic, 3, 5_000);
  await partner.append(topic, 0, 3, 6_000);
  await main.append(topic, 0, placeholders(blanks), { compression });
  await partner.kafka.superuser.append(topic, 0, placeholders(blanks), { compression });
  await appendMain(topic, 2, 5_100);
  await partner.append(topic, 0, 2, 6_100);
  await eventually('both lanes are stopped', noticedMs, async () => {
    const lanes = await lanesOf(topic);
    return lanes.length === 2 && lanes.every(({ state, nextOffset }) => state === 'stopped' && nextOffset === 3);
  });
  const [, stopped] = await lanesOf(topic);
  expect(stopped).toMatchObject({ cluster: 'partner', reason: expect.stringContaining(`--to 5 `) });
  expect((await bindingOf(topic))?.reason).toContain('cannot be decoded');

  const skip = (cluster: string, to: number) =>
    cli('lanes', 'skip', `${topic}/0`, '--cluster', cluster, '--to', String(to), '--reason', 'a broken shipper');
  await expect(skip('partner', 4)).rejects.toThrow(
    `ingestion refused the skip of ${topic}/0 of partner: offset 4 lies`,
  );
  await expect(skip('partner', 8)).rejects.toThrow('ends at offset 7');
  expect(await skip('main', 5)).toMatchObject({ cluster: 'main', fromOffset: 3, records: 0, batches: 1 });
  await rows(5, other);
  expect((await lanesOf(topic))[1]).toMatchObject({ cluster: 'partner', state: 'stopped', nextOffset: 3 });
  expect(await skip('partner', 6)).toMatchObject({ cluster: 'partner', fromOffset: 3, records: 1, batches: 1 });
  await rows(4);
  expect(await lanesOf(topic)).toMatchObject([
    { cluster: 'main', state: 'running', nextOffset: 7 },
    { cluster: 'partner', state: 'running', nextOffset: 7 },
  ]);
  await isRead(topic);

  const skipped = (await inspector.deadLetters()).filter((one) => one.topic === topic && one.reason === 'SKIPPED');
  expect(skipped).toMatchObject([{ offset: '5', tenantId: null }]);
  await cli('dead-letters', 'replay', String(skipped[0]?.id));
  await rows(5);
}, 180_000);

test('a topic that may be described but not read stops no other topic, and is read once it may be', async () => {
  const refused = await partner.createTopic(nameTopic(), 1, false);
  const readable = await partner.createTopic(nameTopic(), 1);
  await bind(refused, 'partner');
  await bind(readable, 'partner');
  await partner.append(refused, 0, 4, 100);
  await partner.append(readable, 0, 10);
  await rows(10);
  await reasonMatches(refused, /may be described, but not read: .*TOPIC_AUTHORIZATION_FAILED.*_CLUSTER_PARTNER_SASL_/);
  expect(await bindingOf(refused)).toMatchObject({ state: 'not read', lanes: 0 });
  expect(await bindingOf(readable)).toMatchObject({ state: 'read', reason: null });
  await partner.allowReading(refused);
  await rows(14);
  await isRead(refused);

  // Taken away while it is read: its client ends, and the next one is without it.
  await partner.forbidReading(refused);
  await reasonMatches(refused, /may be described, but not read/);
  await partner.append(refused, 0, 2, 200);
  await partner.append(readable, 0, 10, 20);
  await rows(24);
  await eventually('lanes name the reason', 60_000, async () => {
    const [lane] = await lanesOf(refused);
    return lane?.state === 'stalled' && /may be described, but not read/.test(lane.reason ?? '');
  });
  await isRead(readable);
  expect(await ingest.ready()).toBe(true);
  await partner.allowReading(refused);
  await rows(26);
  await isRead(refused);
}, 240_000);

test('two processes read a further cluster without loss while one is killed and bindings change', {
  tags: ['torture'],
  timeout: 240_000,
}, async () => {
  const [topic, other] = [await partner.createTopic(nameTopic(), 6), await partner.createTopic(nameTopic(), 6)];
  await bind(topic, 'partner');
  const second = await installation.startIngest(partner.variables);
  const batches = 30;
  const produce = async () => {
    for (let batch = 0; batch < batches; batch++) {
      await partner.append(topic, batch % 6, 20, batch * 20);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  };
  const producing = produce();
  await eventually('rows are written', noticedMs, async () => (await inspector.rowCount(tenantId)) > 0);
  await bind(other, 'partner');
  second.kill('SIGKILL');
  await second.gone;
  await unbind(topic, 'partner');
  const third = await installation.startIngest(partner.variables);
  await bind(topic, 'partner');
  await producing;
  await rows(batches * 20);
  await eventually('every lane is read', noticedMs, async () => {
    const lanes = [...(await lanesOf(topic)), ...(await lanesOf(other))];
    return lanes.length === 12 && lanes.every(({ state }) => state === 'running');
  });
  expect((await inspector.deadLetters()).filter((one) => one.topic === topic)).toEqual([]);
  await third[Symbol.asyncDispose]();
});

test('a cluster that is down stops nothing else, and is read again when it is up', {
  tags: ['torture'],
  timeout: 240_000,
}, async () => {
  const own = nameTopic();
  await createMainTopic(own, 1);
  const [topic, removed] = [await partner.createTopic(nameTopic(), 1), await partner.createTopic(nameTopic(), 1)];
  const other = (await installation.createTenant('Of the main cluster')).id;
  await bind(own, 'main', other);
  await bind(topic, 'partner');
  await bind(removed, 'partner');
  await partner.append(topic, 0, 5);
  await partner.append(removed, 0, 5, 50);
  await rows(10);

  await partner.kafka.service.kill();
  await appendMain(own, 10, 1_000);
  await rows(10, other);
  await reasonMatches(topic, /does not respond; check TENANTSCOPE_KAFKA_CLUSTER_PARTNER_BROKERS/);
  await eventually('its log is not measured', 60_000, async () => (await lanesOf(topic))[0]?.state === 'stalled');
  await unbind(removed, 'partner');
  await eventually('a binding is removed meanwhile', noticedMs, async () =>
    (await lanesOf(removed)).every(({ state }) => state === 'unbound'),
  );
  const settled = (await installation.admin.status()).feeds.logs.completeThrough ?? '';
  await appendMain(own, 10, 2_000);
  await rows(20, other);
  await eventually('the watermark moves', 10_000, async () => {
    const { completeThrough } = (await installation.admin.status()).feeds.logs;
    return (completeThrough ?? '') > settled;
  });
  expect(await ingest.ready()).toBe(true);
  expect(await bindingOf(own, 'main')).toMatchObject({ state: 'read', reason: null });

  await partner.kafka.service.restart();
  await partner.append(topic, 0, 5, 200);
  await partner.append(removed, 0, 5, 300);
  await rows(15);
  await isRead(topic);
  expect(await lanesOf(removed)).toMatchObject([{ state: 'unbound', nextOffset: 5 }]);
});

test('wrong credentials are reported with their variable, and right ones are used without a restart', async () => {
  await ingest[Symbol.asyncDispose]();
  await partner.writePassword('hunter2');
  const topic = await partner.createTopic(nameTopic(), 1);
  await partner.append(topic, 0, 4);
  await bind(topic, 'partner');
  ingest = await installation.startIngest(partner.variables);
  await reasonMatches(topic, /rejects the login .*check TENANTSCOPE_KAFKA_CLUSTER_PARTNER_SASL_/);
  expect(ingest.output()).not.toContain('hunter2');
  expect(await ingest.ready()).toBe(true);
  await partner.writePassword();
  await rows(4);
  await isRead(topic);
}, 120_000);

test('jobs measures the logs of a further cluster while no ingest process runs', async () => {
  const topic = await partner.createTopic(nameTopic(), 1);
  await bind(topic, 'partner');
  await partner.append(topic, 0, 2);
  await rows(2);
  await ingest[Symbol.asyncDispose]();
  await partner.append(topic, 0, 3, 10);
  const jobs = await installation.startJobs(partner.variables);
  await eventually('unread records are counted', noticedMs, async () => (await lanesOf(topic))[0]?.unread === 3);
  await jobs[Symbol.asyncDispose]();
  ingest = await installation.startIngest(partner.variables);
  await rows(5);
});

test('a binding of a cluster that no variable declares names the variable, and can be removed', async () => {
  const topic = await partner.createTopic(nameTopic(), 1);
  await bind(topic, 'partner');
  await partner.append(topic, 0, 2);
  await rows(2);
  await ingest[Symbol.asyncDispose]();
  ingest = await installation.startIngest();
  await reasonMatches(topic, /the Kafka cluster partner is not declared; name it in TENANTSCOPE_KAFKA_CLUSTERS/);
  await unbind(topic, 'partner');
  await eventually('its lane is unbound', noticedMs, async () => (await lanesOf(topic))[0]?.state === 'unbound');
  await expect(bind(topic, 'partnr')).rejects.toThrow(/partnr is not declared; declared: main, partner/);
});
