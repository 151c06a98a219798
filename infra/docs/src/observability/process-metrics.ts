import { registerMetrics as registerApiMetrics } from '@tenantscope/api/metrics';
import { createCollectMetrics } from '@tenantscope/collect/metrics';
import { createConsoleMetrics } from '@tenantscope/console/metrics';
import { createIngestMetrics } from '@tenantscope/ingest/metrics';
import { createJobMetrics } from '@tenantscope/jobs/metrics';
import { createLog, createMetrics, type MetricDeclaration, type Metrics } from '@tenantscope/runtime';

const observedProcesses = ['api', 'ingest', 'jobs', 'console', 'collect'] as const;
export type ObservedProcess = (typeof observedProcesses)[number];

const log = createLog({ name: 'docs', level: 'silent' });
const providers: readonly string[] = [];

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

/** Every metric of every process, without starting one. Throws where two processes declare a metric with different labels or another type. */
export function readMetricReference(): MetricReference {
  const product = new Map<string, ProductMetric>();
  let node: readonly NodeMetric[] = [];
  for (const process of observedProcesses) {
    const metrics = createMetrics(process);
    registrations[process](metrics);
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
      const metrics = createMetrics(process);
      registrations[process](metrics);
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
  const isSame = present.type === declared.type && present.labels.join() === declared.labels.join();
  if (!isSame) throw new Error(`${declared.name} of ${process} differs from that of ${present.processes.join(', ')}`);
  product.set(declared.name, { ...present, processes: [...present.processes, process] });
}
