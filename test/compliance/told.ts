import { randomUUID } from 'node:crypto';
import {
  type KnownApp,
  type Message,
  mergeEntity,
  normaliserVersion,
  type RecordOutcome,
  type RecordTableName,
  readActivity,
  readRecords,
  removalOf,
  type StoredPart,
} from '@tenantscope/intake';
import {
  type AuditLogRow,
  actionTable,
  agentEvidenceTable,
  atOneMoment,
  complianceRecordTable,
  detectionTable,
  type EntityChange,
  keepLeaves,
  type MergeParts,
  notificationTable,
  openEpoch,
  openLanes,
  openPool,
  type PoolClient,
  policyScanTable,
  prepareRows,
  type RecordState,
  type RecordTable,
  securityAlertTable,
  withConnection,
  writeEntityChanges,
  writeInLane,
  writeLogBatch,
  writeStates,
} from '@tenantscope/store';
import pg from 'pg';
import { type TestDatabase, testDatabase } from '../services/database.ts';
import { messageOf, type Saying } from './said.ts';

/** Tenants that were told things, by the ways records take from a message to a row, at times that the test chooses. */
export interface Told extends AsyncDisposable {
  readonly database: TestDatabase;
  /** Tells records in their order, as messages that arrive at this moment: what is written is stamped with it. Throws when one is refused. */
  tell(tenantId: string, atMs: number, sayings: readonly Saying[]): Promise<void>;
  /** Reads behind the tenant's walls, in one snapshot. */
  read<Value>(tenantId: string, work: (client: PoolClient) => Promise<Value>): Promise<Value>;
}

/** A tenant of which nothing is known. */
export const strangeTenant = (): string => randomUUID();

export async function toldDatabase(): Promise<Told> {
  const database = await testDatabase();
  const setClock = await handInTheClock(database);
  const ledger = {
    pool: openPool(database.roles.ingest, { name: 'told', maxConnections: 2 }),
    schema: 'models',
  } as const;
  const reading = openPool(database.roles.api, { name: 'told, read', maxConnections: 4, queryTimeoutMs: 60_000 });
  const leaves = await keepLeaves(ledger.pool);
  await openEpoch(ledger);
  const topic = { clusterId: 'told', topicId: randomUUID(), topic: 'told', source: 'told', partitions: [0] };
  const [lane] = await openLanes(ledger, topic);
  if (!lane) throw new Error('the lane was not opened');
  const apps = new Map<string, KnownApp>();
  let offset = 0n;

  const write = async (atMs: number, { rows, alerts, changes }: Read): Promise<void> => {
    const stamp = new Date(atMs).toISOString();
    await setClock(stamp);
    if (rows.length > 0) {
      const outcome = await withConnection(ledger.pool, (client) =>
        writeLogBatch(client, ledger, leaves, {
          lane,
          fromOffset: offset,
          toOffset: offset + 1n,
          rows: prepareRows(rows, normaliserVersion),
          alerts,
          deadLetters: [],
          settledLetters: [],
        }),
      );
      if (outcome.kind !== 'written') throw new Error(`the log rows were not written: ${outcome.kind}`);
      offset += 1n;
    }
    if (changes.length === 0) return;
    const step = { lane, fromOffset: offset, toOffset: offset + 1n, settledLetters: [] };
    const outcome = await writeInLane(ledger, step, async (client) => {
      await writeChanges(client, changes, stamp);
      return [];
    });
    if (outcome !== 'written') throw new Error(`the records were not written: ${outcome}`);
    offset += 1n;
  };

  let before: Promise<void> = Promise.resolve();
  return {
    database,
    tell(tenantId, atMs, sayings) {
      const written = before.then(() => write(atMs, read(tenantId, atMs, sayings, apps)));
      before = written.catch(() => {});
      return written;
    },
    read: (tenantId, work) => atOneMoment(reading, tenantId, work),
    async [Symbol.asyncDispose]() {
      await Promise.all([ledger.pool.end(), reading.end()]);
      await database[Symbol.asyncDispose]();
    },
  };
}

/**
 * The server of this database asks us for the time: lanes stamp with it. History needs partitions, too, since the product makes them only ahead.
 */
