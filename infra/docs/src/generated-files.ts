import { buildPublishedSchemas } from '@tenantscope/intake';
import { renderAccessLog } from './access-log.ts';
import { renderAuditLog } from './audit-log.ts';
import { generateChartFiles } from './chart/chart-files.ts';
import { renderPythonOperations, renderPythonRecords } from './clients/python-client.ts';
import { renderTypeScriptClient } from './clients/typescript-client.ts';
import { renderConfiguration } from './configuration.ts';
import { renderDetections } from './detections/render-detections.ts';
import { renderEcsMapping } from './ecs-mapping.ts';
import type { GeneratedFile } from './generated-file.ts';
import { renderDashboard } from './observability/dashboard.ts';
import { dashboards } from './observability/dashboards.ts';
import { renderMetrics } from './observability/render-metrics.ts';
import { renderReference } from './reference.ts';

/** Folders that contain generated files only. */
export const generatedFolders = ['schemas', 'infra/observability/dashboards'] as const;

export function generateFiles(): readonly GeneratedFile[] {
  const schemas = buildPublishedSchemas().map(({ name, schema }) => ({
    path: `schemas/${name}.json`,
    content: `${JSON.stringify(schema, null, 2)}\n`,
  }));
  return [
    { path: 'docs/reference.md', content: renderReference() },
    { path: 'docs/detections.md', content: renderDetections() },
    { path: 'docs/siem/ecs.md', content: renderEcsMapping() },
    { path: 'docs/operations/access-log.md', content: renderAccessLog() },
    { path: 'docs/operations/audit-log.md', content: renderAuditLog() },
    { path: 'docs/operations/configuration.md', content: renderConfiguration() },
    { path: 'docs/operations/metrics.md', content: renderMetrics() },
    ...dashboards.map((dashboard) => ({
      path: `infra/observability/dashboards/${dashboard.name}.json`,
      content: renderDashboard(dashboard),
    })),
    { path: 'packages/client/src/operations.ts', content: renderTypeScriptClient() },
    { path: 'clients/python/tenantscope/records.py', content: renderPythonRecords() },
    { path: 'clients/python/tenantscope/operations.py', content: renderPythonOperations() },
    ...generateChartFiles(),
    ...schemas,
  ];
}
