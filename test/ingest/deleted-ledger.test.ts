import { randomBytes } from 'node:crypto';
import { ledgerTopic, topicName } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandEnvironment, kafka, run } from '../cli/command-line.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import {
  copyLedgerDatabases,
  createLedgerDatabases,
  hasOpenEpoch,
  type LedgerDatabases,
  query,
} from './ledger-databases.ts';

// A retention has deleted entries of the ledger that a backup lacks. The control tables have a database of their own.

const stack = new AsyncDisposableStack();
const prefix = `deleted-${randomBytes(4).toString('hex')}`;
const topic = topicName(prefix, ledgerTopic);
let current: LedgerDatabases;
let backup: LedgerDatabases;

const environmentOf = ({ models, control }: LedgerDatabases) => ({
  ...commandEnvironment(models, prefix),
  TENANTSCOPE_OWNER_CONTROL_DATABASE_URL: control.owner,
  TENANTSCOPE_KEYS_DATABASE_URL: control.roles.keys,
  TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: control.roles.ingest,
  TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control.roles.admin,
  TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL: control.roles.console,
  TENANTSCOPE_JOBS_CONTROL_DATABASE_URL: control.roles.jobs,
  TENANTSCOPE_COLLECT_DATABASE_URL: control.roles.collect,
});

const finish = (databases: LedgerDatabases, ...options: string[]) =>
  run(['restore', 'finish', '--json', ...options], { environment: environmentOf(databases) });

const readEnd = async (): Promise<number> => {
  const [{ high } = { high: '0' }] = await admin.fetchTopicOffsets(topic);
  return Number(high);
};

/** Runs ingest until each database has recorded that it has the whole topic. */
async function publishAll(databases: LedgerDatabases): Promise<void> {
  await using _ingest = await startProcess('ingest', environmentOf(databases));
  await eventually('the ledger is published and compared', 60_000, async () => {
    const end = await readEnd();
    for (const schema of ['models', 'control'] as const) {
      const [row] = await query(
        databases[schema],
        `select compared_to::int as end, (select count(*)::int from ${schema}.ledger_entry where topic_offset is null) as pending from ${schema}.ledger_position`,
      );
      if (row?.end !== end || row.pending > 0) return false;
    }
    return end > 0;
  });
}

const admin = kafka().admin();

beforeAll(async () => {
  await admin.connect();
  stack.defer(() => admin.disconnect());
  current = stack.use(await createLedgerDatabases('a separate control database'));
  const migrated = await run(['migrate'], { environment: environmentOf(current) });
  expect(migrated, migrated.stderr).toMatchObject({ status: 0 });
  await publishAll(current);
  backup = stack.use(await copyLedgerDatabases(current));
  await query(
    current.control,
    `insert into control.organization (id, name, digest) values (gen_random_uuid(), 'Larkspur', '')`,
  );
  await publishAll(current);
  // Since then only the read models change.
  const deleted = await readEnd();
  await query(
    current.models,
    `insert into models.tenant_retention (tenant_id, retention_days) values (gen_random_uuid(), 200)`,
  );
  await publishAll(current);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(deleted) }] });
}, 240_000);
afterAll(() => stack.disposeAsync(), 60_000);

const refused = {
  status: 1,
  stderr: expect.stringContaining('the ledger has deleted entries that the database lacks'),
};

test('a backup of both databases that lacks deleted entries is refused', { timeout: 60_000 }, async () => {
  expect(await finish(backup)).toMatchObject(refused);
});

test('a control database that lacks deleted entries is refused, whatever the read models have', {
  timeout: 60_000,
}, async () => {
  expect(await finish({ ...backup, models: current.models })).toMatchObject(refused);
});

test('a database that was only quiet is not refused', { timeout: 60_000 }, async () => {
  const finished = await finish(current);
  expect(finished, finished.stderr).toMatchObject({ status: 0 });
  expect(JSON.parse(finished.stdout)).toMatchObject({ finished: false });
});

/** A lane whose topic the command cannot measure. */
const addPartnerLane = ({ models }: LedgerDatabases) =>
  query(
    models,
    `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, next_offset, settled_at, state, cluster)
     values ('partner', gen_random_uuid(), 0, 'audit', 'raw.activity.v1', 120, now(), 'running', 'partner')`,
  );

const readOrganizations = ({ control }: LedgerDatabases) =>
  query(control, 'select name from control.organization order by name');

test('a backup that gives up the ledger is served, and the ledger that goes on counts for the next restore', {
  timeout: 240_000,
}, async () => {
  await using restored = await copyLedgerDatabases(backup);
  for (const schema of ['models', 'control'] as const) await query(restored[schema], `select ${schema}.close_epoch()`);
  await addPartnerLane(restored);
  const finished = await finish(restored, '--without-ledger');
  expect(finished).toMatchObject({ status: 1, stderr: expect.stringContaining('the ledger was not applied') });
  expect(JSON.parse(finished.stdout)).toMatchObject({
    finished: true,
    unmeasured: [{ cluster: 'partner', topic: 'audit' }],
  });
  await publishAll(restored);
  expect(await hasOpenEpoch(restored.models, 'models')).toBe(true);
  expect(await hasOpenEpoch(restored.control, 'control')).toBe(true);
  expect(JSON.parse((await finish(restored, '--without-ledger')).stdout)).toMatchObject({ finished: false });

  await using second = await copyLedgerDatabases(restored);
  await query(
    restored.control,
    `insert into control.organization (id, name, digest) values (gen_random_uuid(), 'Harbourline', '')`,
  );
  await publishAll(restored);
  for (const schema of ['models', 'control'] as const) await query(second[schema], `select ${schema}.close_epoch()`);
  const again = await finish(second);
  expect(again, again.stderr).toMatchObject({ status: 0 });
  expect(await readOrganizations(second)).toEqual(await readOrganizations(restored));
  expect(await readOrganizations(second)).toMatchObject([{ name: 'Harbourline' }]);
});

test('a ledger whose topic was lost is refused unless it is given up, and entries are published again', {
  timeout: 240_000,
}, async () => {
  await using restored = await copyLedgerDatabases(current);
  for (const schema of ['models', 'control'] as const) await query(restored[schema], `select ${schema}.close_epoch()`);
  await admin.deleteTopics({ topics: [topic] });
  await eventually('the topic is deleted', 30_000, async () => !(await admin.listTopics()).includes(topic));
  const migrated = await run(['migrate'], { environment: environmentOf(restored) });
  expect(migrated, migrated.stderr).toMatchObject({ status: 0 });
  expect(await finish(restored)).toMatchObject({ status: 1, stderr: expect.stringContaining('the ledger is lost') });
  expect(await hasOpenEpoch(restored.control, 'control')).toBe(false);
  expect(await finish(restored, '--without-ledger')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('the ledger was not applied'),
  });
  await publishAll(restored);
  expect(await hasOpenEpoch(restored.control, 'control')).toBe(true);
});