async function handInTheClock(database: TestDatabase): Promise<(stamp: string) => Promise<void>> {
  const asSuperuser = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: database.superuser });
    await client.connect();
    await client.query(text, values).finally(() => client.end());
  };
  await asSuperuser(`
    create schema told;
    grant usage on schema told to public;
    create table told.clock (at timestamptz not null);
    insert into told.clock values ('2020-01-01 00:00Z');
    create function told.clock_timestamp() returns timestamptz language sql volatile security definer return (select at from told.clock);
    alter database ${pg.escapeIdentifier(database.name)} set search_path = told, pg_catalog, public;
    do $$
    declare first_at timestamptz := (select min(from_at) from models.audit_log_partition);
    begin
      create table models.audit_log_history (like models.audit_log including defaults including constraints);
      create index audit_log_history_page on models.audit_log_history (tenant_id, discovered_at, id);
      execute format('alter table models.audit_log attach partition models.audit_log_history for values from (%L) to (%L)', timestamptz '2020-01-01 00:00Z', first_at);
      grant select, insert on models.audit_log_history to tenantscope_ingest;
      insert into models.audit_log_partition values ('audit_log_history', '2020-01-01 00:00Z', first_at);
    end $$`);
  return async (stamp) => {
    await asSuperuser(
      `with set_clock as (update told.clock set at = $1)
                       update models.ingest_lane set settled_at = $1::timestamptz - interval '1 ms'`,
      [stamp],
    );
  };
}

/** What messages say, ready to be written. */
interface Read {
  rows: AuditLogRow[];
  alerts: RecordState[];
  changes: Change[];
}
type Change = { table: RecordTable; state: RecordState } | { part: EntityChange };

function read(tenantId: string, atMs: number, sayings: readonly Saying[], apps: Map<string, KnownApp>): Read {
  const known: Read = { rows: [], alerts: [], changes: [] };
  const context = {
    tenantOf: () => ({ azureTenantId: null }),
    appOf: (tenant: string, clientId: string) => apps.get(`${tenant}/${clientId}`),
    nowMs: atMs,
    maxValueBytes: 1_048_576,
    onlyElement: null,
  };
  for (const saying of sayings) {
    const message: Message = messageOf(tenantId, atMs, saying);
    const outcomes =
      saying.topic === 'activity' ? readActivity(message, context) : readRecords(saying.topic, message, context);
    for (const outcome of outcomes) {
      if (outcome.kind === 'rejected') throw new Error(`refused: ${outcome.reason}, ${outcome.detail}`);
      if (outcome.kind === 'log') known.rows.push(outcome.row);
      else if (outcome.kind === 'state' && saying.topic === 'activity') known.alerts.push(outcome.state);
      else known.changes.push(changeOf(outcome));
      if (outcome.kind === 'part') rememberApp(apps, outcome.part);
    }
  }
  return known;
}

function changeOf(outcome: Exclude<RecordOutcome, { kind: 'rejected' }>): Change {
  if (outcome.kind === 'state') return { table: tables[outcome.table], state: outcome.state };
  if (outcome.kind === 'part') return { part: outcome.part };
  if (outcome.kind === 'removed' && outcome.table === 'entity') return { part: removalOf(outcome) };
  throw new Error(`nobody tells ${outcome.kind}`);
}

/** As ingestion learns apps, so that log rows name them. */
function rememberApp(apps: Map<string, KnownApp>, { tenantId, entityKind, id, facts }: EntityChange): void {
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
    refuse(outcomes, 'conflict');
  }
  const parts = changes.flatMap((change) => ('part' in change ? [change.part] : []));
  refuse(await writeEntityChanges(client, parts, stampOf, merge), 'conflict');
}

function refuse(outcomes: readonly string[], unwanted: string): void {
  if (outcomes.includes(unwanted)) throw new Error(`a record ended as ${unwanted}`);
}

const merge: MergeParts = (kind, parts) => mergeEntity(kind, parts as readonly StoredPart[]);

const tables: Record<RecordTableName, RecordTable> = {
  detection: detectionTable,
  policy_scan: policyScanTable,
  notification: notificationTable,
  action: actionTable,
  agent_evidence: agentEvidenceTable,
  security_alert: securityAlertTable,
  compliance_record: complianceRecordTable,
};
