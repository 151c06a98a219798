import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Records with what their collector's authors expect of each, line for line. */
export interface ExpectedFile {
  /** `o365/elastic-integrations.o365.management-activity`, without ending. */
  readonly name: string;
  readonly format: string;
  /** `elastic-ecs` or `panther-test`. */
  readonly expectedFormat: string;
  readonly records: readonly string[];
  /** JSON text; `null` where nothing is expected. */
  readonly expected: readonly string[];
}

/** Every file of records that has expectations; null where the folder is missing. */
export function readExpectedFiles(folder: string): readonly ExpectedFile[] | null {
  const indexPath = join(folder, 'index.json');
  if (!existsSync(indexPath)) return null;
  const index = JSON.parse(readFileSync(indexPath, 'utf8')) as { files: IndexedFile[] };
  return index.files.flatMap(({ path, format, expected, expectedFormat }) => {
    if (expected === undefined || expectedFormat === undefined) return [];
    const name = path.replace(/^dev\/|\.ndjson$/g, '');
    const [records, outputs] = [path, expected].map((each) => readLines(join(folder, each.replace(/^dev\//, ''))));
    if (records === undefined || outputs?.length !== records.length) throw new Error(`${name}: lines do not match`);
    return [{ name, format: format.replace(/\.(?:split|flattened)$/, ''), expectedFormat, records, expected: outputs }];
  });
}

interface IndexedFile {
  readonly path: string;
  readonly format: string;
  readonly expected?: string;
  readonly expectedFormat?: string;
}

const readLines = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
