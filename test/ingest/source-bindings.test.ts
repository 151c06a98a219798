import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { readBoundTopic } from '../installation/bound-topics.ts';
import { createTopics } from '../installation/create-topics.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';

const format = 'o365.management-activity';
/** A pass every five seconds, a rebalance of the group, and a machine that does other things. */
const noticedMs = 30_000;

const running = await startIngestInstallation();
let tenantId: string;
const created: string[] = [];

afterAll(async () => {
  if (created.length > 0) await running.broker.admin.deleteTopics({ topics: created }).catch(() => {});
});
beforeEach(async () => {
  tenantId = (await running.installation.createTenant()).id;
});

const nameTopic = (): string => `collector-${randomUUID()}`;
async function createTopic(topic: string, numPartitions = 2): Promise<string> {
  await createTopics(running.broker.admin, [{ topic, numPartitions }]);
  created.push(topic);
  return topic;
}
const cli = <Document = Record<string, unknown>>(...args: string[]) => running.installation.cli<Document>(...args);
const bind = (topic: string, ...more: string[]) =>
  cli('source', 'create', '--topic', topic, '--format', format, ...more);
const rows = (count: number) =>
  eventually(`${count} rows`, noticedMs, async () => (await running.inspector.rowCount(tenantId)) === count);
const lanesOf = async (topic: string) =>
  (await running.installation.admin.lanes.list()).filter((lane) => lane.topic === topic);
const bindingOf = async (topic: string) =>
  (await cli<{ data: { topic: string; state: string; reason: string | null }[] }>('source', 'list')).data.find(
    (one) => one.topic === topic,
  );
const plain = (record: unknown) => ({ value: Buffer.from(JSON.stringify(record)) });
const plainRecords = (count: number, from = 0) =>
  Array.from({ length: count }, (_, number) => plain(activityRecord(from + number)));

test('records without an envelope become rows of the tenant, without a restart, and the lanes move the watermark', async () => {
  const topic = await createTopic(nameTopic());
  await running.broker.append(topic, 0, plainRecords(30));
  await bind(topic, '--tenant', tenantId);
  await running.broker.append(topic, 1, plainRecords(20, 30));
  await rows(50);
  expect(await lanesOf(topic)).toMatchObject([
    { partition: 0, source: 'raw.activity.v1', state: 'running', nextOffset: 30 },
    { partition: 1, source: 'raw.activity.v1', state: 'running', nextOffset: 20 },
  ]);
  expect(await bindingOf(topic)).toMatchObject({ state: 'read', reason: null, lanes: 2, unread: 0, tenantId, format });
  expect((await cli('status')).bindings).toMatchObject([{ topic, state: 'read' }]);
  expect((await cli('sources', '--tenant', tenantId)).bindings).toMatchObject([{ topic }]);
  const { rows: minutes } = await running.inspector.client.query(
    `select sum(row_count)::int as rows from models.feed_minute where feed = 'logs'`,
  );
  await eventually('the rows of the feed are counted', 20_000, async () => {
    const { rows: now } = await running.inspector.client.query(
      `select sum(row_count)::int as rows from models.feed_minute where feed = 'logs'`,
    );
    return now[0].rows >= 50;
  });
  expect(minutes).toHaveLength(1);
});

test('headers of our envelope are ignored on a bound topic, and a dead letter retains them', async () => {
  const other = (await running.installation.createTenant('Another tenant')).id;
  const topic = await createTopic(nameTopic(), 1);
  await bind(topic, '--tenant', tenantId);
  const claimed = activityMessage(other, activityRecord(0));
  const victim = randomUUID();
  await running.broker.append(topic, 0, [
    claimed,
    {
      ...claimed,
      value: Buffer.from('{"broken'),
      headers: { ...claimed.headers, 'tenantscope-dead-letter': victim, 'tenantscope-import': `${victim}:1` },
    },
    {
      key: 'anything',
      value: Buffer.from(JSON.stringify(activityRecord(1))),
      headers: { ce_type: 'a', ce_specversion: '9' },
    },
  ]);
  await rows(2);
  expect(await running.inspector.rowCount(other)).toBe(0);
  const [deadLetter] = (await running.inspector.deadLetters()).filter((one) => one.topic === topic);
  expect(deadLetter).toMatchObject({ tenantId, reason: 'INVALID_JSON', offset: '1', state: 'pending' });
  expect(deadLetter?.key?.toString()).toBe(other);
  expect(new Map(deadLetter?.headers).get('ce_tenantid')).toBe(Buffer.from(other).toString('base64'));
});

