import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from './checkout.ts';

/** The digest of every file of directories, and of the lock file, since other versions of libraries give another build. */
export async function computeSourceDigest(directories: readonly string[]): Promise<string> {
  const entries = await Promise.all(
    directories.map((directory) => readdir(directory, { recursive: true, withFileTypes: true })),
  );
  const files = entries
    .flat()
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const digest = createHash('sha256');
  for (const file of [...files, join(checkout, 'package-lock.json')])
    digest
      .update(file.slice(checkout.length))
      .update('\0')
      .update(await readFile(file));
  return digest.digest('hex').slice(0, 16);
}
