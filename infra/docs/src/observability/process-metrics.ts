import { registerMetrics as registerApiMetrics } from '@tenantscope/api/metrics';
import { createCollectMetrics } from '@tenantscope/collect/metrics';
import { createConsoleMetrics } from '@tenantscope/console/metrics';
import { createIngestMetrics } from '@tenantscope/ingest/metrics';
import { createJobMetrics } from '@tenantscope/jobs/metrics';
import { createLog, createMetrics, defaultCell, type MetricDeclaration, type Metrics } from '@tenantscope/runtime';

const observedProcesses = ['api', 'ingest', 'jobs', 'console', 'collect'] as const;
export type ObservedProcess = (typeof observedProcesses)[number];

const log = createLog({ name: 'docs', level: 'silent' });
const providers: readonly string[] = [];

const cellLabel = 'cell';
/** Each works for one cell, which its series name. */
const processesOfCells: readonly ObservedProcess[] = ['ingest', 'jobs'];

/** Registers what the process registers when it starts. */
const registrations: Readonly<Record<ObservedProcess, (metrics: Metrics) => void>> = {
  api: registerApiMetrics,
  ingest: (metrics) => createIngestMetrics(log, metrics),
  jobs: (metrics) => createJobMetrics(log, metrics),
  console: createConsoleMetrics,
  collect: (metrics) => createCollectMetrics(metrics, providers),
};

/** A metric of the product with the processes that expose it. */
export interface ProductMetric extends MetricDeclaration {
  readonly processes: readonly ObservedProcess[];
}

export interface NodeMetric {
  readonly name: string;
  readonly help: string;
}

export interface MetricReference {
  readonly product: readonly ProductMetric[];
  /** Of Node.js and the operating system, in every process. */
  readonly node: readonly NodeMetric[];
}

const register = (process: ObservedProcess): Metrics => {
  const metrics = createMetrics(process, processesOfCells.includes(process) ? defaultCell : undefined);
  registrations[process](metrics);
  return metrics;
};

/** Every metric of every process, without starting one. Throws where two processes declare a metric with different labels, but for the cell, or another type. */
export function readMetricReference(): MetricReference {
  const product = new Map<string, ProductMetric>();
  let node: readonly NodeMetric[] = [];
  for (const process of observedProcesses) {
    const metrics = register(process);
    for (const declared of metrics.declarations) add(product, declared, process);
    const own = new Set(metrics.declarations.map(({ name }): string => name));
    node = metrics.registry
      .getMetricsAsArray()
      .filter(({ name }) => !own.has(name))
      .map(({ name, help }) => ({ name, help }));
  }
  return { product: [...product.values()], node };
}

/** What a scrape of each process that has just started returns, without the metrics of Node.js. */
export function readExposition(): Promise<string[]> {
  return Promise.all(
    observedProcesses.map(async (process) => {
      const metrics = register(process);
      const texts = await Promise.all(
        metrics.declarations.map(({ name }) => metrics.registry.getSingleMetricAsString(name)),
      );
      return `${texts.join('\n')}\n`;
    }),
  );
}

function add(product: Map<string, ProductMetric>, declared: MetricDeclaration, process: ObservedProcess): void {
  const present = product.get(declared.name);
  if (present === undefined) return void product.set(declared.name, { ...declared, processes: [process] });
  const [one, other] = [present, declared].map(({ labels }) => labels.filter((label) => label !== cellLabel).join());
  if (present.type !== declared.type || one !== other)
    throw new Error(`${declared.name} of ${process} differs from that of ${present.processes.join(', ')}`);
  const labels = present.labels.includes(cellLabel) ? present.labels : declared.labels;
  product.set(declared.name, { ...present, labels, processes: [...present.processes, process] });
}
