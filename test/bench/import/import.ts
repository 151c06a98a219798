import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { topicName, topics } from '@tenantscope/contract';
import { stateDirectory } from '@tenantscope/local';
import { connectAdmin } from '@tenantscope/store/admin';
import { type Broker, connectBroker } from '../../installation/broker.ts';
import type { BenchInstallation } from '../installation.ts';
import { ownProcessorTimeUs, processorTimeUs } from '../processor-time.ts';
import type { Section } from '../report.ts';
import { median } from '../statistics.ts';
import { type LinesFile, linesFormat, writeLinesFile } from './lines-file.ts';

export interface ImportOptions {
  readonly lines: number;
  readonly repetitions: number;
}

interface Measured {
  readonly linesPerSecond: number;
  /** Processor time per line in microseconds; of Node with its start. */
  readonly nodeUs: number;
  readonly kafkaUs: number;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const bareProducer = fileURLToPath(new URL('./bare-producer-process.ts', import.meta.url));
const baseline = 'kafkajs, one message per line';

/** Measures how fast `tenantscope import` brings the lines of a file into Kafka, from its start to its end, without a running ingestion. */
export async function benchImport(
  installation: BenchInstallation,
  { lines, repetitions }: ImportOptions,
  log: (line: string) => void,
): Promise<Section> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(stateDirectory, 'bench-import-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const file = await writeLinesFile(directory, lines);
  const database = stack.use(await installation.migrated());
  const broker = stack.use(await connectBroker(installation.services.kafka));
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  const { id: tenantId } = await admin.tenants.create({ name: 'Import', organizationId: null, azureTenantId: null });
  const topic = topicName(database.topicPrefix, topics.activity);
  const importFile = (path: string) => [
    ...['apps/cli/bin/tenantscope.mjs', 'import', '--no-wait', '--tenant', tenantId],
    ...['--format', linesFormat, path],
  ];
  const variants = new Map([
    [baseline, [bareProducer, installation.services.kafka, topic, tenantId, file.plain]],
    ['tenantscope import, NDJSON', importFile(file.plain)],
    ['tenantscope import, NDJSON in gzip', importFile(file.gzip)],
  ]);
  const results = new Map<string, Measured[]>([...variants.keys()].map((name) => [name, []]));
  for (let round = 1; round <= repetitions; round++) {
    for (const [name, program] of variants) {
      const measured = await measure(installation, program, installation.environment(database), lines);
      await expectAllLines(broker, topic, lines);
      results.get(name)?.push(measured);
      log(`import, round ${round}: ${name}: ${Math.round(measured.linesPerSecond)} lines/s`);
    }
  }
  return describeResults(results, file, lines);
}

async function measure(
  { services }: BenchInstallation,
  program: readonly string[],
  environment: Record<string, string>,
  lines: number,
): Promise<Measured> {
  const kafka = services.kafkaService.pid ?? 0;
  const before = { nodeUs: ownProcessorTimeUs(), kafkaUs: processorTimeUs(kafka), atMs: performance.now() };
  await promisify(execFile)(process.execPath, program, { cwd: root, env: { PATH: process.env.PATH, ...environment } });
  return {
    linesPerSecond: (lines / (performance.now() - before.atMs)) * 1_000,
    nodeUs: (ownProcessorTimeUs() - before.nodeUs) / lines,
    kafkaUs: (processorTimeUs(kafka) - before.kafkaUs) / lines,
  };
}

/** A fast run that lost lines is not a result. Deletes them, so that a run has the same disk. */
async function expectAllLines({ admin }: Broker, topic: string, lines: number): Promise<void> {
  const offsets = await admin.fetchTopicOffsets(topic);
  const found = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  if (found !== lines) throw new Error(`${found} messages in ${topic}, expected ${lines}`);
  const partitions = offsets
    .filter(({ high }) => high !== '0')
    .map(({ partition, high }) => ({ partition, offset: high }));
  await admin.deleteTopicRecords({ topic, partitions });
}

function describeResults(results: ReadonlyMap<string, readonly Measured[]>, file: LinesFile, lines: number): Section {
  const baselines = results.get(baseline) ?? [];
  return {
    title: 'Import',
    description:
      `${lines} Okta events of ${Math.round(file.bytes / lines)} bytes, one JSON document per line, from the start of the command to its end, with \`--no-wait\` and without ingestion. ` +
      `"${baseline}" sends the same lines without headers, in batches of the same size; ratios are relative to it, in the same round. Processor time is per line.`,
    columns: ['', 'lines/s', 'min–max', 'MB/s', 'ratio', 'Node µs', 'Kafka µs'],
    rows: [...results].map(([name, runs]) => {
      const rates = runs.map(({ linesPerSecond }) => linesPerSecond);
      const ratios = runs.map((run, round) => run.linesPerSecond / (baselines[round]?.linesPerSecond ?? Number.NaN));
      return [
        name,
        Math.round(median(rates)),
        `${Math.round(Math.min(...rates))}–${Math.round(Math.max(...rates))}`,
        Math.round((median(rates) * file.bytes) / lines / 1e6),
        Math.round(median(ratios) * 100) / 100,
        Math.round(median(runs.map(({ nodeUs }) => nodeUs)) * 10) / 10,
        Math.round(median(runs.map(({ kafkaUs }) => kafkaUs)) * 10) / 10,
      ];
    }),
  };
}
