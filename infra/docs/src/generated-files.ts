import { buildPublishedSchemas } from '@tenantscope/intake';
import { renderConfiguration } from './configuration.ts';
import { renderDetections } from './detections/render-detections.ts';
import { renderReference } from './reference.ts';

/** A file generated from the declarations. `path` is relative to the repository root. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** Folders that contain generated files only. */
export const generatedFolders = ['schemas'] as const;

export function generateFiles(): readonly GeneratedFile[] {
  const schemas = buildPublishedSchemas().map(({ name, schema }) => ({
    path: `schemas/${name}.json`,
    content: `${JSON.stringify(schema, null, 2)}\n`,
  }));
  return [
    { path: 'docs/reference.md', content: renderReference() },
    { path: 'docs/detections.md', content: renderDetections() },
    { path: 'docs/operations/configuration.md', content: renderConfiguration() },
    ...schemas,
  ];
}
