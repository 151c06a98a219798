import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { compareFlow, nothingLost, startRecordFlow } from '../installation/record-flow.ts';
import { sleep } from './pollers.ts';
import { isLong } from './random.ts';

let installation: Installation;
let inspector: DatabaseInspector;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = await openDatabaseInspector(installation.database.superuser);
});
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

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

test('no record is lost or duplicated while processes join, leave and hang', {
  timeout: 600_000,
}, async () => {
  const tenantIds = await Promise.all(Array.from({ length: 6 }, async () => (await installation.createTenant()).id));
  const brokers = installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  const flow = startRecordFlow({ brokers, topic: installation.activityTopic, tenantIds });
  let first = await installation.startIngest();
  await eventually('the first process has joined', 40_000, () => partitionsOf(first) > 0);
  const allPartitions = partitionsOf(first);
  for (let round = 0; round < (isLong ? 6 : 1); round++) {
    const second = await installation.startIngest();
    await eventually(
      'both have partitions',
      40_000,
      () => partitionsOf(first) + partitionsOf(second) === allPartitions && partitionsOf(second) > 0,
    );
    // A zombie: it wakes after its lanes were reassigned and must not write.
    first.kill('SIGSTOP');
    await eventually('the other process takes over', 40_000, () => partitionsOf(second) === allPartitions);
    await sleep(1_000);
    first.kill('SIGCONT');
    await eventually('the process is in the group again', 40_000, () => partitionsOf(second) < allPartitions);
    first.kill('SIGTERM');
    expect(await first.gone).toBe(0);
    await eventually('the remaining process has all partitions', 40_000, () => partitionsOf(second) === allPartitions);
    first = second;
  }
  await flow.stop();
  await eventually(
    'all records are processed',
    60_000,
    async () => (await compareFlow(flow, inspector, tenantIds)).lost === 0,
  );
  await first[Symbol.asyncDispose]();
  const became = await compareFlow(flow, inspector, tenantIds);
  console.log(`group rebalances: ${flow.good.size} records, ${flow.bad.size} bad`, JSON.stringify(became));
  expect(became).toEqual(nothingLost);
  expect(first.output()).not.toContain('"level":60');
});
