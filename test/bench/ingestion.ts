import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import pg from 'pg';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { type BareCopyOptions, bareCopy } from './bare-copy.ts';
import { type BenchDatabase, type BenchInstallation, runStatement } from './installation.ts';
import { type PreparedLines, prepareLines } from './prepared-lines.ts';
import { processorTimeUs } from './processor-time.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';
import { createTenants, generateMessages } from './workload.ts';

export interface IngestionOptions {
  records: number;
  repetitions: number;
}

/** The product and the comparison commit at most this many rows per batch. */
const batchRows = 2_000;
const tenantsPerPartition = 4;
/** The rate is measured under full load: after the processes have started and before the first partition runs empty. */
const measuredFrom = 0.25;
const measuredTo = 0.9;

interface IngestSetup {
  processes: number;
  workers: number;
}

interface Measured {
  rowsPerSecond: number;
  /** Processor time per row in microseconds; null when there is no such process. */
  nodeUs: number | null;
  postgresUs: number;
  kafkaUs: number | null;
}

type Variant = { name: string } & ({ copy: BareCopyOptions } | { way: IngestSetup });

const baseline = 'COPY, one connection';
const variants: readonly Variant[] = [
  { name: baseline, copy: { connections: 1, indexed: true, transactions: 'batch' } },
  { name: 'COPY, one connection, one transaction', copy: { connections: 1, indexed: true, transactions: 'one' } },
  {
    name: 'COPY, one connection, no index, no identities',
    copy: { connections: 1, indexed: false, transactions: 'batch' },
  },
  { name: 'COPY, four connections', copy: { connections: 4, indexed: true, transactions: 'batch' } },
  { name: 'from Kafka, one process, no worker thread', way: { processes: 1, workers: 0 } },
  { name: 'from Kafka, one process, 1 worker thread', way: { processes: 1, workers: 1 } },
  { name: 'from Kafka, one process, 2 worker threads', way: { processes: 1, workers: 2 } },
  { name: 'from Kafka, two processes, 1 worker thread each', way: { processes: 2, workers: 1 } },
];

export interface IngestionResult {
  section: Section;
  /** Rows per second of one process in the default configuration. */
  topRate: number;
}

/** Measures how fast records become rows, alternating with bare COPY of the same rows. Every run writes all rows into a new database. */
export async function benchIngestion(
  installation: BenchInstallation,
  options: IngestionOptions,
  log: (line: string) => void,
): Promise<IngestionResult> {
  log(`ingestion: publishing ${options.records} records`);
  const base = await installation.migrated();
  await publish(installation, base, options.records);
  await using first = await installation.copyOf(base);
  await measureIngest(installation, first, { processes: 1, workers: 1 }, options.records);
  const lines = await prepareLines(first, batchRows);
  const disk = await readBytesPerRow(first, lines.count);
  log(`ingestion: bytes on disk per row: ${describeDisk(disk)}`);

  const results = new Map<string, Measured[]>(variants.map(({ name }) => [name, []]));
  for (let round = 0; round < options.repetitions; round++) {
    // Each round starts with another variant, so that no variant always follows an expensive one.
    const order = [...variants.slice(round % variants.length), ...variants.slice(0, round % variants.length)];
    for (const variant of order) {
      await using database = await installation.copyOf(base);
      const measured =
        'copy' in variant
          ? await measureCopy(installation, database, lines, variant.copy)
          : await measureIngest(installation, database, variant.way, options.records);
      await expectAllRows(database, lines.count, 'copy' in variant && !variant.copy.indexed ? 'bare' : 'audit_log');
      results.get(variant.name)?.push(measured);
      log(`ingestion, round ${round + 1}: ${variant.name}: ${Math.round(measured.rowsPerSecond)} rows/s`);
    }
  }
  const asInstalled = results.get('from Kafka, one process, 1 worker thread') ?? [];
  return {
    section: sectionOf(results, lines, disk),
    topRate: median(asInstalled.map(({ rowsPerSecond }) => rowsPerSecond)),
  };
}

