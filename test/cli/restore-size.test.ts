import { randomBytes } from 'node:crypto';
import { ledgerTopic, topicName } from '@tenantscope/contract';
import { openLedgerTopic } from '@tenantscope/publish';
import { openPool } from '@tenantscope/store/connection';
import { closeEpoch, type Ledger, markPublished, openEpoch, readPendingEntries } from '@tenantscope/store/ingest';
import { expect, inject, test } from 'vitest';
import { createDatabaseOn, createTestDatabase, type TestDatabase } from '../services/database.ts';
import { onServer } from '../services/template.ts';
import { commandEnvironment, kafka, run } from './command-line.ts';

/** Of 300 kB each, which is more than the command may have in memory. */
const snapshots = 240;
const heapMiB = 64;

async function withLedgers({ roles }: TestDatabase, work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const pool = openPool(roles.ingest, { name: 'test', maxConnections: 1 });
  try {
    for (const schema of ['control', 'models'] as const) await work({ pool, schema });
  } finally {
    await pool.end();
  }
}

/** Documents of 300 kB that do not compress to less than a half. */
const takeSnapshots = ({ superuser }: TestDatabase) =>
  onServer(superuser, (client) =>
    client.query(
      `insert into models.compliance_snapshot (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, sha256, document)
       select gen_random_uuid(), gen_random_uuid(), now(), 'manual', false, 'cli:test', '1', repeat('0', 64),
              (select string_agg(md5(concat(s.number, ' ', part)), '') from generate_series(1, 9375) part)
         from generate_series(1, ${snapshots}) s (number)`,
    ),
  );

const readDocuments = ({ superuser }: TestDatabase) =>
  onServer(superuser, async (client) => {
    const text = 'select tenant_id, md5(document) from models.compliance_snapshot order by tenant_id';
    return (await client.query(text)).rows;
  });

test('a restore is finished with less memory than its ledger has', { timeout: 300_000 }, async () => {
  const { kafka: brokers, postgres } = inject('services');
  const topicPrefix = `restore-${randomBytes(4).toString('hex')}`;
  const topic = topicName(topicPrefix, ledgerTopic);
  const admin = kafka().admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1 }] });
  await admin.disconnect();
  await using lost = await createTestDatabase();
  await withLedgers(lost, openEpoch);
  await using restored = await createDatabaseOn(postgres, lost.name);
  await takeSnapshots(lost);
  await using ledger = openLedgerTopic({ brokers, clientId: 'test', topic, groupPrefix: `${topicPrefix}.ledger` });
  await withLedgers(lost, async (each) => {
    for (let isPending = true; isPending; ) {
      const entries = await readPendingEntries(each, 100);
      const offsets = await ledger.append(entries.map(({ text }) => Buffer.from(text)));
      await markPublished(each, { numbers: entries.map(({ number }) => number), offsets });
      isPending = entries.length > 0;
    }
  });
  await withLedgers(restored, closeEpoch);

  const environment = {
    ...commandEnvironment(restored, topicPrefix),
    NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
  };
  const finished = await run(['restore', 'finish', '--json'], { environment });
  expect(finished, finished.stderr).toMatchObject({ status: 0 });
  expect(JSON.parse(finished.stdout).applied).toEqual({ 'models.compliance_snapshot': snapshots });
  expect(await readDocuments(restored)).toEqual(await readDocuments(lost));
  const again = await run(['restore', 'finish', '--json'], { environment });
  expect(JSON.parse(again.stdout)).toMatchObject({ finished: false });
});
