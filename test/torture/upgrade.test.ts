// @module-tag torture
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSchema } from '@tenantscope/docs';
import { checkout, findFreePort } from '@tenantscope/local';
import { migrate } from '@tenantscope/store/admin';
import { openPool } from '@tenantscope/store/connection';
import { backfillLogTally } from '@tenantscope/store/ingest';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { buildEnvironment } from '../installation/installation.ts';
import { openPreviousRelease, type Release } from '../installation/previous-release.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { compareFlow, nothingLost, startRecordFlow } from '../installation/record-flow.ts';
import { createDatabaseOn, type TestDatabase } from '../services/database.ts';
import { comparePolled, sleep } from './pollers.ts';
import { tortureDurationMs } from './random.ts';
import { startUpgradePollers } from './upgrade-pollers.ts';

/** What the release after this one could bring: no process has its version, so that its contract step waits for every process. */
const nextRelease = {
  '9000_column':
    '-- schemas: models\nalter table models.audit_log add column next_release text;\nalter table models.log_fact add column next_release text;\n',
  '9001_index':
    '-- schemas: models\n-- transaction: none\ncreate index concurrently if not exists log_tally_next on models.log_tally (tenant_id, events);\n',
  '9002_backfill':
    "-- schemas: models\nselect models.begin_log_tally_backfill('lag');\ndelete from models.log_tally where tally = 'lag';\n",
  '9009_contract':
    '-- schemas: models\n-- phase: contract\n-- processes: 9999.0.0\nalter table models.audit_log drop column next_release;\nalter table models.log_fact drop column next_release;\n',
};
/** Fails after it has changed the log and kept it locked for a second. */
const failingStep =
  '-- schemas: models\nalter table models.audit_log drop column next_release;\nselect pg_sleep(1);\nselect 1 / 0;\n';

let release: Release;
let database: TestDatabase;
let inspector: DatabaseInspector;
let environment: Record<string, string>;
let folder: string;
const processes: ProductProcess[] = [];

beforeAll(async () => {
  release = await openPreviousRelease();
  console.log(`upgrade from ${release.tag ?? 'this version: no release is tagged'}`);
  const services = inject('services');
  database = await createDatabaseOn(services.postgres);
  environment = buildEnvironment(database, services, `test-${randomUUID().slice(0, 8)}`);
  await release.cli(environment, 'migrate');
  inspector = await openDatabaseInspector(database.superuser);
  folder = await mkdtemp(join(tmpdir(), 'tenantscope-migrations-'));
  await cp(join(checkout, 'migrations'), folder, { recursive: true });
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
  if (folder) await rm(folder, { recursive: true });
});

/** A process of a release, or of this version. */
async function start(
  name: 'api' | 'ingest',
  of: Release | null,
  own: Record<string, string> = {},
): Promise<ProductProcess> {
  const started = await startProcess(name, { ...environment, ...own }, of === null ? {} : { programs: of });
  processes.push(started);
  return started;
}

async function startApi(of: Release | null): Promise<{ api: ProductProcess; baseUrl: string }> {
  const port = String(await findFreePort());
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const own = { TENANTSCOPE_PORT: port, TENANTSCOPE_PUBLIC_URL: baseUrl, TENANTSCOPE_DRAIN_MS: '1000' };
  return { api: await start('api', of, own), baseUrl };
}

async function createTenant(): Promise<{ id: string; secrets: string[] }> {
  const { id } = await release.cli<{ id: string }>(environment, 'tenant', 'create', '--name', 'A tenant');
  const secrets: string[] = [];
  for (let key = 0; key < 12; key++) {
    const create = ['key', 'create', '--name', `poller ${key}`, '--scopes', 'logs:read', '--tenant', id];
    secrets.push((await release.cli<{ secret: string }>(environment, ...create)).secret);
  }
  return { id, secrets };
}

const addSteps = (steps: Readonly<Record<string, string>>) =>
  Promise.all(Object.entries(steps).map(([name, sql]) => writeFile(join(folder, `${name}.sql`), sql)));
const upgrade = () => migrate({ owner: database.owner, roles: database.roles, folder });

async function readWholeSchema(): Promise<string[]> {
  const client = new pg.Client(database.superuser);
  await client.connect();
  try {
    return await readSchema(client);
  } finally {
    await client.end();
  }
}

