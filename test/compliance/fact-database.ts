import { randomUUID } from 'node:crypto';
import {
  type CachedApp,
  createRemoval,
  type Message,
  normaliserVersion,
  type RecordOutcome,
  readActivity,
  readRecords,
} from '@tenantscope/intake';
import { type PoolClient, withConnection, withReadSnapshot } from '@tenantscope/store/connection';
import {
  type AuditLogRow,
  createPartitionCache,
  type EntityChange,
  openEpoch,
  openLanes,
  prepareRows,
  type RecordState,
  type RecordTable,
  recordTables,
  writeEntityChanges,
  writeLaneStep,
  writeLogBatch,
  writeStates,
} from '@tenantscope/store/ingest';
import pg from 'pg';
import { createLogMerging, mergeParts } from '../installation/log-merging.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { type InputRecord, toMessage } from './input-records.ts';

/** A database of tenants whose records were read by intake and written by the store, at times that the test chooses. */
export interface FactDatabase extends AsyncDisposable {
  readonly database: TestDatabase;
  /** Ingests records in order as messages that arrive at this time, which becomes their stamp. Throws when a record is rejected. */
  ingest(tenantId: string, atMs: number, records: readonly InputRecord[]): Promise<void>;
  /** Reads as the tenant under row-level security, in one snapshot. */
  read<Value>(tenantId: string, work: (client: PoolClient) => Promise<Value>): Promise<Value>;
}

/** A tenant without data. */
export const newTenantId = (): string => randomUUID();

export async function openFactDatabase(): Promise<FactDatabase> {
  const database = await createTestDatabase();
  const superuser = openTestPool(database.superuser, { max: 1 });
  const setClock = await installTestClock(superuser, database);
  const ledger = {
    pool: openTestPool(database.roles.ingest, { max: 2 }),
    schema: 'models',
  } as const;
  const reading = openTestPool(database.roles.api, { max: 4 });
  const partitionCache = await createPartitionCache(ledger.pool);
  await openEpoch(ledger);
  const topic = { clusterId: 'test', topicId: randomUUID(), topic: 'facts', source: 'facts', partitions: [0] };
  const [lane] = await openLanes(ledger, topic);
  if (!lane) throw new Error('the lane was not opened');
  const apps = new Map<string, CachedApp>();
  const merging = createLogMerging();
  let offset = 0n;

  const write = async (atMs: number, { rows, alerts, changes }: IntakeResult): Promise<void> => {
    const stamp = new Date(atMs).toISOString();
    await setClock(stamp);
    if (rows.length > 0) {
      const outcome = await withConnection(ledger.pool, (client) =>
        writeLogBatch(client, ledger, partitionCache, merging, {
          lane,
          fromOffset: offset,
          toOffset: offset + 1n,
          rows: prepareRows(rows, normaliserVersion),
          alerts,
          deadLetters: [],
          settledReplays: [],
        }),
      );
      if (outcome.kind !== 'written') throw new Error(`the log rows were not written: ${outcome.kind}`);
      offset += 1n;
    }
    if (changes.length === 0) return;
    const step = { lane, fromOffset: offset, toOffset: offset + 1n, settledReplays: [] };
    const outcome = await writeLaneStep(ledger, step, async (client) => {
      await writeChanges(client, changes, stamp);
      return [];
    });
    if (outcome !== 'written') throw new Error(`the records were not written: ${outcome}`);
    offset += 1n;
  };

  let previousWrite: Promise<void> = Promise.resolve();
  return {
    database,
    ingest(tenantId, atMs, records) {
      const written = previousWrite.then(() => write(atMs, read(tenantId, atMs, records, apps)));
      previousWrite = written.catch(() => {});
      return written;
    },
    // Not the 5 s of the login: that limit is tested with the API, not with a busy machine.
    read: (tenantId, work) => withReadSnapshot(reading, tenantId, work, { timeoutMs: 60_000 }),
    async [Symbol.asyncDispose]() {
      await Promise.all([ledger.pool.end(), reading.end(), superuser.end()]);
      await database[Symbol.asyncDispose]();
    },
  };
}

/**
 * The test clock: this database reads the time from a table, and lanes stamp with it. Partitions for the past are added
 * because the product creates them for the future only.
 */
