import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const secondBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** In full, so that a search for the name on a dashboard finds the declaration. It ends in its unit, or in `total` for a counter. */
export type MetricName = `tenantscope_${string}`;

/** A metric of the product, as it is documented. */
export interface MetricDeclaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: MetricName;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface Metrics {
  readonly registry: Registry;
  /** In the order in which they were declared, without the default metrics of Node.js. Of a process that works for one cell, each has the label `cell`. */
  readonly declarations: readonly MetricDeclaration[];
  /** @NOTE A series that first appears with its first increment hides that increment from `increase()`: increment it by 0 where its labels are fixed. */
  counter<Label extends string>(name: MetricName, help: string, labels?: readonly Label[]): Counter<Label>;
  gauge<Label extends string>(name: MetricName, help: string, labels?: readonly Label[]): Gauge<Label>;
  /** A histogram of seconds, from 1 ms to 60 s unless other bucket bounds are given. */
  histogram<Label extends string>(
    name: MetricName,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
  setReady(isReady: boolean): void;
}

/**
 * Creates the registry of a process, with the default metrics of Node.js and its readiness. If it works for one cell, every series has its name. No label contains
 * a tenant, a key or an id.
 */
export function createMetrics(process: string, cell?: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  if (cell !== undefined) registry.setDefaultLabels({ cell });
  const declarations: MetricDeclaration[] = [];
  const declare = <Label extends string>(
    type: MetricDeclaration['type'],
    name: MetricName,
    help: string,
    labels: readonly Label[],
  ) => {
    declarations.push({ type, name, help, labels: cell === undefined ? labels : ['cell', ...labels] });
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  const metrics: Omit<Metrics, 'setReady'> = {
    registry,
    declarations,
    counter: (name, help, labels = []) => new Counter(declare('counter', name, help, labels)),
    gauge: (name, help, labels = []) => new Gauge(declare('gauge', name, help, labels)),
    histogram: (name, help, labels = [], buckets = secondBuckets) =>
      new Histogram({ ...declare('histogram', name, help, labels), buckets: [...buckets] }),
  };
  const ready = metrics.gauge('tenantscope_ready', readyHelp, ['process']);
  ready.set({ process }, 0);
  return { ...metrics, setReady: (isReady) => ready.set({ process }, isReady ? 1 : 0) };
}

const readyHelp = '1 while the process accepts work, as /readyz reports it; read at each scrape.';