test('values of every hostile kind become dead letters of the tenant and stop nothing', async () => {
  const topic = await createTopic(nameTopic(), 1);
  await bind(topic, '--tenant', tenantId);
  const hostile = [
    null,
    '',
    '\u0000',
    '\u0000\u0001schema',
    '[]',
    '[[[[]]]]',
    '"text"',
    'null',
    '{"a":'.repeat(5_000),
    '\ud800',
  ];
  const values = [
    ...hostile.map((text) => (text === null ? null : Buffer.from(text))),
    Buffer.from([0xff, 0xfe, 0x80]),
  ];
  await running.broker.append(topic, 0, [...values.map((value) => ({ value })), ...plainRecords(1)]);
  await rows(1);
  const deadLetters = (await running.inspector.deadLetters()).filter((one) => one.topic === topic);
  expect(deadLetters.map(({ offset }) => Number(offset))).toEqual(values.map((_, offset) => offset));
  expect(new Set(deadLetters.map((deadLetter) => deadLetter.tenantId))).toEqual(new Set([tenantId]));
});

test('a topic that does not exist is reported, is not created, and is read once it exists', async () => {
  const [missing, present] = [nameTopic(), await createTopic(nameTopic(), 1)];
  await bind(missing, '--tenant', tenantId);
  await bind(present, '--tenant', tenantId);
  await running.broker.append(present, 0, plainRecords(3));
  await rows(3);
  await eventually(
    'the missing topic is reported',
    noticedMs,
    async () => (await readBoundTopic(running.installation.admin, missing))?.state === 'not read',
  );
  expect(await bindingOf(missing)).toMatchObject({
    state: 'not read',
    reason: expect.stringMatching(/does not exist/),
  });
  expect(await running.broker.admin.listTopics()).not.toContain(missing);
  await createTopic(missing, 40);
  for (const partition of [0, 17, 39])
    await running.broker.append(missing, partition, plainRecords(2, 100 + partition * 2));
  await rows(9);
  expect(await lanesOf(missing)).toHaveLength(40);
});

test('a removed binding stops the lane and the watermark does not wait for it; bound again, it continues without loss', async () => {
  const topic = await createTopic(nameTopic(), 1);
  await bind(topic, '--tenant', tenantId);
  await running.broker.append(topic, 0, plainRecords(10));
  await rows(10);
  await cli('source', 'remove', '--topic', topic);
  await eventually('the lane is unbound', noticedMs, async () => (await lanesOf(topic))[0]?.state === 'unbound');
  await running.broker.append(topic, 0, plainRecords(10, 10));
  const before = (await running.installation.admin.status()).feeds.logs.completeThrough ?? '';
  await eventually('the watermark passes', 10_000, async () => {
    const { completeThrough, unread } = (await running.installation.admin.status()).feeds.logs;
    return (completeThrough ?? '') > before && unread === 0;
  });
  // As a measurement of its log that is a minute old: a lane that is read would count as stalled.
  await running.inspector.client.query(
    `update models.lane_log log set measured_at = clock_timestamp() - interval '1 min', end_offset = 20, position = 10, unread_offset = 10,
            unread_since = clock_timestamp() - interval '1 min', unmoved_since = clock_timestamp() - interval '1 min'
       from models.ingest_lane lane where lane.topic_id = log.topic_id and lane.topic = $1`,
    [topic],
  );
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(await lanesOf(topic)).toMatchObject([{ state: 'unbound', reason: null, nextOffset: 10, unread: 0 }]);
  expect((await running.installation.admin.status()).feeds.logs.unreadSince).toBeNull();
  expect(await running.inspector.rowCount(tenantId)).toBe(10);
  expect(await running.ingest.ready()).toBe(true);

  await bind(topic, '--tenant', tenantId);
  await rows(20);
  expect(await lanesOf(topic)).toMatchObject([{ state: 'running', nextOffset: 20 }]);
});

test('a topic that is bound to a format of another feed becomes a source of that feed above its watermark', async () => {
  const topic = await createTopic(nameTopic(), 1);
  await bind(topic, '--tenant', tenantId);
  await running.broker.append(topic, 0, plainRecords(1));
  await rows(1);
  await cli('source', 'remove', '--topic', topic);
  await cli('source', 'create', '--topic', topic, '--format', 'graph.user', '--tenant', tenantId);
  await eventually(
    'the lane is one of entities',
    noticedMs,
    async () => (await lanesOf(topic))[0]?.source === 'raw.entity.v1',
  );
  const settled = (await running.installation.admin.status()).feeds.entities.completeThrough ?? '';
  await running.broker.append(topic, 0, [
    plain({ id: randomUUID(), displayName: 'Ada', userPrincipalName: 'ada@example.com' }),
  ]);
  await eventually('the user is stored', noticedMs, async () => {
    const { rows: found } = await running.inspector.client.query(
      'select updated_at as at from models.entity_user where tenant_id = $1',
      [tenantId],
    );
    return found.length === 1 && found[0].at.toISOString() > settled;
  });
});

