import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '@tenantscope/local';
import type { Delivered } from './describe-connector.ts';

/** The path of a file of packages/connectors. */
export const connectorFile = (...path: readonly string[]): string => join(checkout, 'packages', 'connectors', ...path);

/** The rows of a file of JSON lines; none if there is no such file. */
export async function readDeliveredLines<Line = Delivered>(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
