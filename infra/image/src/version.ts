import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '@tenantscope/local';

/** The version of the product. */
export async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as { version: string };
  return version;
}
