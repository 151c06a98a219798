import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import { readLogsPage, watchWatermark } from '@tenantscope/store/read';
import type pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApiClient } from '../installation/api-client.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { compareFlow, nothingLost, startRecordFlow } from '../installation/record-flow.ts';
import { openTestPool } from '../services/pool.ts';
import { resumeReplay, startStandbyServer } from '../services/standby-server.ts';
import { createHttpPoller } from '../torture/http-poller.ts';
import { comparePolled, sleep } from '../torture/pollers.ts';

// A primary with two standbys of its own; requests are read from the first standby or from both.
let primary: LocalServices<'postgres'>;
let standbys: LocalServices<'postgres'>[];
let installation: Installation;
let inspector: DatabaseInspector;
let replica: pg.Pool;
const disposables = new AsyncDisposableStack();

const onPort = (url: string, server: LocalServices<'postgres'>) =>
  Object.assign(new URL(url), { port: new URL(server.postgres).port }).href;
const replicaUrls = () => standbys.map((standby) => onPort(installation.database.roles.api, standby));

beforeAll(async () => {
  primary = disposables.use(await startTemporaryServices({ only: ['postgres'] }));
  standbys = [disposables.use(await startStandbyServer(primary.postgresService))];
  installation = disposables.use(await startInstallation({ ...inject('services'), postgres: primary.postgres }));
  inspector = disposables.use(await openDatabaseInspector(installation.database.superuser));
  replica = openTestPool(onPort(installation.database.superuser, standbys[0] as LocalServices<'postgres'>), { max: 2 });
  disposables.defer(() => replica.end());
  await installation.startIngest();
}, 180_000);
afterAll(() => disposables.disposeAsync(), 60_000);

const startReplicatedApi = (extra: Record<string, string> = {}) =>
  installation.startApi({ TENANTSCOPE_POSTGRES_READ_URLS: replicaUrls().join(), ...extra });

/** The value of a metric of the only replica. */
async function readMetric({ healthPort }: ProductProcess, name: string, result = ''): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(result));
  return Number(line?.split(' ').at(-1));
}
const untilUsed = (api: ProductProcess, isUsed: boolean) =>
  eventually(`the replica is ${isUsed ? '' : 'not '}used`, 30_000, async () => {
    return (await readMetric(api, 'tenantscope_replica_used')) === (isUsed ? 1 : 0);
  });
const served = (api: ProductProcess) => readMetric(api, 'tenantscope_replica_requests_total', 'result="served"');

const createKeys = async (tenantId: string, count: number) => {
  const keys = await Promise.all(
    Array.from({ length: count }, () =>
      installation.admin.keys.create({ name: 'more', scopes: ['logs:read'], owner: { tenantId }, expiresAt: null }),
    ),
  );
  return keys.map(({ secret }) => secret);
};

async function sendRecords(tenantId: string, forMs: number) {
  const flow = startRecordFlow({
    brokers: inject('services').kafka,
    topic: installation.activityTopic,
    tenantIds: [tenantId],
  });
  await sleep(forMs);
  await eventually('a record was sent', 30_000, async () => flow.good.size > 0);
  await flow.stop();
  await eventually('every record is a row', 60_000, async () => {
    return (await inspector.rowCount(tenantId)) >= flow.good.size;
  });
  return flow;
}

test('a replica that stops replaying is left out within 5 s, and used again when it has caught up', async () => {
  await using api = await startReplicatedApi();
  const tenant = await installation.createTenant();
  const reader = createApiClient(api.baseUrl, tenant.secret);
  // All rows are one page.
  await sendRecords(tenant.id, 300);
  await untilUsed(api, true);
  const before = await served(api);
  for (let n = 0; n < 20; n++) expect((await reader.get('/logs', { limit: '1' })).status).toBe(200);
  expect(await served(api)).toBe(before + 20);

  await replica.query('select pg_wal_replay_pause()');
  await untilUsed(api, false);
  const flow = await sendRecords(tenant.id, 300);
  await eventually('the new rows are served', 60_000, async () => {
    const { body } = await reader.get('/logs', { limit: '1000' });
    return body.data.length > flow.good.size && body.data.length === (await inspector.rowCount(tenant.id));
  });
  expect(await served(api)).toBe(before + 20);

  await resumeReplay(replica);
  await untilUsed(api, true);
  expect((await reader.get('/logs', { limit: '1' })).status).toBe(200);
  expect(await served(api)).toBe(before + 21);
});

test('a record that the replica does not have yet, and a replica that fails, are read from the primary', async () => {
  const tenant = await installation.createTenant();
  await sendRecords(tenant.id, 300);
  await using api = await startReplicatedApi();
  const reader = createApiClient(api.baseUrl, tenant.secret);
  await untilUsed(api, true);
  await replica.query('select pg_wal_replay_pause()');
  await sendRecords(tenant.id, 100);
  const newest = (await inspector.rows(tenant.id)).at(-1);
  expect((await reader.get(`/logs/${newest?.id}`)).status).toBe(200);
  await resumeReplay(replica);
  await untilUsed(api, true);

  await standbys[0]?.postgresService.kill();
  const statuses = new Set<number>();
  for (let n = 0; n < 100; n++) statuses.add((await reader.get('/logs', { limit: '1' })).status);
  expect([...statuses]).toEqual([200]);
  await untilUsed(api, false);
  await standbys[0]?.postgresService.restart();
  await untilUsed(api, true);
});

