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

beforeAll(async () => {
  installation = await startInstallation();
  log = await openControlledLog(installation.database.superuser);
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
  ({ secret } = tenant);
  caller = createApiClient(baseUrl, secret);
  const settledMs = Date.now() - 600_000;
  await log.write(
    tenant.id,
    [1, 2, 3].map((second) => ({ discoveredAt: new Date(settledMs - second * 1_000).toISOString() })),
  );
  await log.settle(settledMs);
}, 90_000);
afterAll(async () => {
  await log?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
}, 60_000);

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
