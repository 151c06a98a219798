import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually } from './product/eventually.ts';
import { ingestingProduct } from './product/ingesting.ts';
import { activityMessage, activityRecord } from './product/records.ts';
import { isLong } from './torture/lots.ts';

const { running, broker, looking, ingest, topic } = await ingestingProduct();

const bad = (tenantId: string, number: number) =>
  activityMessage(tenantId, { ...activityRecord(number), Operation: null });
const good = (tenantId: string, number: number) => activityMessage(tenantId, activityRecord(number));
const many = <Item>(count: number, make: (number: number) => Item): Item[] =>
  Array.from({ length: count }, (_, number) => make(number));

async function lettersOf(...tenantIds: string[]): Promise<number> {
  const { rows } = await looking.client.query(
    'select count(*)::int as letters from models.dead_letter where tenant_id = any($1)',
    [tenantIds],
  );
  return rows[0].letters;
}

const lane = async (partition: number) =>
  (
    await running.cli<{ data: { topic: string; partition: number; state: string; reason: string | null }[] }>(
      'lanes',
      'list',
    )
  ).data.find((one) => one.topic === topic && one.partition === partition);

test('a thousand failures in a row of two tenants stop their lane alone, and it goes on when the operator says so', async () => {
  const [one, other, third] = [await running.tenant(), await running.tenant(), await running.tenant()];
  const flood = many(2_600, (number) => bad(number % 2 === 0 ? one.id : other.id, number));
  await broker.append(topic, 0, [
    ...many(10, (number) => good(one.id, number)),
    ...flood,
    ...many(5, (number) => good(other.id, number)),
  ]);
  await eventually('readiness is red', 20_000, async () => !(await ingest.ready()));

  const readiness = await (await fetch(`http://127.0.0.1:${ingest.healthPort}/readyz`)).text();
  for (const named of ['o365.management-activity', one.id, other.id]) expect(readiness).toContain(named);
  await eventually('the lane says so', 5_000, async () => (await lane(0))?.state === 'tripped');
  expect((await lane(0))?.reason).toContain('1000 records in a row');
  expect(await lettersOf(one.id, other.id)).toBeLessThanOrEqual(1_000);
  await broker.append(topic, 1, [good(third.id, 1)]);
  await eventually('another lane goes on', 10_000, async () => (await looking.rowCount(third.id)) === 1);
  expect((await fetch(`http://127.0.0.1:${ingest.healthPort}/livez`)).status).toBe(200);

  await running.cli('lanes', 'resume', `${topic}/0`);
  await eventually('all is passed', 30_000, async () => (await looking.rowCount(other.id)) === 5);
  expect(await looking.rowCount(one.id)).toBe(10);
  expect(await lettersOf(one.id, other.id)).toBe(2_600);
  await eventually('readiness is green', 10_000, () => ingest.ready());
  expect(await lane(0)).toMatchObject({ state: 'running', reason: null });
}, 90_000);

test('what was accepted once is not accepted for ever: the next thousand stop the lane again', async () => {
  const [one, other] = [await running.tenant(), await running.tenant()];
  await broker.append(
    topic,
    0,
    many(1_200, (number) => bad(number % 2 === 0 ? one.id : other.id, number)),
  );
  await eventually('the lane stands again', 20_000, async () => (await lane(0))?.state === 'tripped');
  expect(await lettersOf(one.id, other.id)).toBeLessThanOrEqual(1_000);
  await running.cli('lanes', 'resume', `${topic}/0`);
  await eventually('it goes on', 30_000, async () => (await lettersOf(one.id, other.id)) === 1_200);
}, 90_000);

test('three thousand failures of one tenant stop nobody', async () => {
  const { id } = await running.tenant();
  await broker.append(topic, 2, [...many(3_000, (number) => bad(id, number)), good(id, 1)]);
  await eventually('the record behind them', 30_000, async () => (await looking.rowCount(id)) === 1);
  expect(await lettersOf(id)).toBe(3_000);
  expect(await lane(2)).toMatchObject({ state: 'running' });
  expect(await ingest.ready()).toBe(true);
}, 60_000);

test.runIf(isLong)(
  'a lane that tripped probes each minute and goes on by itself when the cause is mended',
  async () => {
    const tenants = [randomUUID(), randomUUID()];
    await broker.append(
      topic,
      3,
      many(1_400, (number) => good(tenants[number % 2] ?? '', number)),
    );
    await eventually('the lane stands', 20_000, async () => (await lane(3))?.state === 'tripped');
    for (const id of tenants) {
      await looking.client.query(
        `insert into control.tenant (id, name, plan, digest) values ($1, 'Late', 'api', sha256('late'))`,
        [id],
      );
    }
    await eventually('the probe goes through', 90_000, async () => (await lane(3))?.state === 'running');
    await eventually('what waited is there', 20_000, async () => {
      const rows = (await looking.rowCount(tenants[0] ?? '')) + (await looking.rowCount(tenants[1] ?? ''));
      return rows + (await lettersOf(...tenants)) === 1_400;
    });
  },
  150_000,
);