test('an api starts without its replica, and never reads from a database that is not one', async () => {
  const tenant = await installation.createTenant();
  await standbys[0]?.postgresService.kill();
  const starting = startReplicatedApi();
  await using api = await starting;
  const reader = createApiClient(api.baseUrl, tenant.secret);
  expect((await reader.get('/logs')).status).toBe(200);
  await standbys[0]?.postgresService.restart();
  await untilUsed(api, true);

  await using other = await startInstallation();
  await other.startIngest();
  await using wrong = await installation.startApi({ TENANTSCOPE_POSTGRES_READ_URLS: other.database.roles.api });
  const wrongReader = createApiClient(wrong.baseUrl, tenant.secret);
  await eventually('the problem is logged', 30_000, async () => wrong.output().includes('not a replica'));
  expect((await wrongReader.get('/logs')).status).toBe(200);
  expect(await readMetric(wrong, 'tenantscope_replica_used')).toBe(0);
});

test('pollers lose nothing and repeat nothing while replay stops, the replica hangs and is killed', async () => {
  const tenant = await installation.createTenant();
  await using api = await startReplicatedApi();
  await untilUsed(api, true);
  const poller = createHttpPoller(api.baseUrl, [tenant.secret, ...(await createKeys(tenant.id, 6))]);
  const flow = startRecordFlow({
    brokers: inject('services').kafka,
    topic: installation.activityTopic,
    tenantIds: [tenant.id],
  });
  const polling = poller.poll();
  polling.catch(() => {});
  const service = standbys[0]?.postgresService;
  for (let round = 0; round < 3; round++) {
    await replica.query('select pg_wal_replay_pause()');
    await sleep(700 * (round + 1));
    await resumeReplay(replica);
    await sleep(500);
    service?.pause();
    await sleep(600 * (round + 1));
    service?.resume();
    await sleep(500);
  }
  await service?.kill();
  await sleep(1_000);
  await service?.restart();
  await untilUsed(api, true);
  const servedBefore = await served(api);
  await eventually('the pollers read from the replica again', 30_000, async () => {
    return (await served(api)) > servedBefore + 20;
  });
  await flow.stop();
  await eventually('every record is a row', 60_000, async () => {
    return (await inspector.rowCount(tenant.id)) >= flow.good.size;
  });
  poller.end();
  const polled = await polling;
  const { rows: stored } = await inspector.client.query<{ id: string; atMs: number }>(
    `select id, (extract(epoch from discovered_at) * 1000)::float8 as "atMs" from models.audit_log where tenant_id = $1 order by discovered_at, id`,
    [tenant.id],
  );
  expect(await compareFlow(flow, inspector, [tenant.id])).toEqual(nothingLost);
  expect(stored.length).toBeGreaterThan(500);
  expect(comparePolled(polled, stored)).toEqual({
    missedInWindows: 0,
    missedByCursor: 0,
    readTwiceByCursor: 0,
    changedWindows: 0,
  });
}, 180_000);

test('rows of a replica are incomplete under the watermark of the primary, and complete under its own', async () => {
  const tenant = await installation.createTenant();
  const models = openTestPool(onPort(installation.database.roles.api, standbys[0] as LocalServices<'postgres'>));
  const primaryModels = openTestPool(installation.database.roles.api);
  disposables.defer(() => models.end());
  disposables.defer(() => primaryModels.end());
  await using own = await watchWatermark([models], { intervalMs: 20 });
  await using ofPrimary = await watchWatermark([primaryModels], { intervalMs: 20 });
  const read = async (toMs: number) => {
    const page = await readLogsPage(
      { poolFor: () => models, sealedBeforeMs: Number.NEGATIVE_INFINITY },
      {
        tenantId: tenant.id,
        sort: 'discoveredAtAsc',
        discovered: { fromMs: null, toMs },
        occurred: { fromMs: null, toMs: null },
        filters: {},
        after: null,
        limit: 1_000,
        timeoutMs: 5_000,
      },
    );
    return JSON.parse(page.close('}').toString()).data.length as number;
  };
  await eventually('the replica has the tenant', 10_000, async () => own.settled('logs') !== null);
  await replica.query('select pg_wal_replay_pause()');
  const flow = await sendRecords(tenant.id, 300);
  const newestMs = Math.max(...(await inspector.rows(tenant.id)).map(({ discoveredAt }) => Date.parse(discoveredAt)));
  expect(await ofPrimary.waitUntilSettled('logs', newestMs, 10_000)).toBe(true);
  const throughMs = ofPrimary.settled('logs')?.throughMs ?? 0;
  expect(await read(throughMs), 'a page bounded by the primary lacks its rows').toBeLessThan(flow.good.size);
  expect(own.settled('logs')?.throughMs).toBeLessThan(newestMs);
  await resumeReplay(replica);
  expect(await own.waitUntilSettled('logs', throughMs, 30_000)).toBe(true);
  expect(await read(throughMs)).toBe(flow.good.size);
});
