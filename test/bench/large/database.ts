import { randomUUID } from 'node:crypto';
import { topics } from '@tenantscope/contract';
import { type Addresses, provisionDatabase } from '@tenantscope/local';
import { connectAdmin, migrate } from '@tenantscope/store/admin';
import { openPool } from '@tenantscope/store/connection';
import { backfillLogTally, type Ledger, openEpoch, openLanes } from '@tenantscope/store/ingest';
import pg from 'pg';
import { type BenchDatabase, runStatement } from '../installation.ts';
import { insertAgentEvidence, insertDetections, insertEntities } from '../large-tenant.ts';
import { insertAttestations, insertUsers } from './proportional-records.ts';
import type { Population } from './record-templates.ts';

/** What is stored with the rows, so that a later run continues or uses them. */
export interface LargeState {
  readonly rows: number;
  /** The stamps of the rows lie in the `historyDays` before. */
  readonly endsAtMs: number;
  /** The large tenant, which has `largeShare` of the rows, and the small ones. */
  readonly tenantIds: readonly string[];
  readonly population: Population;
  readonly topicId: string;
  /** Rows, time and rate of the runs that filled the database. */
  readonly filled: readonly FillRun[];
  readonly isComplete: boolean;
}

export interface FillRun {
  readonly endedAt: string;
  readonly rows: number;
  readonly seconds: number;
  /** Processor time of the writing process, all its threads. */
  readonly nodeUs: number;
  /** Rows for which blocks were written, one tenant after the other, and the time of both sides together and of the writing process. */
  readonly blockRows: number;
  readonly blockSeconds: number;
  readonly blockNodeUs: number;
  readonly vacuumSeconds: number;
}

export interface LargeDatabase extends BenchDatabase {
  state: LargeState;
  saveState(changed: Partial<LargeState>): Promise<void>;
}

export const historyDays = 40;
export const largeShare = 0.75;
export const lanePartitions = 2;
const smallTenants = 200;
const dayMs = 86_400_000;

/** What a log of this many rows names. */
const countPopulation = (rows: number): Population => ({
  users: Math.min(20_000, Math.ceil(rows / 100)),
  files: Math.min(500_000, Math.ceil(rows / 10)),
  addresses: Math.min(20_000, Math.ceil(rows / 100)),
});

/** Opens the database of this many rows, or creates it without any; with the entities that a log of `populationRows` has. */
export async function openLargeDatabase(
  services: Addresses,
  { rows, populationRows = rows, fresh }: { rows: number; populationRows?: number; fresh: boolean },
): Promise<LargeDatabase> {
  const name = `tenantscope_large_${rows}${populationRows === rows ? '' : `_of_${populationRows}`}`;
  if (fresh) await runStatement(services.postgres, `drop database if exists ${name} with (force)`);
  const superuser = Object.assign(new URL(services.postgres), { pathname: `/${name}` }).href;
  const urls = await provisionDatabase(services.postgres, { name });
  const database: BenchDatabase = {
    ...urls,
    name,
    superuser,
    topicPrefix: 'large',
    [Symbol.asyncDispose]: async () => {},
  };
  const [stored] = await runStatement(superuser, `select to_regclass('bench.state') is not null as present`);
  const state = stored?.present
    ? await readState(database)
    : await createDatabase(database, services, { rows, populationRows });
  return Object.assign(database, {
    state,
    async saveState(this: LargeDatabase, changed: Partial<LargeState>) {
      this.state = { ...this.state, ...changed };
      await runStatement(superuser, `update bench.state set value = ${pg.escapeLiteral(JSON.stringify(this.state))}`);
    },
  });
}

/** What an earlier run stored. Its migrations must be those of today. */
async function readState(database: BenchDatabase): Promise<LargeState> {
  await migrate(database).catch((cause: unknown) => {
    throw new Error(`${database.name} cannot be upgraded; create it again with --fresh`, { cause });
  });
  await fillNewTables(database);
  const [row] = await runStatement(database.superuser, 'select value from bench.state');
  return row?.value as LargeState;
}

/** What ingest processes do after an upgrade: until then documents lack figures. */
async function fillNewTables({ roles }: BenchDatabase): Promise<void> {
  const pool = openPool(roles.ingest, { name: 'bench', maxConnections: 1 });
  try {
    while (await backfillLogTally(pool));
  } finally {
    await pool.end();
  }
}

