import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKafkaClient } from '@tenantscope/publish';
import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { alertEvent } from '../installation/alert-messages.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestingConsole } from './ingesting-console.ts';

const host = await startIngestingConsole();
const { installation: running, visited, broker, inspector: looking } = host;
const viewer = await visited.signIn('viewer');
let { ingest } = host;

interface ShownFeed {
  feed: string;
  state: string;
  lagMs: number;
  lateMs: number;
  unread: number | null;
  hour: { lagMs: (number | null)[]; rowsPerMinute: number | null; isQuiet: boolean };
  lanes: {
    topic: string;
    partition: number;
    state: string;
    worker: string | null;
    unread: number | null;
    isRead: boolean;
  }[];
}
const feed = async (name: string): Promise<ShownFeed> => {
  const [overview, activity] = await Promise.all([
    viewer.request('GET', `/console/api/feeds?lanesOf=${name}`),
    viewer.request('GET', '/console/api/feeds/activity'),
  ]);
  const named = ({ feed }: { feed: string }) => feed === name;
  return { ...overview.body.feeds.find(named), lanes: overview.body.lanes, hour: activity.body.feeds.find(named) };
};
const written = async (name: string): Promise<number> => {
  const { rows } = await looking.client.query<{ rows: number }>(
    'select coalesce(sum(row_count), 0)::int as rows from models.feed_minute where feed = $1',
    [name],
  );
  return rows[0]?.rows ?? 0;
};

test('rows are counted per minute for their feed, including an alert from a log record', async () => {
  const [tenantId = ''] = visited.tenantIds;
  const twice = activityRecord(2);
  const records = [activityRecord(1), twice, twice, alertEvent(randomUUID())];
  await broker.append(
    running.activityTopic,
    0,
    records.map((record) => activityMessage(tenantId, record)),
  );
  await eventually('rows are counted', 30_000, async () => (await written('logs')) === 3);
  await eventually('the alert is counted', 30_000, async () => (await written('securityAlerts')) === 1);
  expect(await written('detections')).toBe(0);
  expect((await feed('logs')).hour.isQuiet).toBe(false);
  const { state, hour } = await feed('detections');
  expect({ state, isQuiet: hour.isQuiet }, 'nothing came, and nothing is late').toEqual({
    state: 'settled',
    isQuiet: true,
  });
});

test('each lane shows its consumer and the number of unread records in Kafka', async () => {
  await eventually('every lane is toComparable of', 30_000, async () => (await feed('logs')).unread === 0);
  const { lanes } = await feed('logs');
  expect(new Set(lanes.map(({ worker }) => worker)).size, 'one process reads them all').toBe(1);
  expect(lanes[0]?.worker).toMatch(new RegExp(`/${ingest.child.pid}$`));
});

test('unread records in Kafka make a feed late although its watermark moves, and a stalled lane shows its reason', async () => {
  const [tenantId = ''] = visited.tenantIds;
  // A batch of member else holds the lane: what comes behind it cannot be written, and its watermark stands with it.
  await looking.client.query('begin');
  await looking.client.query(`select from models.ingest_lane where topic = $1 and partition = 0 for update`, [
    running.activityTopic,
  ]);
  try {
    await broker.append(running.activityTopic, 0, [activityMessage(tenantId, activityRecord(5))]);
    await eventually('it is seen as unread', 30_000, async () => (await feed('logs')).unread === 1);
    await eventually('it is late', 30_000, async () => ['late', 'stalled'].includes((await feed('logs')).state));
    expect((await feed('securityAlerts')).state, 'the same lanes write alerts').not.toBe('settled');
    expect((await feed('detections')).state).toBe('settled');
  } finally {
    await looking.client.query('rollback');
  }
  await eventually('it recovers by itself', 30_000, async () => (await feed('logs')).unread === 0);
  expect((await feed('logs')).state).toBe('settled');

  const stop = (state: string, reason: string | null) =>
    looking.client.query('update models.ingest_lane set state = $2, reason = $3 where topic = $1 and partition = 1', [
      running.activityTopic,
      state,
      reason,
    ]);
  await stop('stopped', 'records are missing');
  const stopped = await feed('logs');
  expect(stopped).toMatchObject({
    state: 'stalled',
    lanes: [{ partition: 1, state: 'stopped' }, ...stopped.lanes.slice(1)],
  });
  const line = await viewer.request('GET', '/console/api/settled');
  expect(line.body, 'the line in the frame says the same').toMatchObject({
    overall: { state: 'stalled', feeds: expect.arrayContaining(['logs', 'securityAlerts']), isEveryFeed: false },
  });
  await stop('running', null);
});

