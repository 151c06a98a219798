// @module-tag torture
import { createHash } from 'node:crypto';
import { type LocalServices, oldestPostgresBinaries, startTemporaryServices } from '@tenantscope/local';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../cli/command-line.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { compareFlow, nothingLost, type RecordFlow, startRecordFlow } from '../installation/record-flow.ts';
import { type PgBackRest, setUpPgBackRest } from './pgbackrest.ts';

// Dedicated services: their database is destroyed.
let services: LocalServices;
let installation: Installation;
let backups: PgBackRest;
let api: ProductProcess & { baseUrl: string };
let organizationId: string;
let tenantId: string;
const disposables = new AsyncDisposableStack();

beforeAll(async () => {
  services = disposables.use(await startTemporaryServices({ postgresBinaries: oldestPostgresBinaries }));
  backups = await setUpPgBackRest(services.postgresService);
  installation = disposables.use(await startInstallation(services));
  organizationId = (await installation.admin.organizations.create({ name: 'Larkspur' })).id;
  ({ id: tenantId } = await installation.admin.tenants.create({
    name: 'A tenant',
    organizationId,
    azureTenantId: null,
  }));
}, 300_000);
afterAll(() => disposables.disposeAsync(), 60_000);

const createKey = (name: string) =>
  installation.admin.keys.create({ name, scopes: ['logs:read'], owner: { tenantId }, expiresAt: null });

async function withInspector<Value>(work: (inspector: DatabaseInspector) => Promise<Value>): Promise<Value> {
  await using inspector = await openDatabaseInspector(installation.database.superuser);
  return await work(inspector);
}

const query = <Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []) =>
  withInspector(async ({ client }) => (await client.query<Row>(statement, values)).rows);

const until = (what: string, statement: string) =>
  eventually(what, 60_000, async () => (await query<{ is: boolean }>(`select ${statement} as is`))[0]?.is === true);

const untilPublished = () =>
  until(
    'the ledger is published',
    'not exists (select from control.ledger_entry where topic_offset is null) and not exists (select from models.ledger_entry where topic_offset is null)',
  );

const load = async (): Promise<RecordFlow> => {
  const flow = startRecordFlow({ brokers: services.kafka, topic: installation.activityTopic, tenantIds: [tenantId] });
  await eventually('records are sent', 60_000, async () => flow.good.size > 300);
  await flow.stop();
  await withInspector((inspector) =>
    eventually('records are stored', 60_000, async () => (await compareFlow(flow, inspector, [tenantId])).lost === 0),
  );
  return flow;
};

const poll = async (secret: string) =>
  (await fetch(`${api.baseUrl}/logs?limit=1`, { headers: { authorization: `Bearer ${secret}` } })).status;

const attest = (requirement: string) =>
  installation.cli('attest', '--tenant', tenantId, '--requirement', requirement, '--verdict', 'compliant');

/** What must be there after the restore as it was before the loss. Times are compared as text. */
const readRetained = async () => ({
  events: await query(`select * from control.admin_event order by chain, number`),
  keys: await query(`select * from control.api_key order by id`),
  tenants: await query(`select * from control.tenant order by id`),
  snapshots: await query(`select * from models.compliance_snapshot order by tenant_id, taken_at`),
  requests: await query(`select * from models.snapshot_request order by id`),
  statements: await query(
    `select tenant_id, id, version, digest, document from models.compliance_record where kind = 'attestation' order by id`,
  ),
  history: await query(`select * from models.statement_history order by id, version`),
});

