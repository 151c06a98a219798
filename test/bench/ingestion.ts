import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store';
import pg from 'pg';
import { eventually } from '../product/eventually.ts';
import { startProcess } from '../product/processes.ts';
import { type BareCopyOptions, bareCopy } from './bare-copy.ts';
import { asked, type BenchDatabase, type Installation } from './installation.ts';
import { linesOf, type PreparedLines } from './prepared-lines.ts';
import { processorTimeUs } from './processor-time.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';
import { makeTenants, messages } from './workload.ts';

export interface IngestionOptions {
  records: number;
  rounds: number;
}

/** Rows are committed in batches of at most this many, by the product and beside it. */
const batchRows = 1_000;
const tenantsPerPartition = 4;
/** A rate is taken where the way is full: behind the start of the processes, before the first partition runs dry. */
const measuredFrom = 0.25;
const measuredTo = 0.9;

interface WholeWay {
  processes: number;
  workers: number;
}

interface Measured {
  rowsPerSecond: number;
  /** Processor time a row, microseconds; null where nothing of that kind ran. */
  nodeUs: number | null;
  postgresUs: number;
  kafkaUs: number | null;
}

type Variant = { name: string } & ({ copy: BareCopyOptions } | { way: WholeWay });

const yardstick = 'COPY, one connection';
const variants: readonly Variant[] = [
  { name: yardstick, copy: { connections: 1, indexed: true, transactions: 'batch' } },
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
  /** Rows a second of one process as it is installed. */
  topRate: number;
}

/** How fast records become rows, beside bare COPY of the very same rows, in turns. Every run writes all of them into a database of its own. */
export async function benchIngestion(
  installation: Installation,
  options: IngestionOptions,
  say: (line: string) => void,
): Promise<IngestionResult> {
  say(`ingestion: publishing ${options.records} records`);
  const base = await installation.migrated();
  await publish(installation, base, options.records);
  await using first = await installation.copyOf(base);
  await wholeWay(installation, first, { processes: 1, workers: 1 }, options.records);
  const lines = await linesOf(first, batchRows);

  const results = new Map<string, Measured[]>(variants.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    // Each round begins with another one: whoever follows an expensive neighbour is not always the same.
    const order = [...variants.slice(round % variants.length), ...variants.slice(0, round % variants.length)];
    for (const variant of order) {
      await using database = await installation.copyOf(base);
      const measured =
        'copy' in variant
          ? await copyAlone(installation, database, lines, variant.copy)
          : await wholeWay(installation, database, variant.way, options.records);
      await expectAllRows(database, lines.count, 'copy' in variant && !variant.copy.indexed ? 'bare' : 'audit_log');
      results.get(variant.name)?.push(measured);
      say(`ingestion, round ${round + 1}: ${variant.name}: ${Math.round(measured.rowsPerSecond)} rows/s`);
    }
  }
  const asInstalled = results.get('from Kafka, one process, 1 worker thread') ?? [];
  return { section: sectionOf(results, lines), topRate: median(asInstalled.map(({ rowsPerSecond }) => rowsPerSecond)) };
}

/** Leaves a database with its tenants and with lanes that stand at the beginning of a topic full of records. */
async function publish(installation: Installation, base: BenchDatabase, records: number): Promise<void> {
  await using admin = await connectAdmin({ models: base.roles.admin, control: base.roles.admin }, 'bench');
  const { partitions } = topics.activity;
  const tenants = await makeTenants(admin, { partitions, perPartition: tenantsPerPartition, organizationId: null });
  {
    await using _ingest = await startProcess('ingest', installation.environment(base));
    await eventually('the lanes are known', 30_000, async () => (await progress(base)).lanes >= partitions);
  }
  await asked(base.superuser, "update models.ingest_lane set state = 'stopped', reason = 'waits for the bench'");
  await using publisher = await connectPublisher({ brokers: installation.services.kafka, clientId: 'bench' });
  await publisher.publish(topicName(base.topicPrefix, topics.activity), messages(tenants, records));
}

async function copyAlone(
  { services }: Installation,
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

/** Lets processes join while the lanes stand still, releases all lanes at once, and looks on. */
async function wholeWay(
  installation: Installation,
  database: BenchDatabase,
  way: WholeWay,
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
  // Rebalances are over before the first record is taken.
  await sleep(6_000);
  const looking = new pg.Client({ connectionString: database.superuser });
  await looking.connect();
  stack.defer(() => looking.end());
  await looking.query("update models.ingest_lane set state = 'running', reason = null");

  const postgres = services.postgresService.pid ?? 0;
  const kafka = services.kafkaService.pid ?? 0;
  const now = (done: number) => ({
    done,
    atMs: performance.now(),
    nodeUs: ingests.reduce((sum, { child }) => sum + processorTimeUs(child.pid ?? 0), 0),
    postgresUs: processorTimeUs(postgres),
    kafkaUs: processorTimeUs(kafka),
  });
  let from: ReturnType<typeof now> | null = null;
  let to: ReturnType<typeof now> | null = null;
  await eventually('all records are read', 300_000, async () => {
    const { rows } = await looking.query<{ done: number }>(
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

interface Moment {
  done: number;
  atMs: number;
  nodeUs: number;
  postgresUs: number;
  kafkaUs: number;
}

function between(from: Moment | null, to: Moment | null): Measured {
  if (!from || !to || to.done === from.done)
    throw new Error('the run was over before it could be measured: give it more records');
  const done = to.done - from.done;
  return {
    rowsPerSecond: (done / (to.atMs - from.atMs)) * 1_000,
    nodeUs: (to.nodeUs - from.nodeUs) / done,
    postgresUs: (to.postgresUs - from.postgresUs) / done,
    kafkaUs: (to.kafkaUs - from.kafkaUs) / done,
  };
}

async function progress(database: BenchDatabase): Promise<{ lanes: number }> {
  const [row] = await asked(
    database.superuser,
    "select count(*)::integer as lanes from models.ingest_lane where source = 'raw.activity.v1' and opened",
  );
  return { lanes: Number(row?.lanes) };
}

/** A fast run that lost or doubled something is no result. */
async function expectAllRows(database: BenchDatabase, count: number, table: string): Promise<void> {
  const [row] = await asked(
    database.superuser,
    `select count(*)::integer as rows, count(distinct (tenant_id, id))::integer as ids from models.${table}`,
  );
  if (row?.rows !== count || row?.ids !== count)
    throw new Error(`${row?.rows} rows with ${row?.ids} ids where ${count} were expected`);
}

function sectionOf(results: ReadonlyMap<string, readonly Measured[]>, lines: PreparedLines): Section {
  const bytes = lines.rows.reduce((sum, batch) => sum + batch.length, 0);
  const yardsticks = results.get(yardstick) ?? [];
  return {
    title: 'Ingestion',
    words:
      `${lines.count} rows of ${Math.round(bytes / lines.count)} bytes as COPY text. «COPY» writes prepared lines and their identities ` +
      `(models.log_identity) into the same partitions with the same indexes, ${batchRows} rows a transaction unless it says otherwise. ` +
      'Ratios are to «COPY, one connection» of the same round. Processor time is per row.',
    columns: ['', 'rows/s', 'least–most', 'ratio', 'Node µs', 'PostgreSQL µs', 'Kafka µs'],
    rows: [...results].map(([name, runs]) => {
      const rates = runs.map(({ rowsPerSecond }) => rowsPerSecond);
      const ratios = runs.map((run, round) => run.rowsPerSecond / (yardsticks[round]?.rowsPerSecond ?? Number.NaN));
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
