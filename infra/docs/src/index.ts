export { type FormatCoverage, measureCoverage } from './coverage/measure-coverage.ts';
export { listValues } from './coverage/member-values.ts';
export { renderCoverage, renderUnserved } from './coverage/render-coverage.ts';
export { readSharedFiles } from './coverage/shared-records.ts';
export type { Comparison, Detection } from './detections/detection.ts';
export { buildRecord, detections } from './detections/detections.ts';
export { meetsAll } from './detections/evaluate.ts';
export { type GeneratedFile, generatedFolders, generateFiles } from './generated-files.ts';
export { renderSchemaFile } from './schema.ts';
