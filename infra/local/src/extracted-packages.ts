import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './checkout.ts';
import { downloadPackages } from './programs.ts';

const execute = promisify(execFile);

export const extractedDirectory = (name: string): string => join(cacheDirectory, name);

/**
 * The files of Debian packages in a directory of the cache, for programs whose installation would start a service or remove another
 * program. Extracted once; throws an error with the advice where that is not possible.
 */
export async function extractPackages(name: string, packages: readonly string[], advice: string): Promise<string> {
  const extracted = extractedDirectory(name);
  if (existsSync(extracted)) return extracted;
  if (!existsSync('/etc/debian_version')) throw new Error(advice);
  await mkdir(cacheDirectory, { recursive: true });
  const work = await mkdtemp(join(cacheDirectory, `${name}-`));
  try {
    await downloadPackages(packages, work);
    const files = join(work, 'files');
    for (const archive of (await readdir(work)).filter((file) => file.endsWith('.deb')))
      await execute('dpkg-deb', ['--extract', join(work, archive), files]);
    // Another process of the run may have been faster.
    await rename(files, extracted).catch(() => undefined);
  } catch (cause) {
    throw new Error(advice, { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return extracted;
}
