import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const secondBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  readonly registry: Registry;
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  gauge<Label extends string>(name: string, help: string, labels?: readonly Label[]): Gauge<Label>;
  /** A histogram of seconds, from 1 ms to 10 s unless other bucket bounds are given. */
  histogram<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
}

/** Creates the registry of a process, with the default metrics of Node.js. Names get the prefix tenantscope_ and end in their unit. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    counter: (name, help, labels = []) =>
      new Counter({ name: `tenantscope_${name}`, help, labelNames: [...labels], registers }),
    gauge: (name, help, labels = []) =>
      new Gauge({ name: `tenantscope_${name}`, help, labelNames: [...labels], registers }),
    histogram: (name, help, labels = [], buckets = secondBuckets) =>
      new Histogram({ name: `tenantscope_${name}`, help, labelNames: [...labels], buckets: [...buckets], registers }),
  };
}