/** Prepares a database with its tenants and with lanes at the beginning of a full topic. */
async function publish(installation: BenchInstallation, base: BenchDatabase, records: number): Promise<void> {
  await using admin = await connectAdmin({ models: base.roles.admin, control: base.roles.admin }, 'cli:bench');
  const { partitions } = topics.activity;
  const tenants = await createTenants(admin, { partitions, perPartition: tenantsPerPartition, organizationId: null });
  {
    await using _ingest = await startProcess('ingest', installation.environment(base));
    await eventually('the lanes are registered', 30_000, async () => (await progress(base)).lanes >= partitions);
  }
  await runStatement(base.superuser, "update models.ingest_lane set state = 'stopped', reason = 'waits for the bench'");
  await using publisher = await connectPublisher({ brokers: installation.services.kafka, clientId: 'bench' });
  await publisher.publish(topicName(base.topicPrefix, topics.activity), generateMessages(tenants, records));
}

async function measureCopy(
  { services }: BenchInstallation,
  database: BenchDatabase,
  lines: PreparedLines,
  options: BareCopyOptions,
): Promise<Measured> {
  const postgres = services.postgresService.pid ?? 0;
  const before = { node: process.cpuUsage(), postgresUs: processorTimeUs(postgres) };
  const { durationMs } = await bareCopy(database, lines, options);
  const node = process.cpuUsage(before.node);
  return {
    rowsPerSecond: (lines.count / durationMs) * 1_000,
    nodeUs: (node.user + node.system) / lines.count,
    postgresUs: (processorTimeUs(postgres) - before.postgresUs) / lines.count,
    kafkaUs: null,
  };
}

/** Lets the processes join while the lanes are stopped, releases all lanes at once and measures. */
async function measureIngest(
  installation: BenchInstallation,
  database: BenchDatabase,
  way: IngestSetup,
  records: number,
): Promise<Measured> {
  const { services } = installation;
  const environment = {
    ...installation.environment(database),
    TENANTSCOPE_INGEST_WORKERS: String(way.workers),
    TENANTSCOPE_CONSUMER_GROUP: database.name,
  };
  await using stack = new AsyncDisposableStack();
  const ingests = await Promise.all(
    Array.from({ length: way.processes }, () => startProcess('ingest', environment, { waitUntilReady: false })),
  );
  for (const one of ingests) stack.use(one);
  // Rebalances end before the first record is read.
  await sleep(6_000);
  const inspector = new pg.Client({ connectionString: database.superuser });
  await inspector.connect();
  stack.defer(() => inspector.end());
  await inspector.query("update models.ingest_lane set state = 'running', reason = null");
  const { rows: own } = await inspector.query<{ pid: number }>('select pg_backend_pid() as pid');
  const observer = own[0]?.pid ?? 0;

  const postgres = services.postgresService.pid ?? 0;
  const kafka = services.kafkaService.pid ?? 0;
  const now = (done: number) => ({
    done,
    atMs: performance.now(),
    nodeUs: ingests.reduce((sum, { child }) => sum + processorTimeUs(child.pid ?? 0), 0),
    // Without the connection that counts rows here twenty times a second.
    postgresUs: processorTimeUs(postgres) - processorTimeUs(observer),
    kafkaUs: processorTimeUs(kafka),
  });
  let from: ReturnType<typeof now> | null = null;
  let to: ReturnType<typeof now> | null = null;
  await eventually('all records are read', 300_000, async () => {
    const { rows } = await inspector.query<{ done: number }>(
      "select sum(next_offset)::integer as done from models.ingest_lane where source = 'raw.activity.v1'",
    );
    const done = rows[0]?.done ?? 0;
    if (done >= records * measuredFrom) from ??= now(done);
    if (done >= records * measuredTo) to ??= now(done);
    for (const one of ingests)
      if (one.child.exitCode !== null) throw new Error(`ingest ended with an error:\n${one.output()}`);
    return done >= records;
  });
  return between(from, to);
}