/** As every ingest process does, without its minute between two looks. */
async function completeBackfill(): Promise<void> {
  const pool = openPool(database.roles.ingest, { name: 'backfill', maxConnections: 1 });
  try {
    let running = 1;
    while (running > 0) {
      if (!(await backfillLogTally(pool))) await sleep(50);
      const { rows } = await inspector.client.query<{ running: number }>(
        'select count(*)::int as running from models.log_tally_backfill where next_at is not null',
      );
      running = rows[0]?.running ?? 0;
    }
  } finally {
    await pool.end();
  }
}

test('an upgrade under traffic fails no poll and loses no row, and a contract step waits for older processes', {
  timeout: 900_000,
}, async () => {
  const startedMs = Date.now();
  const { id: tenantId, secrets } = await createTenant();
  const old = await startApi(release);
  const oldIngest = await start('ingest', release);
  let { baseUrl } = old;
  const topic = `${environment.TENANTSCOPE_TOPIC_PREFIX}.raw.activity.v1`;
  const brokers = environment.TENANTSCOPE_KAFKA_BROKERS ?? '';
  const flow = startRecordFlow({ brokers, topic, tenantIds: [tenantId] });
  // Before the first lane there is no watermark, and each poll is refused with 503.
  await eventually('rows are stored', 60_000, async () => (await inspector.rowCount(tenantId)) > 500);
  const pollers = startUpgradePollers({ baseUrl: () => baseUrl, secrets, startedMs });

  // The migrations of the next version, while the processes of the previous one run.
  await addSteps(nextRelease);
  const expanded = await upgrade();
  expect(expanded.applied.slice(-3)).toEqual(['9000_column models', '9001_index models', '9002_backfill models']);
  const waiting = [{ name: '9009_contract models', obstacles: expect.anything() }];
  expect(expanded.postponed).toEqual(waiting);
  for (const app of ['api', 'ingest'])
    expect(expanded.postponed[0]?.obstacles).toContainEqual(
      expect.stringMatching(new RegExp(`^process ${app} on \\S+ runs version \\d+\\.\\d+\\.\\d+$`)),
    );
  await completeBackfill();
  await sleep(tortureDurationMs({ short: 2, long: 30 }));

  // A migration that fails.
  const before = await readWholeSchema();
  await addSteps({ '9003_failing': failingStep });
  await expect(upgrade()).rejects.toThrow(
    /^The migration 9003_failing models failed and changed nothing: division by zero\./,
  );
  expect(await readWholeSchema()).toEqual(before);
  await rm(join(folder, '9003_failing.sql'));

  // Ingest first, then the api; older and newer processes run next to each other.
  const ingest = await start('ingest', null);
  await oldIngest[Symbol.asyncDispose]();
  const next = await startApi(null);
  ({ baseUrl } = next);
  await old.api[Symbol.asyncDispose]();
  await sleep(tortureDurationMs({ short: 2, long: 30 }));
  expect((await upgrade()).postponed).toEqual(waiting);

  await flow.stop();
  await eventually(
    'all records are processed',
    60_000,
    async () => (await compareFlow(flow, inspector, [tenantId])).lost === 0,
  );
  // What was written last is complete a moment later.
  await sleep(3_000);
  const polled = await pollers.stop();
  await Promise.all([ingest, next.api].map((one) => one[Symbol.asyncDispose]()));
  expect(await upgrade()).toMatchObject({ applied: ['9009_contract models'], postponed: [] });

  const { rows: stored } = await inspector.client.query<{ id: string; atMs: number }>(
    `select id, (extract(epoch from discovered_at) * 1000)::float8 as "atMs" from models.audit_log where tenant_id = $1 order by discovered_at, id`,
    [tenantId],
  );
  const judged = comparePolled(polled, stored);
  console.log(
    'upgrade:',
    JSON.stringify({ ...judged, rows: stored.length, polls: pollers.polls(), windows: polled.windows.length }),
  );
  expect(pollers.failures).toEqual([]);
  expect(judged).toEqual({ missedInWindows: 0, missedByCursor: 0, readTwiceByCursor: 0, changedWindows: 0 });
  expect(await compareFlow(flow, inspector, [tenantId])).toEqual(nothingLost);
  const { rows: counted } = await inspector.client.query<{ events: number }>(
    `select sum(events)::int as events from models.log_tally where tally = 'lag' and tenant_id = $1`,
    [tenantId],
  );
  expect(counted).toEqual([{ events: stored.length }]);
  expect(pollers.polls()).toBeGreaterThan(100);

  // The processes run on the contracted schema too.
  await start('ingest', null);
  const last = await startApi(null);
  const response = await fetch(`${last.baseUrl}/logs?limit=1`, { headers: { authorization: `Bearer ${secrets[0]}` } });
  expect(response.status).toBe(200);
});
