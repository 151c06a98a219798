import { type LineMember, lineMembers, topicName, topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import pg from 'pg';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { type BenchDatabase, type BenchInstallation, runStatement } from './installation.ts';
import { createTenants, generateMessages } from './workload.ts';

/** A position after the row with this time and id. */
export interface Position {
  tenantId: string;
  atMs: number;
  id: string;
}

export interface DataSet {
  database: BenchDatabase;
  rows: number;
  /** Tenants by size, the largest first. */
  tenants: { id: string; rows: number }[];
  secrets: string[];
}

const tenantCount = 200;
const patternRecords = 20_000;
/** Sizes fall with this power of the rank: with a million rows, the largest of 200 tenants has 260,000. */
const skew = 1.2;
const days = 30;
const batchRows = 1_000;
/** Each key may send 600 requests per minute. */
const keyCount = 1_500;

/**
 * A month of logs of many tenants. 20,000 records pass through the product; their rows are then repeated with other
 * tenants, ids and stamps in the order in which ingestion would have written them: batch after batch, each sorted by
 * tenant.
 */
export async function createDataSet(installation: BenchInstallation, rows: number): Promise<DataSet> {
  const database = await installation.migrated();
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const organization = await admin.organizations.create({ name: 'Bench' });
  const sources = await createTenants(admin, {
    partitions: topics.activity.partitions,
    perPartition: 1,
    organizationId: null,
  });
  {
    await using _ingest = await startProcess('ingest', installation.environment(database));
    await using publisher = await connectPublisher({ brokers: installation.services.kafka, clientId: 'bench' });
    await publisher.publish(
      topicName(database.topicPrefix, topics.activity),
      generateMessages(sources, patternRecords),
    );
    await eventually('the pattern rows are written', 60_000, async () => {
      const [row] = await runStatement(database.superuser, 'select count(*)::integer as count from models.audit_log');
      return Number(row?.count) >= patternRecords;
    });
  }
  const ids: string[] = [];
  for (let number = 0; number < tenantCount; number++) {
    const created = await admin.tenants.create({
      name: `Tenant ${number}`,
      organizationId: organization.id,
      azureTenantId: null,
    });
    ids.push(created.id);
  }
  const client = new pg.Client({ connectionString: database.superuser });
  await client.connect();
  await repeatRows(client, ids, rows);
  const { rows: sizes } = await client.query<{ id: string; rows: number }>(
    'select tenant_id as id, count(*)::integer as rows from models.audit_log where tenant_id = any($1) group by 1 order by 2 desc',
    [ids],
  );
  await client.end();
  const owner = { organizationId: organization.id };
  const key = { name: 'bench', scopes: ['logs:read'], owner, expiresAt: null };
  const secrets: string[] = [];
  for (let number = 0; number < keyCount; number++) secrets.push((await admin.keys.create(key)).secret);
  return { database, rows, tenants: sizes, secrets };
}

async function repeatRows(client: pg.Client, tenants: readonly string[], rows: number): Promise<void> {
  // Partitions begin a few days before the migration; history needs older ones.
  await client.query(`
    do $$
    declare
      first timestamptz := (select min(from_at) from models.audit_log_partition);
    begin
      for week in 1..${Math.ceil(days / 7)} loop
        execute format('create table models.audit_log_past_%s partition of models.audit_log for values from (%L) to (%L)',
                       week, first - week * interval '7 days', first - (week - 1) * interval '7 days');
        insert into models.audit_log_partition
        values ('audit_log_past_' || week, first - week * interval '7 days', first - (week - 1) * interval '7 days');
      end loop;
    end $$`);
  await client.query(`
    create schema bench;
    create table bench.pattern as select row_number() over (order by id) - 1 as number, log.* from models.audit_log log;
    create unique index on bench.pattern (number);
    analyze bench.pattern;
    truncate models.audit_log;
    create table bench.slot as
      select row_number() over () - 1 as number, tenant_id
        from unnest('{${tenants.join(',')}}'::uuid[]) with ordinality as tenant (tenant_id, rank),
             generate_series(1, ceil(20000 * power(rank, -${skew})
               / (select sum(power(n, -${skew})) from generate_series(1, ${tenants.length}) n))::integer);
    create unique index on bench.slot (number);
    analyze bench.slot`);
  await client.query(`
    insert into models.audit_log
      (tenant_id, discovered_at, id, occurred_at, severity, action, actor_id, actor_type, actor_ip, resource_id, resource_type, workload,
       source_type, client_app, device_id, is_managed_device, application_id, external_event_id, outcome, error_code,
       session_id, correlation_id, actor_user_id, target_ids, normaliser_version, member_lines)
    select slot.tenant_id, made.stamp, made.id, made.stamp - interval '5 minutes', severity, action, actor_id, actor_type, actor_ip, resource_id,
           resource_type, workload, source_type, client_app, device_id, is_managed_device, application_id, external_event_id, outcome,
           error_code, session_id, correlation_id, actor_user_id, target_ids, normaliser_version,
           member_lines
      from generate_series(0, ${rows - 1}) n
      cross join lateral (select md5(n::text) as digest,
                                 date_trunc('milliseconds', now() - interval '1 minute' - interval '${days} days' * (1 - n::float8 / ${rows})) as stamp) drawn
      cross join lateral (select drawn.stamp, (lpad(to_hex((extract(epoch from drawn.stamp) * 1000)::bigint - 300000), 12, '0')
                                   || '8' || substr(digest, 1, 3) || '8' || substr(digest, 4, 15))::uuid as id) made
      join bench.slot on slot.number = ('x' || substr(digest, 1, 7))::bit(28)::integer % (select count(*) from bench.slot)
      join bench.pattern on pattern.number = ('x' || substr(digest, 8, 7))::bit(28)::integer % (select count(*) from bench.pattern)
     order by n / ${batchRows}, slot.tenant_id, n`);
  await client.query('vacuum (freeze, analyze) models.audit_log');
}

/** The rows at these ranks in the order of a tenant, each a position to continue from. */
export async function readPositions(data: DataSet, tenantId: string, ranks: readonly number[]): Promise<Position[]> {
  const rows = await runStatement(
    data.database.superuser,
    `select at_ms, id from (
       select (extract(epoch from discovered_at) * 1000)::float8 as at_ms, id, row_number() over (order by discovered_at, id) as rank
         from models.audit_log where tenant_id = '${tenantId}') ranked
      where rank in (${ranks.join(', ')}) order by rank`,
  );
  return rows.map((row) => ({ tenantId, atMs: Number(row.at_ms), id: String(row.id) }));
}

/** The members of the events as typed columns under the same index, for a handler that builds objects. */
export async function createTypedColumns(data: DataSet): Promise<void> {
  const members = lineMembers.map((name, index) => `${readLine(name, `lines[${index + 1}]`)} as "${name}"`);
  members.splice(lineMembers.indexOf('outcome'), 0, 'log.tenant_id::text as "tenantId"');
  await runStatement(
    data.database.superuser,
    `create table bench.log_columns as
       select log.tenant_id, log.discovered_at, log.id, log.occurred_at, ${members.join(', ')}
         from models.audit_log log, string_to_array(log.member_lines, chr(10)) lines
        order by log.discovered_at, log.tenant_id, log.id`,
  );
  await runStatement(data.database.superuser, 'create index on bench.log_columns (tenant_id, discovered_at, id)');
  await runStatement(data.database.superuser, 'vacuum (freeze, analyze) bench.log_columns');
}

const jsonMembers: ReadonlySet<LineMember> = new Set([
  'location',
  'signIn',
  'targets',
  'changes',
  'details',
  'threat',
  'ai',
]);

function readLine(name: LineMember, line: string): string {
  if (name === 'isManagedDevice') return `nullif(${line}, '')::boolean`;
  if (name === 'truncated') return `coalesce(nullif(${line}, ''), 'false')::boolean`;
  return jsonMembers.has(name) ? `nullif(${line}, '')::json` : `nullif(${line}, '')::json #>> '{}'`;
}
