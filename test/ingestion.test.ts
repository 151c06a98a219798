import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './product/eventually.ts';
import { type Product, product } from './product/product.ts';
import { activityMessage, activityRecord } from './product/records.ts';

let running: Product;
let looking: pg.Client;

beforeAll(async () => {
  running = await product();
  looking = new pg.Client(running.database.superuser);
  await looking.connect();
}, 60_000);
afterAll(async () => {
  await looking.end();
  await running[Symbol.asyncDispose]();
}, 60_000);

const rowsOf = async (tenantId: string): Promise<{ id: string; discovered_at: Date; document: string }[]> =>
  (
    await looking.query(
      'select id, discovered_at, document from models.audit_log where tenant_id = $1 order by discovered_at, id',
      [tenantId],
    )
  ).rows;

test('a record becomes one row, and its second delivery changes nothing', async () => {
  await using ingest = await running.startIngest();
  const { id } = await running.tenant();
  const messages = Array.from({ length: 500 }, (_, number) => activityMessage(id, activityRecord(number)));
  await running.publisher.publish(running.activityTopic, messages);
  await eventually('500 rows', 20_000, async () => (await rowsOf(id)).length === 500);
  const before = await rowsOf(id);
  await running.publisher.publish(running.activityTopic, messages.toReversed());
  const marker = activityMessage(id, activityRecord(9_999));
  await running.publisher.publish(running.activityTopic, [marker]);
  await eventually('the record behind them', 20_000, async () => (await rowsOf(id)).length === 501);
  expect((await rowsOf(id)).slice(0, 500)).toEqual(before);
  for (const { id: rowId, discovered_at, document } of before) {
    expect(JSON.parse(document)).toMatchObject({ id: rowId, discoveredAt: discovered_at.toISOString() });
  }
  expect(ingest.output()).not.toContain('"level":60');
});
