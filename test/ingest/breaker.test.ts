import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';
import { isLong } from '../torture/random.ts';

const { installation, broker, inspector, ingest, topic } = await startIngestInstallation();

const bad = (tenantId: string, number: number) =>
  activityMessage(tenantId, { ...activityRecord(number), Operation: null });
const good = (tenantId: string, number: number) => activityMessage(tenantId, activityRecord(number));
const many = <Item>(count: number, make: (number: number) => Item): Item[] =>
  Array.from({ length: count }, (_, number) => make(number));

async function deadLettersOf(...tenantIds: string[]): Promise<number> {
  const { rows } = await inspector.client.query(
    'select count(*)::int as count from models.dead_letter where tenant_id = any($1)',
    [tenantIds],
  );
  return rows[0].count;
}

const lane = async (partition: number) =>
  (
    await installation.cli<{ data: { topic: string; partition: number; state: string; reason: string | null }[] }>(
      'lanes',
      'list',
    )
  ).data.find((one) => one.topic === topic && one.partition === partition);

test('a thousand consecutive failures of two tenants stop their lane alone until the operator resumes it', async () => {
  const [one, other, third] = [
    await installation.createTenant(),
    await installation.createTenant(),
    await installation.createTenant(),
  ];
  const flood = many(2_600, (number) => bad(number % 2 === 0 ? one.id : other.id, number));
  await broker.append(topic, 0, [
    ...many(10, (number) => good(one.id, number)),
    ...flood,
    ...many(5, (number) => good(other.id, number)),
  ]);
  await eventually('readiness fails', 20_000, async () => !(await ingest.ready()));

  const readiness = await (await fetch(`http://127.0.0.1:${ingest.healthPort}/readyz`)).text();
  for (const named of ['o365.management-activity', one.id, other.id]) expect(readiness).toContain(named);
  await eventually('the lane shows the reason', 5_000, async () => (await lane(0))?.state === 'tripped');
  expect((await lane(0))?.reason).toContain('1000 records in a row');
  expect(await deadLettersOf(one.id, other.id)).toBeLessThanOrEqual(1_000);
  await broker.append(topic, 1, [good(third.id, 1)]);
  await eventually('another lane continues', 10_000, async () => (await inspector.rowCount(third.id)) === 1);
  expect((await fetch(`http://127.0.0.1:${ingest.healthPort}/livez`)).status).toBe(200);

  await installation.cli('lanes', 'resume', `${topic}/0`);
  await eventually('all records are processed', 30_000, async () => (await inspector.rowCount(other.id)) === 5);
  expect(await inspector.rowCount(one.id)).toBe(10);
  expect(await deadLettersOf(one.id, other.id)).toBe(2_600);
  await eventually('readiness succeeds', 10_000, () => ingest.ready());
  expect(await lane(0)).toMatchObject({ state: 'running', reason: null });
});

test('the next thousand failures stop a resumed lane again', async () => {
  const [one, other] = [await installation.createTenant(), await installation.createTenant()];
  await broker.append(
    topic,
    0,
    many(1_200, (number) => bad(number % 2 === 0 ? one.id : other.id, number)),
  );
  await eventually('the lane is stopped again', 20_000, async () => (await lane(0))?.state === 'tripped');
  expect(await deadLettersOf(one.id, other.id)).toBeLessThanOrEqual(1_000);
  await installation.cli('lanes', 'resume', `${topic}/0`);
  await eventually('the lane continues', 30_000, async () => (await deadLettersOf(one.id, other.id)) === 1_200);
});

test('three thousand failures of one tenant stop no lane', async () => {
  const { id } = await installation.createTenant();
  await broker.append(topic, 2, [...many(3_000, (number) => bad(id, number)), good(id, 1)]);
  await eventually('the later record is stored', 30_000, async () => (await inspector.rowCount(id)) === 1);
  expect(await deadLettersOf(id)).toBe(3_000);
  expect(await lane(2)).toMatchObject({ state: 'running' });
  expect(await ingest.ready()).toBe(true);
});

test.runIf(isLong)(
  'a tripped lane probes every minute and resumes when the cause is fixed',
  { tags: ['torture'], timeout: 150_000 },
  async () => {
    const tenants = [randomUUID(), randomUUID()];
    await broker.append(
      topic,
      3,
      many(1_400, (number) => good(tenants[number % 2] ?? '', number)),
    );
    await eventually('the lane is stopped', 20_000, async () => (await lane(3))?.state === 'tripped');
    for (const id of tenants) {
      await inspector.client.query(
        `insert into control.tenant (id, name, plan, digest) values ($1, 'Late', 'api', sha256('late'))`,
        [id],
      );
    }
    await eventually('the probe succeeds', 90_000, async () => (await lane(3))?.state === 'running');
    await eventually('the waiting records are stored', 20_000, async () => {
      const rows = (await inspector.rowCount(tenants[0] ?? '')) + (await inspector.rowCount(tenants[1] ?? ''));
      return rows + (await deadLettersOf(...tenants)) === 1_400;
    });
  },
);