interface Reading {
  done: number;
  atMs: number;
  nodeUs: number;
  postgresUs: number;
  kafkaUs: number;
}

function between(from: Reading | null, to: Reading | null): Measured {
  if (!from || !to || to.done === from.done)
    throw new Error('the run ended before it could be measured: increase --records');
  const done = to.done - from.done;
  return {
    rowsPerSecond: (done / (to.atMs - from.atMs)) * 1_000,
    nodeUs: (to.nodeUs - from.nodeUs) / done,
    postgresUs: (to.postgresUs - from.postgresUs) / done,
    kafkaUs: (to.kafkaUs - from.kafkaUs) / done,
  };
}

async function progress(database: BenchDatabase): Promise<{ lanes: number }> {
  const [row] = await runStatement(
    database.superuser,
    "select count(*)::integer as lanes from models.ingest_lane where source = 'raw.activity.v1' and opened",
  );
  return { lanes: Number(row?.lanes) };
}

/** A fast run that lost or duplicated rows is not a result. */
async function expectAllRows(database: BenchDatabase, count: number, table: string): Promise<void> {
  const [row] = await runStatement(
    database.superuser,
    `select count(*)::integer as rows, count(distinct (tenant_id, id))::integer as ids from models.${table}`,
  );
  if (row?.rows !== count || row?.ids !== count)
    throw new Error(`${row?.rows} rows with ${row?.ids} ids, expected ${count}`);
}

/** Bytes on disk per row with indexes, by table. */
type DiskUse = Readonly<Record<'audit_log' | 'log_identity' | 'audit_log_raw', number>>;

async function readBytesPerRow(database: BenchDatabase, rows: number): Promise<DiskUse> {
  const bytesOf = async (table: string) => {
    const [row] = await runStatement(
      database.superuser,
      `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('models.${table}') where isleaf`,
    );
    return Math.round(Number(row?.bytes) / rows);
  };
  return {
    audit_log: await bytesOf('audit_log'),
    log_identity: await bytesOf('log_identity'),
    audit_log_raw: await bytesOf('audit_log_raw'),
  };
}

const describeDisk = ({ audit_log, log_identity, audit_log_raw }: DiskUse): string =>
  `${audit_log} row, ${log_identity} identity, ${audit_log_raw} raw record`;

function sectionOf(results: ReadonlyMap<string, readonly Measured[]>, lines: PreparedLines, disk: DiskUse): Section {
  const bytes = lines.rows.reduce((sum, batch) => sum + batch.length, 0);
  const baselines = results.get(baseline) ?? [];
  return {
    title: 'Ingestion',
    description:
      `${lines.count} rows of ${Math.round(bytes / lines.count)} bytes in the binary format of COPY; on disk with indexes ${describeDisk(disk)}. "COPY" writes prepared lines and their identities ` +
      `(models.log_identity) into the same partitions with the same indexes, ${batchRows} rows per transaction unless noted. ` +
      'Ratios are relative to "COPY, one connection" of the same round. Processor time is per row.',
    columns: ['', 'rows/s', 'min–max', 'ratio', 'Node µs', 'PostgreSQL µs', 'Kafka µs'],
    rows: [...results].map(([name, runs]) => {
      const rates = runs.map(({ rowsPerSecond }) => rowsPerSecond);
      const ratios = runs.map((run, round) => run.rowsPerSecond / (baselines[round]?.rowsPerSecond ?? Number.NaN));
      const mean = (of: (run: Measured) => number | null) => {
        const values = runs.map(of).filter((value) => value !== null);
        return values.length === 0 ? null : median(values);
      };
      return [
        name,
        Math.round(median(rates)),
        `${Math.round(Math.min(...rates))}–${Math.round(Math.max(...rates))}`,
        round2(median(ratios)),
        round1(mean((run) => run.nodeUs)),
        round1(mean((run) => run.postgresUs)),
        round1(mean((run) => run.kafkaUs)),
      ];
    }),
  };
}

const round2 = (value: number): number => Math.round(value * 100) / 100;
const round1 = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10);
