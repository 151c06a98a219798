import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedFile } from '../generated-file.ts';
import { describeProcesses } from './chart-processes.ts';
import { describeValues } from './values-schema.ts';

const checkout = join(import.meta.dirname, '..', '..', '..', '..');
/** The rules of Prometheus; the chart contains a copy, since it can read only its own files. */
const alertRules = join(checkout, 'infra', 'observability', 'alerts.yaml');

/** The generated files of the Helm chart. */
export function generateChartFiles(): readonly GeneratedFile[] {
  return [
    { path: 'infra/chart/values.schema.json', content: format(describeValues()) },
    { path: 'infra/chart/files/processes.json', content: format(describeProcesses()) },
    { path: 'infra/chart/files/alerts.yaml', content: readFileSync(alertRules, 'utf8') },
  ];
}

const format = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