async function installTestClock(superuser: pg.Pool, { name }: TestDatabase): Promise<(stamp: string) => Promise<void>> {
  await superuser.query(`
    create schema test_clock;
    grant usage on schema test_clock to public;
    create table test_clock.clock (at timestamptz not null);
    insert into test_clock.clock values ('2020-01-01 00:00Z');
    create function test_clock.clock_timestamp() returns timestamptz language sql volatile security definer return (select at from test_clock.clock);
    alter database ${pg.escapeIdentifier(name)} set search_path = test_clock, pg_catalog, public;
    do $$
    declare first_at timestamptz := (select min(from_at) from models.audit_log_partition);
    begin
      create table models.audit_log_history (like models.audit_log including defaults including constraints);
      create index audit_log_history_page on models.audit_log_history (tenant_id, discovered_at, id);
      execute format('alter table models.audit_log attach partition models.audit_log_history for values from (%L) to (%L)', timestamptz '2020-01-01 00:00Z', first_at);
      grant select, insert on models.audit_log_history to tenantscope_ingest;
      create table models.audit_log_raw_history (like models.audit_log_raw including defaults including constraints including storage);
      create index audit_log_raw_history_read on models.audit_log_raw_history (tenant_id, discovered_at);
      execute format('alter table models.audit_log_raw attach partition models.audit_log_raw_history for values from (%L) to (%L)', timestamptz '2020-01-01 00:00Z', first_at);
      grant insert on models.audit_log_raw_history to tenantscope_ingest;
      insert into models.audit_log_partition values ('audit_log_history', '2020-01-01 00:00Z', first_at);
    end $$;
    set search_path = test_clock, pg_catalog, public`);
  return async (stamp) => {
    await superuser.query(
      `with set_clock as (update test_clock.clock set at = $1)
                       update models.ingest_lane set settled_at = $1::timestamptz - interval '1 ms'`,
      [stamp],
    );
  };
}

/** The content of messages, ready to be written. */
interface IntakeResult {
  rows: AuditLogRow[];
  alerts: RecordState[];
  changes: Change[];
}
type Change = { table: RecordTable; state: RecordState } | { part: EntityChange };

function read(
  tenantId: string,
  atMs: number,
  records: readonly InputRecord[],
  apps: Map<string, CachedApp>,
): IntakeResult {
  const result: IntakeResult = { rows: [], alerts: [], changes: [] };
  const context = {
    findTenant: () => ({ azureTenantId: null }),
    findApp: (tenant: string, clientId: string) => apps.get(`${tenant}/${clientId}`),
    nowMs: atMs,
    maxValueBytes: 1_048_576,
    onlyElement: null,
  };
  for (const record of records) {
    const message: Message = toMessage(tenantId, atMs, record);
    const outcomes =
      record.topic === 'activity' ? readActivity(message, context) : readRecords(record.topic, message, context);
    for (const outcome of outcomes) {
      if (outcome.kind === 'rejected') throw new Error(`record rejected: ${outcome.reason}, ${outcome.detail}`);
      if (outcome.kind === 'log') result.rows.push(outcome.row);
      else if (outcome.kind === 'state' && record.topic === 'activity') result.alerts.push(outcome.state);
      else result.changes.push(changeOf(outcome));
      if (outcome.kind === 'part') rememberApp(apps, outcome.part);
    }
  }
  return result;
}

function changeOf(outcome: Exclude<RecordOutcome, { kind: 'rejected' }>): Change {
  if (outcome.kind === 'state') return { table: recordTables[outcome.table], state: outcome.state };
  if (outcome.kind === 'part') return { part: outcome.part };
  if (outcome.kind === 'removed' && outcome.table === 'entity') return { part: createRemoval(outcome) };
  throw new Error(`unexpected outcome ${outcome.kind}`);
}

/** Caches apps as ingestion does, so that log rows contain their names. */
function rememberApp(apps: Map<string, CachedApp>, { tenantId, entityKind, id, facts }: EntityChange): void {
  if (entityKind !== 'app' || typeof facts.appId !== 'string') return;
  apps.set(`${tenantId}/${facts.appId.toLowerCase()}`, { id, name: String(facts.displayName ?? '') || null });
}

async function writeChanges(client: PoolClient, changes: readonly Change[], stamp: string): Promise<void> {
  const stampOf = () => stamp;
  const states = changes.flatMap((change) => ('state' in change ? [change] : []));
  for (const [table, some] of Map.groupBy(states, (change) => change.table)) {
    const outcomes = await writeStates(
      client,
      table,
      some.map(({ state }) => state),
      stampOf,
    );
    expectNoOutcome(outcomes, 'conflict');
  }
  const parts = changes.flatMap((change) => ('part' in change ? [change.part] : []));
  expectNoOutcome(await writeEntityChanges(client, parts, stampOf, mergeParts), 'conflict');
}

function expectNoOutcome(outcomes: readonly string[], unwanted: string): void {
  if (outcomes.includes(unwanted)) throw new Error(`a record ended as ${unwanted}`);
}