test('after a restore nothing serves until it is finished, and then nothing is missing and no revoked key works', {
  timeout: 600_000,
}, async () => {
  const ingest = await installation.startIngest();
  const jobs = await installation.startJobs();
  api = await installation.startApi();
  const [stays, revoked] = [await createKey('stays'), await createKey('revoked')];
  const before = await load();
  await installation.cli('snapshot', 'take', '--tenant', tenantId);
  await attest('ai.attest.literacy');
  await backups.run('pgbackrest-backup');
  const between = await load();
  const [target] = await query<{ at: string }>(`select clock_timestamp()::text as at`);

  const { snapshots } = await readRetained();

  // Lost by the restore, each of them.
  await installation.admin.keys.revoke(revoked.id);
  const created = await createKey('created');
  await installation.cli('snapshot', 'take', '--tenant', tenantId);
  await attest('ai.attest.literacy');
  await installation.cli('tenant', 'rename', '--tenant', tenantId, '--name', 'Another name');
  const after = await load();
  expect(await Promise.all([stays, revoked, created].map(({ secret }) => poll(secret)))).toEqual([200, 401, 200]);
  await untilPublished();
  const retained = await readRetained();
  expect(retained.snapshots).toHaveLength(snapshots.length + 1);
  const [last] = await query<{ file: string }>('select pg_walfile_name(pg_current_wal_lsn()) as file');
  await query('select pg_switch_wal()');
  await until(
    'the log is archived up to here',
    `(select coalesce(left(last_archived_wal, 24) >= '${last?.file}', false) from pg_stat_archiver)`,
  );

  await jobs[Symbol.asyncDispose]();
  await backups.destroyData();
  await backups.run('pgbackrest-restore', { TIME: target?.at ?? '' });
  await services.postgresService.restart();
  await until('the server is promoted', 'not pg_is_in_recovery()');

  // The processes that ran on serve nothing, and neither does one that starts.
  const secrets = [stays, revoked, created].map(({ secret }) => secret);
  await eventually('the api refuses', 60_000, async () => (await poll(stays.secret)) === 503);
  await eventually('ingest has compared the ledger', 60_000, async () => ingest.output().includes('restore finish'));
  expect(await Promise.all(secrets.map(poll))).toEqual([503, 503, 503]);
  expect([await api.ready(), await ingest.ready()]).toEqual([false, false]);
  await expect(createKey('refused')).rejects.toThrow(/unavailable|restore finish/);
  await expect(installation.cli('tenant', 'rename', '--tenant', tenantId, '--name', 'Refused')).rejects.toThrow();
  // Without the ledger the revoked key would work.
  const wouldWork = await withInspector(async ({ client }) => {
    await client.query('begin');
    await client.query('select control.begin_epoch()');
    const { rows } = await client.query<{ ended: boolean }>('select ended from control.look_up_key($1, null, false)', [
      createHash('sha256').update(revoked.secret).digest(),
    ]);
    await client.query('rollback');
    return rows[0]?.ended === false;
  });
  expect(wouldWork).toBe(true);

  const report = await installation.cli<{ finished: boolean; applied: Record<string, number>; changed: string[] }>(
    'restore',
    'finish',
  );
  console.log('restore:', JSON.stringify(report));
  expect(report).toMatchObject({ finished: true, changed: expect.arrayContaining(['logs']) });
  expect(await installation.cli('restore', 'finish')).toMatchObject({ finished: false });

  await eventually('the api serves', 60_000, async () => (await poll(stays.secret)) === 200);
  expect(await Promise.all(secrets.map(poll))).toEqual([200, 401, 200]);
  await withInspector(async (inspector) => {
    for (const flow of [before, between, after])
      await eventually(
        'all records are rows',
        120_000,
        async () => (await compareFlow(flow, inspector, [tenantId])).lost === 0,
      );
  });
  const loads = [before, between, after];
  const whole = {
    ...before,
    good: new Set(loads.flatMap(({ good }) => [...good])),
    bad: new Set(loads.flatMap(({ bad }) => [...bad])),
    texts: new Map(loads.flatMap(({ texts }) => [...texts])),
  };
  await withInspector(async (inspector) =>
    expect(await compareFlow(whole, inspector, [tenantId])).toEqual(nothingLost),
  );

  const restored = await readRetained();
  const evidence = restored.events.filter(({ action }) => action === 'restored');
  expect(evidence.map(({ chain }) => chain)).toEqual(['00000000-0000-0000-0000-000000000000', organizationId]);
  expect({ ...restored, events: restored.events.filter(({ action }) => action !== 'restored') }).toEqual(retained);
  for (const chain of ['installation', organizationId])
    expect(await installation.cli('audit', 'verify', '--org', chain)).toMatchObject({ isWhole: true });
  await using _jobs = await installation.startJobs();
  await installation.cli('snapshot', 'take', '--tenant', tenantId);
  // Exit status 3: nothing is signed here.
  const verify = ['snapshot', 'verify', '--tenant', tenantId, '--json'];
  const verified = await run(verify, { environment: installation.environment });
  expect(JSON.parse(verified.stdout)).toMatchObject({ whole: true, snapshots: retained.snapshots.length + 1 });
});

test('a promoted server serves without a command, once ingest has compared the ledger', {
  timeout: 300_000,
}, async () => {
  const { secret } = await createKey('before the promotion');
  await untilPublished();
  const readEpochs = () =>
    query<{ timeline: string; isOpen: boolean }>(
      `select timeline, closed_at is null as "isOpen" from control.ingest_epoch order by opened_at`,
    );
  const epochs = await readEpochs();
  await backups.restartAsStandby();
  await query('select pg_promote()');
  const promotedMs = performance.now();
  await eventually('the api serves', 60_000, async () => (await poll(secret)) === 200);
  console.log('promotion:', JSON.stringify({ servedAfterMs: Math.round(performance.now() - promotedMs) }));
  const [opened, ...others] = (await readEpochs()).slice(epochs.length);
  expect({ opened, others }).toEqual({ opened: { timeline: expect.any(String), isOpen: true }, others: [] });
  expect(epochs.map(({ timeline }) => timeline)).not.toContain(opened?.timeline);
  const flow = await load();
  await withInspector(async (inspector) =>
    expect(await compareFlow(flow, inspector, [tenantId])).toMatchObject({ lost: 0 }),
  );
});
