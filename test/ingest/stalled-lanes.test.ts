import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';

interface ListedLane {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly state: string;
  readonly reason: string | null;
  readonly unread: number;
  readonly unreadSince: string | null;
}

const { installation: product, broker, inspector, ingest, topic } = await startIngestInstallation();
const jobs = await product.startJobs();
const api = await product.startApi();
const tenant = await product.createTenant();

/** A stall is found within 30 s: the rest is for a loaded machine. */
const stallTimeoutMs = 60_000;
const recoveryTimeoutMs = 60_000;

const findLane = async (partition = 0): Promise<ListedLane> => {
  const { data } = await product.cli<{ data: ListedLane[] }>('lanes', 'list');
  return data.find((lane) => lane.topic === topic && lane.partition === partition) as ListedLane;
};
const laneState = async (partition = 0): Promise<string> => {
  const { rows } = await inspector.client.query<{ state: string }>(
    'select state from models.lane_status where topic = $1 and partition = $2',
    [topic, partition],
  );
  return rows[0]?.state ?? '';
};
/** Waits in SQL: the 74 commands of a wait for a stall took 24 s of CPU time. */
const isListedAs = async (reason: RegExp): Promise<boolean> =>
  (await laneState()) === 'stalled' && reason.test((await findLane()).reason ?? '');
const readLogs = async () => {
  const response = await fetch(`${api.baseUrl}/logs?limit=10`, {
    headers: { Authorization: `Bearer ${tenant.secret}` },
  });
  return (await response.json()) as {
    data: readonly unknown[];
    pagination: { unreadSince: string | null; completeThrough: string; nextCursor: string | null };
  };
};
const health = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};
const append = (number: number, timestampMs = Date.now(), partition = 0) =>
  broker.append(topic, partition, [
    { ...activityMessage(tenant.id, activityRecord(number)), timestamp: String(timestampMs) },
  ]);
const rowCount = async (count: number) => (await readLogs()).data.length === count;

test('a lane whose only ingest process hangs is stalled, and lists report the time of its oldest unread record', async () => {
  await append(1);
  await eventually('the record is served', recoveryTimeoutMs, () => rowCount(1));
  await eventually(
    'nothing is unread',
    recoveryTimeoutMs,
    async () => (await readLogs()).pagination.unreadSince === null,
  );

  ingest.kill('SIGSTOP');
  try {
    const producedAtMs = Date.now();
    await append(2, producedAtMs);
    await append(3, producedAtMs + 500);
    // The watermark stands first; a measurement later the position does.
    await eventually('the lane is stalled', stallTimeoutMs, () =>
      isListedAs(/^no (consumer|progress) since \S+: 2 records unread/),
    );
    const producedAt = new Date(producedAtMs).toISOString();
    expect(await findLane()).toMatchObject({ state: 'stalled', unread: 2, unreadSince: producedAt });
    const { pagination } = await readLogs();
    expect(pagination.unreadSince).toBe(producedAt);
    const status = await product.cli<{ feeds: Record<string, { unread: number; unreadSince: string | null }> }>(
      'status',
    );
    expect(status.feeds.logs).toMatchObject({ unread: 2, unreadSince: producedAt });
    expect(status.feeds.detections).toMatchObject({ unread: 0, unreadSince: null });
    const { text } = await health(jobs.healthPort, '/metrics');
    expect(text).toContain(`tenantscope_lane_stalled{cluster="main",topic="${topic}",partition="0",cell="default"} 1`);
    expect(text).toContain(
      `tenantscope_lane_unread_records{cluster="main",topic="${topic}",partition="0",cell="default"} 2`,
    );
  } finally {
    ingest.kill('SIGCONT');
  }
  await eventually('the records are served', recoveryTimeoutMs, () => rowCount(3));
  await eventually('the lane runs', recoveryTimeoutMs, async () => (await laneState()) === 'running');
  // The API reads it once a second.
  await eventually(
    'no record is unread',
    recoveryTimeoutMs,
    async () => (await readLogs()).pagination.unreadSince === null,
  );
  await eventually('the process is ready', recoveryTimeoutMs, () => ingest.ready());
}, 200_000);

test('a lane that waits for the database is stalled and its process unready, but not restarted', async () => {
  await inspector.client.query('begin');
  await inspector.client.query('lock table models.log_identity in access exclusive mode');
  try {
    await append(4);
    const unready = async () => (await health(ingest.healthPort, '/readyz')).text;
    await eventually('the process is unready', stallTimeoutMs, async () =>
      (await unready()).includes(`${topic}/0 is stalled: no progress since`),
    );
    expect((await findLane()).reason).toMatch(/^no progress since \S+: 1 record unread, consumer \S+\/\d+$/);
    expect(await health(ingest.healthPort, '/livez')).toMatchObject({ status: 200 });
  } finally {
    await inspector.client.query('rollback');
  }
  await eventually('the record is served', recoveryTimeoutMs, () => rowCount(4));
  await eventually('the process is ready', recoveryTimeoutMs, () => ingest.ready());
}, 200_000);

test('a lane that runs and does not move can be skipped: the record before which it waits becomes a dead letter', async () => {
  const { length } = (await readLogs()).data;
  await inspector.client.query('begin');
  await inspector.client.query('lock table models.log_identity in access exclusive mode');
  try {
    const offset = Number(await append(5));
    await append(6);
    await eventually('the lane makes no progress', stallTimeoutMs, () => isListedAs(/^no progress since /));
    const options = ['--to', String(offset + 1), '--reason', 'a record that blocks its lane'];
    expect(await product.cli('lanes', 'skip', `${topic}/0`, ...options)).toMatchObject({
      fromOffset: offset,
      records: 1,
      batches: 0,
    });
  } finally {
    await inspector.client.query('rollback');
  }
  await eventually('the record after it is served', recoveryTimeoutMs, () => rowCount(length + 1));
  expect(await inspector.deadLetters()).toMatchObject([{ reason: 'SKIPPED', partition: 0 }]);
  await eventually('the lane runs', recoveryTimeoutMs, async () => (await laneState()) === 'running');
}, 200_000);

test('the lane of a topic that was recreated has no unread records', async () => {
  const topicId = randomUUID();
  await inspector.client.query(
    `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, next_offset, settled_at, opened)
     select cluster_id, $2, partition, topic, source, 0, clock_timestamp(), true from models.ingest_lane where topic = $1 and partition = 0`,
    [topic, topicId],
  );
  await eventually('its log is measured', recoveryTimeoutMs, async () => {
    const { rows } = await inspector.client.query('select 1 from models.lane_log where topic_id = $1', [topicId]);
    return rows.length === 1;
  });
  const { data } = await product.cli<{ data: ListedLane[] }>('lanes', 'list');
  expect(data.find((lane) => lane.topicId === topicId)).toMatchObject({
    state: 'running',
    unread: 0,
    unreadSince: null,
  });
}, 90_000);
