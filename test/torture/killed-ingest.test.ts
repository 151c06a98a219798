import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { nothingLost, startFlow, whatBecameOf } from '../product/flow.ts';
import { type Looking, lookInto } from '../product/looking.ts';
import { type ProductProcess, startProcess } from '../product/processes.ts';
import { type Product, product } from '../product/product.ts';
import { drawLots, isLong } from './lots.ts';
import { sleep } from './pollers.ts';

let running: Product;
let looking: Looking;

beforeAll(async () => {
  running = await product();
  looking = await lookInto(running.database.superuser);
}, 60_000);
afterAll(async () => {
  await looking?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
}, 60_000);

/** Where the process stands when it is killed. */
const moments = {
  'at a random moment': async (lots: ReturnType<typeof drawLots>) => sleep(lots.between(0, 1_000)),
  'inside the transaction': async () => {
    // Identities cannot be written, so whatever begins a transaction stays in it.
    await looking.client.query('begin');
    await looking.client.query('lock table models.log_identity_default in share mode');
    for (const { name } of await identityLeaves())
      await looking.client.query(`lock table models.${name} in share mode`);
    await eventually('a transaction waits', 15_000, async () => {
      const { rows } = await looking.client.query<{ waiting: boolean }>(
        `select exists (select from pg_stat_activity where application_name = 'tenantscope ingest' and datname = current_database()
                           and wait_event_type = 'Lock') as waiting`,
      );
      return rows[0]?.waiting ?? false;
    });
  },
  'between the commit of the database and that of Kafka': async () => {
    const before = await position();
    // Kafka's offsets follow a second later at best.
    while ((await position()) === before) await sleep(1);
  },
} as const;

const identityLeaves = async (): Promise<{ name: string }[]> =>
  (await looking.client.query<{ name: string }>('select name from models.log_identity_partition')).rows;

const position = async (): Promise<string> =>
  (await looking.client.query('select sum(next_offset)::text as at from models.ingest_lane')).rows[0].at;

const kills = isLong ? 20 : 6;

test(`ingest is killed ${kills} times while records flow, and every record ends as one row or one letter`, {
  timeout: 900_000,
}, async () => {
  const lots = drawLots('killed ingest');
  const tenantIds = [(await running.tenant()).id, (await running.tenant()).id, (await running.tenant()).id];
  const start = (group: string): Promise<ProductProcess> =>
    startProcess('ingest', { ...running.environment, TENANTSCOPE_CONSUMER_GROUP: group });
  const brokers = running.environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  const flow = startFlow({ brokers, topic: running.activityTopic, tenantIds });
  // In one group a successor waits until the dead member is given up; offsets are only a hint, so a new group is as good and faster.
  const group = `test-${randomUUID()}`;
  let ingest = await start(group);
  for (let kill = 0; kill < kills; kill++) {
    const moment = Object.keys(moments)[kill % 3] as keyof typeof moments;
    const before = await position();
    await eventually('records become rows', 40_000, async () => (await position()) !== before);
    await moments[moment](lots);
    ingest.kill('SIGKILL');
    await ingest.gone;
    await looking.client.query('rollback');
    ingest = await start(isLong || kill === 0 ? group : `test-${randomUUID()}`);
  }
  await flow.stop();
  await eventually('all is read', 60_000, async () => (await whatBecameOf(flow, looking, tenantIds)).lost === 0);
  await ingest[Symbol.asyncDispose]();
  const became = await whatBecameOf(flow, looking, tenantIds);
  console.log(`killed ingest: ${kills} kills, ${flow.good.size} records, ${flow.bad.size} bad`, JSON.stringify(became));
  expect(became).toEqual(nothingLost);
  expect(flow.good.size).toBeGreaterThan(1_000);
});