/** Tables, past partitions, tenants, lanes and everything but the log. The state is stored last: without it the database is created again. */
async function createDatabase(
  database: BenchDatabase,
  services: Addresses,
  { rows, populationRows }: { rows: number; populationRows: number },
): Promise<LargeState> {
  await runStatement(services.postgres, `drop database if exists ${database.name} with (force)`);
  await provisionDatabase(services.postgres, { name: database.name });
  await migrate(database);
  const endsAtMs = Date.now();
  const client = new pg.Client({ connectionString: database.superuser });
  await client.connect();
  try {
    await createPastPartitions(client, endsAtMs);
    await installClock(client, database.name);
    const tenantIds = await createTenants(database);
    await client.query('update control.tenant set connected_at = $1', [new Date(endsAtMs - historyDays * dayMs)]);
    const state: LargeState = {
      rows,
      endsAtMs,
      tenantIds,
      population: countPopulation(populationRows),
      topicId: randomUUID(),
      filled: [],
      isComplete: false,
    };
    await openAllLanes(database, client, state);
    await insertOtherRecords(client, state, populationRows);
    await client.query('create table bench.state (value jsonb not null)');
    await client.query('insert into bench.state values ($1)', [JSON.stringify(state)]);
    return state;
  } finally {
    await client.end();
  }
}

/** The product's own statements create the partitions, as if the newest one had ended before the history. */
async function createPastPartitions(client: pg.Client, endsAtMs: number): Promise<void> {
  await client.query(`
    do $$
    declare name text;
    begin
      for name in select p.name from models.audit_log_partition p loop
        execute format('drop table models.%I', name);
        execute format('drop table models.%I', replace(name, 'audit_log_', 'audit_log_raw_'));
      end loop;
      delete from models.audit_log_partition;
    end $$`);
  const beforeAt = new Date(endsAtMs - (historyDays + 1) * dayMs).toISOString().slice(0, 10);
  await client.query('insert into models.audit_log_partition values ($1, $2, $2)', ['none', beforeAt]);
  await client.query('select models.maintain_log_partitions()');
  await client.query('delete from models.audit_log_partition where name = $1', ['none']);
}

/** The ingest login reads the time from a setting of its session where it is set: lanes stamp with it. Its commits are not waited for. */
async function installClock(client: pg.Client, name: string): Promise<void> {
  await client.query(`
    create schema bench;
    grant usage on schema bench to tenantscope_ingest;
    create function bench.clock_timestamp() returns timestamptz language sql volatile
      return coalesce(nullif(current_setting('bench.clock', true), '')::timestamptz, pg_catalog.clock_timestamp());
    alter role tenantscope_ingest in database ${name} set search_path = bench, pg_catalog;
    alter role tenantscope_ingest in database ${name} set synchronous_commit = off;
    alter role tenantscope_ingest in database ${name} set statement_timeout = '2min';
    alter role tenantscope_ingest in database ${name} set idle_in_transaction_session_timeout = '2min'`);
}

async function createTenants(database: BenchDatabase): Promise<string[]> {
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const organization = await admin.organizations.create({ name: 'Bench' });
  const tenantIds: string[] = [];
  for (let number = 0; number <= smallTenants; number++) {
    const name = number === 0 ? 'Large tenant' : `Tenant ${number}`;
    const { id } = await admin.tenants.create({ name, organizationId: organization.id, azureTenantId: null });
    tenantIds.push(id);
  }
  return tenantIds;
}

/** One lane of each topic, since feeds without lanes have no watermark. Those of the log begin where the history does. */
async function openAllLanes(
  database: BenchDatabase,
  client: pg.Client,
  { topicId, endsAtMs }: LargeState,
): Promise<void> {
  const pool = openPool(database.roles.ingest, { name: 'bench', maxConnections: 2 });
  try {
    for (const schema of ['models', 'control'] as const) {
      const ledger: Ledger = { pool, schema };
      await openEpoch(ledger);
      for (const topic of Object.values(topics)) {
        if ((topic === topics.tenant) !== (schema === 'control')) continue;
        const isLog = topic === topics.activity;
        const partitions = Array.from({ length: isLog ? lanePartitions : 1 }, (_, partition) => partition);
        const id = isLog ? topicId : randomUUID();
        const source = topic.suffix;
        await openLanes(ledger, { clusterId: 'bench', topicId: id, topic: `large.${source}`, source, partitions });
      }
    }
  } finally {
    await pool.end();
  }
  // Unbound lanes tick, and nothing is expected of them.
  await client.query(
    `update models.ingest_lane set unbound_at = now(); update control.ingest_lane set unbound_at = now()`,
  );
  await client.query('update models.ingest_lane set settled_at = $1 where topic_id = $2', [
    new Date(endsAtMs - historyDays * dayMs),
    topicId,
  ]);
}

async function insertOtherRecords(
  client: pg.Client,
  { tenantIds, population }: LargeState,
  populationRows: number,
): Promise<void> {
  const tenantId = tenantIds[0] as string;
  const { users, files } = population;
  const tenant = { tenantId, logs: populationRows, files, users };
  await insertEntities(client, tenant);
  await insertUsers(client, tenant);
  await insertAgentEvidence(client, tenant);
  await insertDetections(client, { tenantId, detections: Math.ceil(populationRows / 100) });
  await insertAttestations(client, tenantId);
}
