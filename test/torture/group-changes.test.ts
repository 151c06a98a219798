import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { nothingLost, startFlow, whatBecameOf } from '../product/flow.ts';
import { type Looking, lookInto } from '../product/looking.ts';
import type { ProductProcess } from '../product/processes.ts';
import { type Product, product } from '../product/product.ts';
import { isLong } from './lots.ts';
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

const partitionsOf = (ingest: ProductProcess): number => {
  const joined = ingest
    .output()
    .split('\n')
    .filter((line) => line.includes('"joined the group"'))
    .at(-1);
  if (joined === undefined) return 0;
  const { partitions } = JSON.parse(joined) as { partitions: Record<string, number[]> };
  return Object.values(partitions).flat().length;
};

test('processes join and leave while records flow, one of them hung in between, and the sets are equal', {
  timeout: 600_000,
}, async () => {
  const tenantIds = await Promise.all(Array.from({ length: 6 }, async () => (await running.tenant()).id));
  const brokers = running.environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  const flow = startFlow({ brokers, topic: running.activityTopic, tenantIds });
  let first = await running.startIngest();
  await eventually('the first has joined', 40_000, () => partitionsOf(first) > 0);
  const allPartitions = partitionsOf(first);
  for (let round = 0; round < (isLong ? 6 : 1); round++) {
    const second = await running.startIngest();
    await eventually(
      'both have partitions',
      40_000,
      () => partitionsOf(first) + partitionsOf(second) === allPartitions && partitionsOf(second) > 0,
    );
    // A zombie: it wakes when its lanes are somebody else's and finds that it must not write.
    first.kill('SIGSTOP');
    await eventually('the other takes over', 40_000, () => partitionsOf(second) === allPartitions);
    await sleep(1_000);
    first.kill('SIGCONT');
    await eventually('it is in the group again', 40_000, () => partitionsOf(second) < allPartitions);
    first.kill('SIGTERM');
    expect(await first.gone).toBe(0);
    await eventually('the one left has all', 40_000, () => partitionsOf(second) === allPartitions);
    first = second;
  }
  await flow.stop();
  await eventually('all is read', 60_000, async () => (await whatBecameOf(flow, looking, tenantIds)).lost === 0);
  await first[Symbol.asyncDispose]();
  const became = await whatBecameOf(flow, looking, tenantIds);
  console.log(`group changes: ${flow.good.size} records, ${flow.bad.size} bad`, JSON.stringify(became));
  expect(became).toEqual(nothingLost);
  expect(first.output()).not.toContain('"level":60');
});
