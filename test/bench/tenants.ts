import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import { hashSecret, makeSecret } from '@tenantscope/store/api-key';
import pg from 'pg';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { startApi } from './api-process.ts';
import type { BenchDatabase, BenchInstallation } from './installation.ts';
import { measureLoad } from './page-readers.ts';
import { processorTimeUs } from './processor-time.ts';
import type { Cell, Section } from './report.ts';

export interface TenantsOptions {
  /** Of the larger installation; the smaller one has a hundredth. */
  readonly tenants: number;
}

/** Tenants of the organization whose key lists them, and keys that are used. */
const listedTenants = 300;
const usedKeys = 1_000;
const idleMs = 60_000;
const snapshotsMs = 30_000;
/** A pass over due snapshots, which is once a minute by default. */
const passSeconds = 5;

type Row = readonly [name: string, value: Cell];

/** Measures what the number of tenants costs that send and read nothing: keys, the directory, the scheduler, and idle processes. */
export async function benchTenants(
  installation: BenchInstallation,
  { tenants }: TenantsOptions,
  log: (line: string) => void,
): Promise<Section> {
  const measured: (readonly Row[])[] = [];
  for (const count of [Math.ceil(tenants / 100), tenants])
    measured.push(await measureTenants(installation, count, log));
  const [small = [], large = []] = measured;
  return {
    title: 'Tenants',
    description: `An installation with ${Math.ceil(tenants / 100)} tenants and one with ${tenants}, without a record, with a key each and ${usedKeys} more that are used. One process of each kind. Processor time of idle processes is the mean of ${idleMs / 1_000} s; jobs compares due with taken snapshots every ${passSeconds} s instead of every minute.`,
    columns: ['', `${Math.ceil(tenants / 100)} tenants`, `${tenants} tenants`],
    rows: small.map(([name, value], index) => [name, value, large[index]?.[1] ?? null]),
  };
}

async function measureTenants(
  installation: BenchInstallation,
  count: number,
  log: (line: string) => void,
): Promise<readonly Row[]> {
  await using database = await installation.migrated();
  const client = new pg.Client({ connectionString: database.superuser });
  client.on('error', () => {});
  await client.connect();
  try {
    log(`tenants: creating ${count}`);
    const { secrets, organizationSecret } = await insertTenants(client, count);
    const environment = {
      ...installation.environment(database),
      TENANTSCOPE_JOBS_RECONCILE_SECONDS: String(passSeconds),
      TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: '0',
    };
    const startJobs = (dueMinutes: number) =>
      startProcess('jobs', { ...environment, TENANTSCOPE_SNAPSHOT_DUE_MINUTES: String(dueMinutes) });
    const started = performance.now();
    await using ingest = await startProcess('ingest', environment);
    const startMs = performance.now() - started;
    await using api = await startApi(environment);
    // Nothing is due before the last minute of the week.
    await using jobs = await startJobs(10_079);
    const processes = { api, ingest, jobs };
    const postgres = installation.services.postgresService.pid ?? 0;
    log('tenants: idle');
    await sleep(10_000);
    const idle = await measureIdle(client, processes, postgres);
    const memory = Object.entries(processes).map(
      ([name, { child }]): Row => [`memory of ${name}, MB`, residentMb(child.pid)],
    );
    log('tenants: keys');
    const serving = [api.child.pid ?? 0];
    const order = { ports: [api.port], connections: 8, durationMs: 5_000 };
    const lookups = await measureLoad({ postgres }, serving, {
      ...order,
      requests: [{ path: '/api/v1/ping' }],
      secrets,
    });
    const sweep = { ...order, connections: 1, requests: [{ path: '/api/v1/tenants' }], secrets: [organizationSecret] };
    const lists = await measureLoad({ postgres }, serving, { ...sweep, durationMs: 1_000 });
    log('tenants: the first record of a new tenant');
    const firstMs = await measureFirstRecord(installation, database, client);
    log('tenants: snapshots');
    await jobs[Symbol.asyncDispose]();
    await using dueJobs = await startJobs(0);
    const snapshots = await measureSnapshots(client, dueJobs, postgres);
    return [
      ['start of ingest, ms', Math.round(startMs)],
      ...memory,
      ...idle,
      ['key lookups (GET /ping), µs of api and PostgreSQL', Math.round((lookups.nodeUs ?? 0) + lookups.postgresUs)],
      ['key lookups, p99 ms', lookups.p99Ms === null ? null : Math.round(lookups.p99Ms)],
      [`GET /tenants of ${listedTenants} tenants, p50 ms`, Math.round(lists.p50Ms)],
      ['first record of a new tenant, ms until it is a row', Math.round(firstMs)],
      ...snapshots,
    ];
  } finally {
    await client.end();
  }
}