test('the records of a tenant that is gone become dead letters, which name it', async () => {
  const topic = await createTopic(nameTopic(), 1);
  await bind(topic, '--tenant', tenantId);
  await running.broker.append(topic, 0, plainRecords(1));
  await rows(1);
  await running.inspector.client.query('delete from control.api_key where tenant_id = $1', [tenantId]);
  await running.inspector.client.query('delete from control.tenant where id = $1', [tenantId]);
  const deadLetters = async () => (await running.inspector.deadLetters()).filter((one) => one.topic === topic);
  // The cache of tenants is read again every 30 s.
  let appended = 1;
  await eventually('its records are dead letters', 60_000, async () => {
    await running.broker.append(topic, 0, plainRecords(1, appended++));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return (await deadLetters()).length > 0;
  });
  expect((await deadLetters())[0]).toMatchObject({ reason: 'UNKNOWN_TENANT', tenantId });
});

test('a record that names a tenant by its id at another provider is read once the tenant has that id', async () => {
  const providerId = `C-${randomUUID()}`;
  const topic = await createTopic(nameTopic(), 1);
  await bind(topic, '--tenant-from', 'customerId');
  const of = (number: number) => plain(activityRecord(number, { customerId: providerId.toUpperCase() }));
  await running.broker.append(topic, 0, [of(0)]);
  const deadLetters = async () => (await running.inspector.deadLetters()).filter((one) => one.topic === topic);
  await eventually('it is a dead letter', noticedMs, async () => (await deadLetters()).length === 1);
  await cli('tenant', 'add-provider-id', providerId, '--tenant', tenantId);
  await running.broker.append(topic, 0, [of(1)]);
  await rows(1);
  await cli('dead-letters', 'replay', '--source', topic);
  await rows(2);
  await cli('tenant', 'remove-provider-id', providerId, '--tenant', tenantId);
  // Removed ids are noticed when all tenants are read again, every 30 s.
  let number = 2;
  await eventually('its records are dead letters again', 60_000, async () => {
    await running.broker.append(topic, 0, [of(number++)]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return (await deadLetters()).some(({ state }) => state === 'pending');
  });
});

test('each record of one topic belongs to the tenant that it names, also one that is created later', async () => {
  const other = await running.installation.createTenant('Another tenant');
  const own = await running.inspector.client.query('select azure_tenant_id as id from control.tenant where id = $1', [
    tenantId,
  ]);
  const topic = await createTopic(nameTopic(), 1);
  await bind(topic, '--tenant-from', 'OrganizationId');
  const of = (OrganizationId: unknown, number: number) => activityRecord(number, { OrganizationId });
  const later = randomUUID();
  await running.broker.append(topic, 0, [
    plain([of(own.rows[0].id, 0), of(other.azureTenantId, 1)]),
    plain(of('C03az79cb', 2)),
    plain(of(undefined, 3)),
    plain(of(own.rows[0].id, 4)),
  ]);
  await rows(2);
  expect(await running.inspector.rowCount(other.id)).toBe(1);
  const deadLetters = (await running.inspector.deadLetters()).filter((one) => one.topic === topic);
  expect(deadLetters).toMatchObject([
    { offset: '1', reason: 'MISSING_TENANT', tenantId: null },
    { offset: '2', reason: 'MISSING_TENANT', tenantId: null },
  ]);
  const { rows: details } = await running.inspector.client.query(
    `select detail from models.dead_letter d join models.dead_letter_message m on m.id = d.message_id
      where m.topic = $1 and reason = 'MISSING_TENANT' order by detail`,
    [topic],
  );
  expect(details).toMatchObject([
    { detail: 'member OrganizationId has "C03az79cb", the provider id of no tenant' },
    { detail: 'the record has no member OrganizationId with the id of its tenant' },
  ]);
  const created = await running.installation.admin.tenants.create({
    name: 'Later',
    organizationId: null,
    azureTenantId: later,
  });
  await running.broker.append(topic, 0, [plain(of(later, 5))]);
  await eventually('the record of the new tenant is a row', noticedMs, async () => {
    return (await running.inspector.rowCount(created.id)) === 1;
  });
});
