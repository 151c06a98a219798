import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topicName, topics } from '@tenantscope/contract';
import { stateDirectory } from '@tenantscope/local';
import { connectAdmin } from '@tenantscope/store/admin';
import { startCollecting } from '../collect/collect-process.ts';
import { type OktaServer, startOktaServer } from '../collect/okta-server.ts';
import { type Broker, connectBroker } from '../installation/broker.ts';
import { eventually } from '../installation/eventually.ts';
import { tenantscope } from '../installation/processes.ts';
import { renderLines } from './import/lines-file.ts';
import type { BenchDatabase, BenchInstallation } from './installation.ts';
import { processorTimeUs } from './processor-time.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';

export interface CollectOptions {
  readonly records: number;
  readonly repetitions: number;
}

interface Measured {
  readonly recordsPerSecond: number;
  /** Processor time of the collecting process per record in microseconds. */
  readonly nodeUs: number | null;
}

const baseline = 'a client that reads and parses the pages';
const product = 'the collecting process, to Kafka';

/** Measures how fast one stream of Okta reaches Kafka from a server without latency and rate limit, which runs in this process. */
export async function benchCollect(
  installation: BenchInstallation,
  { records, repetitions }: CollectOptions,
  log: (line: string) => void,
): Promise<Section> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(stateDirectory, 'bench-collect-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const server = stack.use(await startOktaServer());
  const bytes = appendEvents(server, records);
  const secretFile = join(directory, 'token');
  await writeFile(secretFile, server.token, { mode: 0o600 });
  const database = stack.use(await installation.migrated());
  const broker = stack.use(await connectBroker(installation.services.kafka));
  const results = new Map<string, Measured[]>([
    [baseline, []],
    [product, []],
  ]);
  for (let round = 1; round <= repetitions; round++) {
    results.get(baseline)?.push(await measureClient(server, records));
    results.get(product)?.push(await measureCollector(installation, database, broker, server, secretFile, records));
    for (const [name, runs] of results)
      log(`collect, round ${round}: ${name}: ${Math.round(runs.at(-1)?.recordsPerSecond ?? 0)} records/s`);
  }
  return describeResults(results, records, bytes);
}

function appendEvents(server: OktaServer, count: number): number {
  let bytes = 0;
  for (const chunk of renderLines(count)) {
    bytes += chunk.length;
    server.append(
      chunk
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    );
  }
  return bytes;
}

async function measureClient(server: OktaServer, records: number): Promise<Measured> {
  const startedAtMs = performance.now();
  const since = new Date(Date.now() - 86_400_000).toISOString();
  let url: string | undefined = `${server.url}/api/v1/logs?since=${since}&sortOrder=ASCENDING&limit=1000`;
  let found = 0;
  while (url !== undefined && found < records) {
    const response: Response = await fetch(url, { headers: { authorization: `SSWS ${server.token}` } });
    found += ((await response.json()) as unknown[]).length;
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return { recordsPerSecond: (records / (performance.now() - startedAtMs)) * 1_000, nodeUs: null };
}

/** From the first record in Kafka to the last; a new tenant and collector each time. */
async function measureCollector(
  installation: BenchInstallation,
  database: BenchDatabase,
  { admin: kafka }: Broker,
  server: OktaServer,
  secretFile: string,
  records: number,
): Promise<Measured> {
  const environment = installation.environment(database);
  const topic = topicName(database.topicPrefix, topics.activity);
  const count = async () =>
    (await kafka.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0) - before;
  const before = (await kafka.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
  await using collect = await startCollecting(environment, { TENANTSCOPE_LOG_LEVEL: 'warn' });
  const { id: tenantId } = await createTenant(database);
  const { id } = await tenantscope<{ id: string }>(
    environment,
    ...['collector', 'create', 'okta', '--tenant', tenantId, '--url', server.url, '--secret-file', secretFile],
  );
  const now = (done: number) => ({ done, atMs: performance.now(), nodeUs: processorTimeUs(collect.pid) });
  let from: ReturnType<typeof now> | null = null;
  let to = now(0);
  await eventually('all records are in Kafka', 300_000, async () => {
    to = now(await count());
    if (to.done > 0) from ??= to;
    return to.done >= records;
  });
  await tenantscope(environment, 'collector', 'remove', id);
  if (to.done !== records) throw new Error(`${to.done} messages, expected ${records}`);
  const { done, atMs, nodeUs } = from ?? now(0);
  return {
    recordsPerSecond: ((to.done - done) / (to.atMs - atMs)) * 1_000,
    nodeUs: (to.nodeUs - nodeUs) / (to.done - done),
  };
}

async function createTenant({ roles }: BenchDatabase): Promise<{ readonly id: string }> {
  await using admin = await connectAdmin({ models: roles.admin, control: roles.admin }, 'cli:bench');
  return await admin.tenants.create({ name: 'Collected', organizationId: null, azureTenantId: null });
}

function describeResults(results: ReadonlyMap<string, readonly Measured[]>, records: number, bytes: number): Section {
  const baselines = results.get(baseline) ?? [];
  return {
    title: 'Collect',
    description:
      `${records} Okta events of ${Math.round(bytes / records)} bytes in pages of 1,000, one stream, from a server in the process of the benchmark without latency and rate limit. ` +
      'The position is stored behind each page, when all replicas have its records. Ratios are relative to the client of the same round. Processor time is per record.',
    columns: ['', 'records/s', 'min–max', 'ratio', 'Node µs'],
    rows: [...results].map(([name, runs]) => {
      const rates = runs.map(({ recordsPerSecond }) => recordsPerSecond);
      const ratios = runs.map(
        (run, round) => run.recordsPerSecond / (baselines[round]?.recordsPerSecond ?? Number.NaN),
      );
      const times = runs.map(({ nodeUs }) => nodeUs).filter((us) => us !== null);
      return [
        name,
        Math.round(median(rates)),
        `${Math.round(Math.min(...rates))}–${Math.round(Math.max(...rates))}`,
        Math.round(median(ratios) * 100) / 100,
        times.length === 0 ? null : Math.round(median(times) * 10) / 10,
      ];
    }),
  };
}
