import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { createTopics } from '../installation/create-topics.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';

const partitions = 24;
const batches = 40;
const perBatch = 50;

const running = await startIngestInstallation();
let topics: string[] = [];

afterAll(async () => {
  await running.broker.admin.deleteTopics({ topics }).catch(() => {});
});

test('two processes read a bound topic without loss while one is killed and bindings change', async () => {
  const { installation, broker, inspector } = running;
  const tenantId = (await installation.createTenant()).id;
  const [topic, other] = [`collector-${randomUUID()}`, `collector-${randomUUID()}`];
  topics = [topic, other];
  const created = topics.map((name) => ({ topic: name, numPartitions: partitions }));
  await createTopics(broker.admin, created);
  const bind = (name: string) =>
    installation.cli('source', 'create', '--topic', name, '--format', 'o365.management-activity', '--tenant', tenantId);
  await bind(topic);
  const second = await installation.startIngest();

  let number = 0;
  const produce = async () => {
    for (let batch = 0; batch < batches; batch++) {
      const values = Array.from({ length: perBatch }, () => ({
        value: Buffer.from(JSON.stringify(activityRecord(number++))),
      }));
      await broker.append(topic, batch % partitions, values);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  };
  const producing = produce();
  await eventually('rows are written', 30_000, async () => (await inspector.rowCount(tenantId)) > 0);
  await bind(other);
  second.kill('SIGKILL');
  await second.gone;
  await installation.cli('source', 'remove', '--topic', topic);
  await installation.startIngest();
  await bind(topic);
  await producing;

  const total = batches * perBatch;
  await eventually('every record is a row', 60_000, async () => (await inspector.rowCount(tenantId)) === total);
  const { rows: lanes } = await inspector.client.query(
    `select sum(next_offset)::int as read, count(*)::int as lanes, count(*) filter (where state <> 'running')::int as halted
       from models.ingest_lane where topic = $1`,
    [topic],
  );
  expect(lanes).toEqual([{ read: total, lanes: partitions, halted: 0 }]);
  expect(await inspector.deadLetters()).toEqual([]);
  await eventually('every lane is read', 30_000, async () => {
    const listed = (await installation.admin.lanes.list()).filter((lane) => topics.includes(lane.topic));
    return listed.length === 2 * partitions && listed.every(({ state }) => state === 'running');
  });
});
