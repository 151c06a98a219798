import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

const oldest = new Date(Date.now() - 7_200_000).toISOString();
const later = new Date(Date.now() - 3_600_000).toISOString();

let installation: Installation;
let log: ControlledLog;
let baseUrl: string;
let caller: ApiClient;
let secret: string;
let tenantId: string;

beforeAll(async () => {
  installation = await startInstallation();
  log = await openControlledLog(installation.database.superuser);
  // Positions are set by the tests, and the lanes stay settled where the tests put them.
  await log.query('alter table models.ingest_lane disable trigger stamp_lane');
  await log.query(
    `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened)
     select cluster_id, topic_id, 1, topic, source, settled_at, true from models.ingest_lane`,
  );
  await log.query(
    `insert into models.lane_log (cluster_id, topic_id, partition, measured_at, end_offset, position)
     select cluster_id, topic_id, partition, now() + interval '1 hour', 40, 0 from models.ingest_lane`,
  );
  ({ baseUrl } = await installation.startApi());
  const tenant = await installation.createTenant();
  ({ secret, id: tenantId } = tenant);
  caller = createApiClient(baseUrl, secret);
  const settledMs = Date.now() - 600_000;
  await log.write(
    tenant.id,
    [1, 2, 3].map((second) => ({ discoveredAt: new Date(settledMs - second * 1_000).toISOString() })),
  );
  await log.settle(settledMs);
});
afterAll(async () => {
  await log?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

const unreadSince = async (parameters: Record<string, string> = {}) =>
  (await caller.get('/logs', parameters)).body.pagination.unreadSince;
const setLog = (partition: number, assignment: string) =>
  log.query(`update models.lane_log set ${assignment} where partition = ${partition}`);
const waitUntilServed = (expected: string | null) =>
  eventually(`unreadSince is ${expected}`, 10_000, async () => (await unreadSince()) === expected);

test('unreadSince is the time of the oldest unread record of any lane, on cursor pages and over MCP too', async () => {
  expect(await unreadSince()).toBeNull();
  await setLog(0, `unread_offset = 7, unread_since = '${later}'`);
  await waitUntilServed(later);
  await setLog(1, `unread_offset = 20, unread_since = '${oldest}'`);
  await waitUntilServed(oldest);
  const first = await caller.get('/logs', { sort: 'discoveredAtAsc', limit: '2' });
  expect(first.body.pagination).toMatchObject({ hasMore: true, unreadSince: oldest });
  expect(await unreadSince({ cursor: first.body.pagination.nextCursor })).toBe(oldest);
  const { structuredContent } = await createMcpClient(baseUrl, secret).call('list_logs', {});
  expect(structuredContent?.pagination).toMatchObject({ unreadSince: oldest });
});

test('a record is read as soon as the position of its lane is past it, before the next measurement', async () => {
  await log.query('update models.ingest_lane set next_offset = 20 where partition = 1');
  expect(await unreadSince()).toBe(oldest);
  await log.query('update models.ingest_lane set next_offset = 21 where partition = 1');
  await waitUntilServed(later);
  await log.query('update models.ingest_lane set next_offset = 40');
  await waitUntilServed(null);
});

test('while no process measures a lane, unreadSince is the time of the last measurement', async () => {
  await setLog(0, `measured_at = '${later}'`);
  await waitUntilServed(later);
  await setLog(0, 'measured_at = now()');
  await waitUntilServed(null);
});

const readFeeds = async (from = caller) => (await from.get('/feeds')).body.data;

/** A pending dead letter of the topic of the log; of skipped records and batches the tenant may be unknown. */
async function addDeadLetter(owner: string | null, reason: string, at: string, topic = 'still.raw.activity.v1') {
  const id = randomUUID();
  await log.query(
    `insert into models.dead_letter_message (id, topic, partition, "offset", headers) values ($1, $2, 0, 0, '[]')`,
    [id, topic],
  );
  await log.query(
    `insert into models.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, worker_version, dead_lettered_at)
     values ($1, $1, 0, $2, $3, $4, 'decode', 'd', '1', $5)`,
    [id, topic, owner, reason, at],
  );
  return id;
}

test('the health of a feed is that of its lists, for the feeds that the key may read', async () => {
  const { pagination } = (await caller.get('/logs', { sort: 'discoveredAtAsc' })).body;
  const [health, ...others] = await readFeeds();
  expect(others).toEqual([]);
  expect(health).toMatchObject({
    feed: 'logs',
    scopes: ['logs:read'],
    completeThrough: pagination.completeThrough,
    retainedFrom: pagination.retainedFrom,
    retentionDays: 400,
    epoch: null,
    gaps: { deadLetters: 0, deadLettersSince: null, skippedRecords: 0, skippedAt: null },
  });
  expect(health.lagMs).toBeGreaterThanOrEqual(600_000);
  await setLog(0, `unread_offset = 90, unread_since = '${later}'`);
  await eventually('the feed is behind', 10_000, async () => (await readFeeds())[0].unreadSince === later);
  await setLog(0, 'unread_offset = null, unread_since = null');

  const { id: keyId, secret: wide } = await installation.admin.keys.create({
    name: 'wide',
    scopes: ['users:read', 'detections:read'],
    owner: { tenantId },
    expiresAt: null,
  });
  const feeds = await readFeeds(createApiClient(baseUrl, wide));
  // No lane writes them here: nothing is claimed.
  expect(feeds.map(({ feed, completeThrough }: Record<string, unknown>) => [feed, completeThrough])).toEqual([
    ['detections', null],
    ['entities', null],
  ]);
  await installation.admin.keys.revoke(keyId);
  const { structuredContent } = await createMcpClient(baseUrl, secret).call('list_feeds', {});
  expect(structuredContent?.data).toMatchObject([{ feed: 'logs', completeThrough: pagination.completeThrough }]);
});

test('gaps are those of the tenant, by the source of the lane, and of unknown tenants the time alone', async () => {
  const stranger = await installation.createTenant('Stranger');
  const at = '2026-11-26T10:15:00.000Z';
  const skippedAt = '2026-11-26T11:45:30.000Z';
  await addDeadLetter(stranger.id, 'INVALID_JSON', '2026-11-20T00:00:00.000Z');
  await addDeadLetter(null, 'INVALID_JSON', '2026-11-26T12:00:00.000Z');
  await addDeadLetter(tenantId, 'INVALID_JSON', at, 'still.entity.v1');
  expect((await readFeeds())[0].gaps).toEqual({
    deadLetters: 0,
    deadLettersSince: null,
    skippedRecords: 0,
    skippedAt: null,
  });

  await log.query(`update models.ingest_lane set topic = 'bound-topic' where partition = 1`);
  const decided = await addDeadLetter(tenantId, 'UNKNOWN_FORMAT', '2026-11-25T00:00:00.000Z', 'bound-topic');
  await addDeadLetter(tenantId, 'INVALID_JSON', at, 'bound-topic');
  await addDeadLetter(tenantId, 'SKIPPED', '2026-11-26T11:00:00.000Z');
  await addDeadLetter(null, 'UNDECODABLE_BATCH', skippedAt);
  await log.query(`update models.dead_letter set state = 'discarded' where id = $1`, [decided]);
  expect((await readFeeds())[0].gaps).toEqual({
    deadLetters: 2,
    deadLettersSince: '2026-11-26T10:00:00.000Z',
    skippedRecords: 1,
    skippedAt,
  });
  expect((await readFeeds(createApiClient(baseUrl, stranger.secret)))[0].gaps).toEqual({
    deadLetters: 1,
    deadLettersSince: '2026-11-20T00:00:00.000Z',
    skippedRecords: 0,
    skippedAt,
  });

  await log.query(`insert into models.ingest_epoch (timeline, opened_at) values ('00000001', $1), ('00000002', $2)`, [
    at,
    skippedAt,
  ]);
  expect((await readFeeds())[0]).toMatchObject({ epoch: 2, epochSince: skippedAt });
});
