import { table } from '../markdown-table.ts';
import { metricLabels } from './metric-labels.ts';
import { type ProductMetric, readMetricReference } from './process-metrics.ts';

/** docs/operations/metrics.md. */
export function renderMetrics(): string {
  const { product, node } = readMetricReference();
  const rows = product.map((metric) => [
    `\`${metric.name}\``,
    metric.type,
    metric.labels.join(', '),
    describeUnit(metric),
    metric.processes.join(', '),
    metric.help,
  ]);
  const used = new Set(product.flatMap(({ labels }) => labels));
  const labels = Object.entries(metricLabels).filter(([name]) => used.has(name));
  return `${[
    introduction,
    '## Metrics of the product',
    table(['Metric', 'Type', 'Labels', 'Unit', 'Processes', 'Meaning'], rows),
    '## Labels',
    'No label names a tenant, an organization, a user or a key: figures of single tenants are in the console and in `tenantscope status`.',
    table(
      ['Label', 'Value'],
      labels.map(([name, meaning]) => [name, meaning]),
    ),
    '## Metrics of Node.js',
    'Every process exposes these metrics of its runtime and of the operating system.',
    table(
      ['Metric', 'Meaning'],
      node.map(({ name, help }) => [name, help]),
    ),
  ].join('\n\n')}\n`;
}

/** The unit that the name ends in; a number of things has none. */
function describeUnit({ name, type, help }: Pick<ProductMetric, 'name' | 'type' | 'help'>): string {
  const unit = /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1];
  if (unit !== undefined) return unit;
  return type === 'gauge' && help.startsWith('1 ') ? '0 or 1' : 'count';
}

const introduction = `# Metrics

Each process serves its metrics for Prometheus at \`/metrics\` of its health port, next to \`/livez\` and \`/readyz\`. The ports are in [configuration.md](configuration.md); they are not published. This page is generated from the declarations.

[alerts.md](alerts.md) describes alert rules, dashboards and the scrape configuration.`;
