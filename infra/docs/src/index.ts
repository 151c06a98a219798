export { chartProcesses } from './chart/chart-processes.ts';
export { describeValues } from './chart/values-schema.ts';
export { compareFile, type FileComparison } from './comparison/compare-fields.ts';
export { compareSeverities, ratedLower, rejectedExcerpts } from './comparison/compare-severities.ts';
export { type ExpectedFile, readExpectedFiles } from './comparison/expected-files.ts';
export { listDisagreements } from './comparison/explain-differences.ts';
export { renderComparison } from './comparison/render-comparison.ts';
export { type FormatCoverage, measureCoverage } from './coverage/measure-coverage.ts';
export { listValues } from './coverage/member-values.ts';
export { findReason } from './coverage/reasons.ts';
export { renderCoverage, renderUnserved } from './coverage/render-coverage.ts';
export { readSharedFiles, sharedRecordsFolder } from './coverage/shared-records.ts';
export type { Comparison, Detection } from './detections/detection.ts';
export { buildRecord, detections } from './detections/detections.ts';
export { findsRow, meetsAll } from './detections/evaluate.ts';
export type { GeneratedFile } from './generated-file.ts';
export { generatedFolders, generateFiles } from './generated-files.ts';
export { dashboards } from './observability/dashboards.ts';
export { findUnknownNames } from './observability/metric-expression.ts';
export { metricLabels } from './observability/metric-labels.ts';
export {
  type MetricReference,
  type ObservedProcess,
  type ProductMetric,
  readExposition,
  readMetricReference,
} from './observability/process-metrics.ts';
export { readSchema, renderSchemaFile } from './schema.ts';
