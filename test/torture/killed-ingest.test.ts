import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { compareFlow, nothingLost, startRecordFlow } from '../installation/record-flow.ts';
import { sleep } from './pollers.ts';
import { createRandom, isLong } from './random.ts';

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

/** The state of the process when it is killed. */
const killPoints = {
  'at a random moment': async (lots: ReturnType<typeof createRandom>) => sleep(lots.between(0, 1_000)),
  'inside the transaction': async () => {
    // Identities cannot be written, so every transaction stays open.
    await inspector.client.query('begin');
    await inspector.client.query('lock table models.log_identity_default in share mode');
    for (const { name } of await identityPartitions())
      await inspector.client.query(`lock table models.${name} in share mode`);
    await eventually('a transaction waits', 15_000, async () => {
      const { rows } = await inspector.client.query<{ waiting: boolean }>(
        `select exists (select from pg_stat_activity where application_name = 'tenantscope ingest' and datname = current_database()
                           and wait_event_type = 'Lock') as waiting`,
      );
      return rows[0]?.waiting ?? false;
    });
  },
  'between the commit of the database and that of Kafka': async () => {
    const before = await position();
    // Kafka's offsets follow at least a second later.
    while ((await position()) === before) await sleep(1);
  },
} as const;

const identityPartitions = async (): Promise<{ name: string }[]> =>
  (await inspector.client.query<{ name: string }>('select name from models.log_identity_partition')).rows;

const position = async (): Promise<string> =>
  (await inspector.client.query('select sum(next_offset)::text as at from models.ingest_lane')).rows[0].at;

const kills = isLong ? 20 : 6;

test(`every record becomes one row or one dead letter while ingest is killed ${kills} times`, {
  timeout: 900_000,
}, async () => {
  const lots = createRandom('killed ingest');
  const tenantIds = [
    (await installation.createTenant()).id,
    (await installation.createTenant()).id,
    (await installation.createTenant()).id,
  ];
  const start = (group: string): Promise<ProductProcess> =>
    startProcess('ingest', { ...installation.environment, TENANTSCOPE_CONSUMER_GROUP: group });
  const brokers = installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  const flow = startRecordFlow({ brokers, topic: installation.activityTopic, tenantIds });
  // In one group a successor waits for the session timeout of the dead member; offsets are only a hint, so a new group is as good
  // and faster.
  const group = `test-${randomUUID()}`;
  let ingest = await start(group);
  for (let kill = 0; kill < kills; kill++) {
    const killPoint = Object.keys(killPoints)[kill % 3] as keyof typeof killPoints;
    const before = await position();
    await eventually('records become rows', 40_000, async () => (await position()) !== before);
    await killPoints[killPoint](lots);
    ingest.kill('SIGKILL');
    await ingest.gone;
    await inspector.client.query('rollback');
    ingest = await start(isLong || kill === 0 ? group : `test-${randomUUID()}`);
  }
  await flow.stop();
  await eventually(
    'all records are processed',
    60_000,
    async () => (await compareFlow(flow, inspector, tenantIds)).lost === 0,
  );
  await ingest[Symbol.asyncDispose]();
  const became = await compareFlow(flow, inspector, tenantIds);
  console.log(`killed ingest: ${kills} kills, ${flow.good.size} records, ${flow.bad.size} bad`, JSON.stringify(became));
  expect(became).toEqual(nothingLost);
  expect(flow.good.size).toBeGreaterThan(1_000);
});
