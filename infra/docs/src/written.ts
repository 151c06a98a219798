import { publishedSchemas } from '@tenantscope/intake';
import { reference } from './reference.ts';

/** A file that is written from the declarations, below the repository's root. */
export interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** Folders that hold nothing else. */
export const writtenFolders = ['schemas'] as const;

export function writtenFiles(): readonly WrittenFile[] {
  const schemas = publishedSchemas().map(({ name, schema }) => ({
    path: `schemas/${name}.json`,
    content: `${JSON.stringify(schema, null, 2)}\n`,
  }));
  return [{ path: 'docs/reference.md', content: reference() }, ...schemas];
}