test('records of an aborted transaction are not counted as unread', async () => {
  const [tenantId = ''] = visited.tenantIds;
  const brokers = running.environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  const producer = createKafkaClient({ brokers, clientId: 'test' }).producer({
    transactionalId: `test-${randomUUID()}`,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await producer.connect();
  for (const number of [70, 71]) {
    const transaction = await producer.transaction();
    const message = { ...activityMessage(tenantId, activityRecord(number)), partition: 2 };
    await transaction.send({ topic: running.activityTopic, messages: [message] });
    await transaction.abort();
  }
  await producer.disconnect();
  const toComparable = async () => {
    const { rows } = await looking.client.query<{ unread: number; next: number }>(
      `select unread_count::int as unread, next_offset::int as next from models.lane_status
        where topic = $1 and partition = 2 and measured_at > $2`,
      [running.activityTopic, new Date(begunMs)],
    );
    return rows[0];
  };
  const begunMs = Date.now() + 1_000;
  await eventually('the lane is measured after that', 30_000, async () => (await toComparable()) !== undefined);
  expect(await toComparable()).toEqual({ unread: 0, next: 0 });
  expect(await feed('logs')).toMatchObject({ state: 'settled', unread: 0 });

  // What comes behind it counts again.
  await broker.append(running.activityTopic, 2, [activityMessage(tenantId, activityRecord(72))]);
  await eventually('it is written', 30_000, async () => ((await toComparable())?.next ?? 0) === 5);
  await eventually('nothing is unread', 30_000, async () => ((await toComparable())?.unread ?? 1) === 0);
});

test('without ingestion a feed is late within seconds, and a process that starts again records the lag it found', async () => {
  await ingest[Symbol.asyncDispose]();
  await eventually('it is late', 15_000, async () => (await feed('actions')).state === 'late');
  const { lateMs } = await feed('actions');
  const { body } = await viewer.request('GET', '/console/api/settled');
  expect(['late', 'stalled']).toContain(body.overall.state);
  await sleep(1_000);
  ingest = await running.startIngest();
  await eventually('the line knows of it', 30_000, async () => {
    const { hour } = await feed('actions');
    return Math.max(...hour.lagMs.map((lag) => lag ?? 0)) >= lateMs;
  });
  await eventually('it recovers by itself', 30_000, async () => (await feed('actions')).state === 'settled');
});

test('the row of every feed, its lanes and the settled status agree while no ingestion runs', async () => {
  await ingest[Symbol.asyncDispose]();
  const states = async () => {
    const { feeds, overall } = (await viewer.request('GET', '/console/api/feeds')).body as {
      feeds: { feed: string; state: string }[];
      overall: object;
    };
    const lanes = await Promise.all(feeds.map(async (one) => (await feed(one.feed)).lanes));
    const line = await viewer.request('GET', '/console/api/settled');
    return { feeds, lanes: lanes.flat(), overall, line: line.body.overall };
  };
  await eventually('every feed is stalled', 60_000, async () =>
    (await states()).feeds.every(({ state }) => state === 'stalled'),
  );
  const { lanes, overall, line } = await states();
  expect(new Set(lanes.map(({ state }) => state))).toEqual(new Set(['stalled']));
  expect(overall).toMatchObject({ state: 'stalled', isEveryFeed: true });
  expect(line).toMatchObject({ state: 'stalled', isEveryFeed: true });
  ingest = await running.startIngest();
  await eventually('every feed recovers', 30_000, async () =>
    (await states()).feeds.every(({ state }) => state === 'settled'),
  );
}, 120_000);

test('the completeness of security alerts is unknown while one of their two topics has no lane', async () => {
  const hide = (before: string, now: string) =>
    looking.client.query('update models.ingest_lane set source = $2 where source = $1', [before, now]);
  await ingest[Symbol.asyncDispose]();
  await hide('raw.alert.v1', 'elsewhere');
  expect((await feed('securityAlerts')).state).toBe('unproven');
  const line = await viewer.request('GET', '/console/api/settled');
  expect(line.body).toMatchObject({ overall: { state: 'unproven' }, settledTo: null });
  await hide('elsewhere', 'raw.alert.v1');
});

test('minutes older than two days are deleted, and a minute without ingestion is a gap', async () => {
  await looking.client.query(
    `insert into models.feed_minute (minute, feed, lag_ms, row_count) values (date_trunc('minute', now()) - interval '3 days', 'logs', 1, 1),
       (date_trunc('minute', now()) - interval '40 minutes', 'logs', 7000, 30), (date_trunc('minute', now()) - interval '38 minutes', 'logs', 900, 3)`,
  );
  const { hour } = await feed('logs');
  expect(hour.lagMs).toHaveLength(60);
  const at = hour.lagMs.indexOf(7000);
  expect(hour.lagMs.slice(at - 1, at + 4)).toEqual([null, 7000, null, 900, null]);
  ingest = await running.startIngest();
  await eventually('old minutes are gone', 30_000, async () => {
    const { rows } = await looking.client.query(
      `select 1 from models.feed_minute where minute < now() - interval '2 days'`,
    );
    return rows.length === 0;
  });
});

test('feed health is compressed, and a poll contains neither closed lanes nor the last hour', async () => {
  const poll = async (path: string) => {
    const response = await viewer.request('GET', `/console/api${path}`, undefined, { 'Accept-Encoding': 'gzip' });
    return { bytes: response.text.length, encoding: response.headers.get('content-encoding') };
  };
  const [closed, open, activity] = await Promise.all([
    poll('/feeds'),
    poll('/feeds?lanesOf=logs'),
    poll('/feeds/activity'),
  ]);
  expect(closed.encoding).toBe('gzip');
  expect(closed.bytes, 'nine feeds without lanes').toBeLessThan(5_000);
  expect(open.bytes).toBeGreaterThan(closed.bytes);
  expect(activity.encoding).toBe('gzip');
  const plain = await viewer.request('GET', '/console/api/feeds', undefined, { 'Accept-Encoding': 'gzip;q=0' });
  expect(plain.headers.get('content-encoding')).toBeNull();
});
