import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ActivityFormatName, activityFormats } from '@tenantscope/intake';

export interface SharedFile {
  readonly path: string;
  readonly format: ActivityFormatName;
  /** Payloads, one record each. */
  readonly lines: readonly string[];
}

/** Published records of others, which stay outside the repository: next to the checkout, as the tests expect them. */
export const sharedRecordsFolder = join(import.meta.dirname, '..', '..', '..', '..', '..', 'shared', 'real-data');

/** The files of records that become log rows; null where the folder is missing. */
export function readSharedFiles(folder: string): readonly SharedFile[] | null {
  const indexPath = join(folder, 'index.json');
  if (!existsSync(indexPath)) return null;
  const index = JSON.parse(readFileSync(indexPath, 'utf8')) as { files: { path: string; format: string }[] };
  return index.files.flatMap(({ path, format }) => {
    const name = activityFormats.find((each) => each === format.replace(/\.(?:split|flattened)$/, ''));
    if (name === undefined) return [];
    const lines = readFileSync(join(folder, path.replace(/^dev\//, '')), 'utf8').split('\n');
    return [{ path, format: name, lines: lines.filter((line) => line !== '') }];
  });
}