/** Without triggers: each tenant would be an audit event in one chain. */
async function insertTenants(client: pg.Client, count: number) {
  const organizationSecret = makeSecret();
  const secrets = Array.from({ length: usedKeys }, makeSecret);
  await client.query('set session_replication_role = replica');
  const { rows } = await client.query<{ id: string }>(
    `insert into control.organization (id, name, version, digest) values (gen_random_uuid(), 'Bench', 1, '') returning id`,
  );
  const organizationId = rows[0]?.id;
  await client.query(
    `insert into control.tenant (id, organization_id, name, plan, digest)
     select gen_random_uuid(), case when number <= ${listedTenants} then $1::uuid end, 'Tenant ' || number, 'api', ''
       from generate_series(1, $2::int) as number`,
    [organizationId, count],
  );
  await client.query(
    `insert into control.api_key (secret_sha256, display, name, scopes, tenant_id)
     select sha256(id::text::bytea), 'bench', 'bench', '{logs:read}', id from control.tenant`,
  );
  await client.query(
    `insert into control.api_key (secret_sha256, display, name, scopes, tenant_id)
     select digest, 'bench', 'bench', '{logs:read}', (select id from control.tenant offset number % $2 limit 1)
       from unnest($1::bytea[]) with ordinality as used (digest, number)`,
    [secrets.map((secret) => hashSecret(secret)), Math.min(count, usedKeys)],
  );
  await client.query(
    `insert into control.api_key (secret_sha256, display, name, scopes, organization_id) values ($1, 'bench', 'bench', '{tenants:read}', $2)`,
    [hashSecret(organizationSecret), organizationId],
  );
  await client.query('set session_replication_role = origin');
  await client.query('analyze control.tenant, control.api_key');
  return { secrets, organizationSecret };
}

async function measureIdle(
  client: pg.Client,
  processes: Readonly<Record<string, ProductProcess>>,
  postgres: number,
): Promise<readonly Row[]> {
  const pids = { ...Object.fromEntries(Object.entries(processes).map(([name, { child }]) => [name, child.pid ?? 0])) };
  const read = async () => ({
    us: Object.entries({ ...pids, PostgreSQL: postgres }).map(([name, pid]) => [name, processorTimeUs(pid)] as const),
    wal: await readWalBytes(client),
  });
  const before = await read();
  await sleep(idleMs);
  const after = await read();
  const seconds = idleMs / 1_000;
  return [
    ...after.us.map(
      ([name, us], index): Row => [
        `idle ${name}, ms of a processor a second`,
        Math.round((us - (before.us[index]?.[1] ?? 0)) / seconds / 100) / 10,
      ],
    ),
    ['WAL while idle, kB a second', Math.round((after.wal - before.wal) / seconds / 100) / 10],
  ];
}

async function readWalBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as bytes`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}

/** From the end of its creation. */
async function measureFirstRecord(
  { services }: BenchInstallation,
  database: BenchDatabase,
  client: pg.Client,
): Promise<number> {
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const { id } = await admin.tenants.create({ name: 'New', organizationId: null, azureTenantId: null });
  await using publisher = await connectPublisher({ brokers: services.kafka, clientId: 'bench' });
  const begunMs = performance.now();
  const topic = topicName(database.topicPrefix, topics.activity);
  await publisher.send(topic, [activityMessage(id, JSON.stringify(activityRecord(1)))]);
  await eventually('the row is stored', 120_000, async () => {
    const { rowCount } = await client.query('select from models.audit_log where tenant_id = $1', [id]);
    return rowCount === 1;
  });
  return performance.now() - begunMs;
}

/** While one is due for each tenant. Tenants have no records. */
async function measureSnapshots(client: pg.Client, jobs: ProductProcess, postgres: number): Promise<readonly Row[]> {
  const pids = [jobs.child.pid ?? 0, postgres];
  const read = async () => ({
    taken: Number(
      (await client.query('select count(*)::int as count from models.compliance_snapshot')).rows[0]?.count ?? 0,
    ),
    us: pids.reduce((sum, pid) => sum + processorTimeUs(pid), 0),
    wal: await readWalBytes(client),
    atMs: performance.now(),
  });
  await eventually('the first snapshot is taken', 300_000, async () => (await read()).taken > 0);
  const before = await read();
  await sleep(snapshotsMs);
  const after = await read();
  const taken = after.taken - before.taken;
  return [
    ['snapshots a second', Math.round((taken / (after.atMs - before.atMs)) * 10_000) / 10],
    ['ms of a processor per snapshot', Math.round((after.us - before.us) / taken / 100) / 10],
    ['WAL per snapshot, kB', Math.round((after.wal - before.wal) / taken / 100) / 10],
  ];
}

function residentMb(pid: number | undefined): Cell {
  const kb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return kb === undefined ? null : Math.round(Number(kb) / 1_000);
}
