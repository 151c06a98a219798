import { randomUUID } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { connectReadModels, readLogRecord } from '@tenantscope/store/read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { compareFlow, nothingLost, type RecordFlow, startRecordFlow } from '../installation/record-flow.ts';
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
  // Identities cannot be written, so every transaction stays open.
  'inside the transaction': async () => blockWrites(['log_identity_default', ...(await identityPartitions())]),
  'after its rows, before their raw records': async () => blockWrites(await rawPartitions()),
  'between the commit of the database and that of Kafka': async () => {
    const before = await position();
    // Kafka's offsets follow at least a second later.
    while ((await position()) === before) await sleep(1);
  },
} as const;

/** Ends when a transaction of ingest waits to write one of these tables; rolled back after the kill. */
async function blockWrites(tables: readonly string[]): Promise<void> {
  await inspector.client.query('begin');
  for (const table of tables) await inspector.client.query(`lock table models.${table} in share mode`);
  await eventually('a transaction waits', 15_000, async () => {
    const { rows } = await inspector.client.query<{ waiting: boolean }>(
      `select exists (select from pg_stat_activity where application_name = 'tenantscope ingest' and datname = current_database()
                         and wait_event_type = 'Lock') as waiting`,
    );
    return rows[0]?.waiting ?? false;
  });
}

const readNames = async (select: string): Promise<string[]> =>
  (await inspector.client.query<{ name: string }>(select)).rows.map(({ name }) => name);

const identityPartitions = (): Promise<string[]> => readNames('select name from models.log_identity_partition');

const rawPartitions = (): Promise<string[]> =>
  readNames("select replace(name, 'audit_log_', 'audit_log_raw_') as name from models.audit_log_partition");

const position = async (): Promise<string> =>
  (await inspector.client.query('select sum(next_offset)::text as at from models.ingest_lane')).rows[0].at;

const kills = isLong ? 20 : 4;

/** The raw records of the stored blocks by id, of which each may be in one block only. */
async function readRawRecords(tenantId: string): Promise<Map<string, string>> {
  const { rows } = await inspector.client.query<{ content: Buffer }>(
    'select content from models.audit_log_raw where tenant_id = $1',
    [tenantId],
  );
  const texts = new Map<string, string>();
  for (const { content } of rows)
    for (const entry of zstdDecompressSync(content).toString().split('\x1e').slice(1)) {
      const [id = '', text = ''] = entry.split('\n');
      expect(texts.has(id), `raw record ${id} is in two blocks`).toBe(false);
      texts.set(id, text);
    }
  return texts;
}

/** Every row has the record it was made of, no other record is stored, and what the API reads is the record. */
async function expectRawRecords(flow: RecordFlow, tenantIds: readonly string[]): Promise<void> {
  await using models = await connectReadModels(installation.database.roles.api, { name: 'test', maxConnections: 2 });
  for (const tenantId of tenantIds) {
    const rows = await inspector.rows(tenantId);
    const sent = new Map(rows.map(({ id, document }) => [id, flow.texts.get(String(document.externalEventId))]));
    expect(await readRawRecords(tenantId)).toEqual(sent);
    // Spread over all kills.
    for (const { id } of rows.filter((_, index) => index % Math.ceil(rows.length / 200) === 0)) {
      const record = await readLogRecord(models, { tenantId, id, timeoutMs: 10_000 });
      expect(record?.raw?.toString()).toBe(sent.get(id));
    }
  }
}

test(`every record becomes one row with its raw record or one dead letter while ingest is killed ${kills} times`, {
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
    const killPoint = Object.keys(killPoints)[kill % 4] as keyof typeof killPoints;
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
  await expectRawRecords(flow, tenantIds);
});
